//! Completion reads like typing: a text with the cursor at `|`, what is offered, and what comes of the one that is taken.

use loopls::check::Analysis;
use loopls::definition::{FileProblem, Surroundings};
use loopls::ide::{Completion, completions};
use loopls::text::apply_edits;
use ropey::Rope;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct World;

impl Surroundings for World {
    fn file(&self, _path: &Path) -> Result<String, FileProblem> {
        Err(FileProblem::Missing)
    }

    fn entries(&self, path: &Path) -> Vec<String> {
        match path.to_str() {
            Some(".") => vec!["prompts/".into(), "order.md".into()],
            Some("prompts/") => vec!["desk.md".into()],
            _ => Vec::new(),
        }
    }

    fn program(&self, _name: &str) -> Option<PathBuf> {
        None
    }

    fn variable_is_set(&self, _name: &str) -> bool {
        true
    }

    fn variable_names(&self) -> Vec<String> {
        vec!["SHOP_TOKEN".into()]
    }

    fn probed(&self, tool: &str) -> Option<Arc<Vec<String>>> {
        (tool == "shop").then(|| Arc::new(vec!["x_find".into(), "x_refund".into()]))
    }
}

fn offered(marked: &str) -> (String, Vec<Completion>) {
    let offset = marked.find('|').expect("a cursor");
    let text = marked.replacen('|', "", 1);
    let analysis = Analysis::new(Rope::from_str(&text));
    let found = completions(&analysis, &World, offset);
    (text, found)
}

fn labels(marked: &str) -> Vec<String> {
    offered(marked)
        .1
        .into_iter()
        .map(|item| item.label)
        .collect()
}

/// The text after the completion `label` was taken.
fn taken(marked: &str, label: &str) -> String {
    let (text, found) = offered(marked);
    let labels: Vec<&str> = found.iter().map(|item| item.label.as_str()).collect();
    let item = found
        .iter()
        .find(|item| item.label == label)
        .unwrap_or_else(|| panic!("`{label}` is not among {labels:?}"));
    apply_edits(&text, std::slice::from_ref(&item.edit)).expect("one edit")
}

const TOOLS: &str = "[[tools]]\nname = \"find_order\"\nreply = 1\n\n[[tools]]\nname = \"list-orders\"\nreply = 1\n\n";

#[test]
fn an_empty_file_offers_what_a_definition_needs() {
    let labels = labels("|");
    assert_eq!(labels[..2], ["name", "format"]);
    for label in ["[model]", "[[tools]]", "[[modes]]", "[limits]", "prompt"] {
        assert!(labels.iter().any(|other| other == label), "{label}");
    }
}

#[test]
fn keys_that_are_there_are_not_offered_again() {
    assert_eq!(
        labels("[limits]\ncalls = 1\n|\ntime = \"1s\"\n")
            .into_iter()
            .take(4)
            .collect::<Vec<_>>(),
        ["iterations", "parallel", "result_bytes", "tokens"]
    );
    assert_eq!(
        labels("limits = { calls = 1, | }"),
        ["iterations", "parallel", "result_bytes", "tokens", "time"]
    );
    assert_eq!(
        labels("limits = { calls = 1, | "),
        ["iterations", "parallel", "result_bytes", "tokens", "time"]
    );
}

#[test]
fn what_is_open_goes_on_behind_blanks() {
    assert_eq!(
        labels("[[tests]]\nscript = [{ |")[..2],
        ["text", "calls"].map(str::to_owned)
    );
    assert_eq!(
        labels("[[tests]]\nscript = [{ text = \"a\" }, { |")[..2],
        ["text", "calls"].map(str::to_owned)
    );
    assert_eq!(
        labels("[[tools]]\nname = \"find\"\n[[tests]]\nscript = [{ calls = [{ tool = |"),
        ["find"]
    );
    assert_eq!(labels("[[tests]]\nscript = [{ text = \"a\" }, |"), [""; 0]);
}

#[test]
fn a_key_replaces_what_is_typed() {
    assert_eq!(taken("[limits]\nca|", "calls"), "[limits]\ncalls = ");
    assert_eq!(taken("[limits]\nca|ll", "calls"), "[limits]\ncalls = ");
    assert_eq!(taken("[limits]\nca| = 5", "calls"), "[limits]\ncalls = 5");
    assert_eq!(taken("limits.ca|", "calls"), "limits.calls = ");
    assert_eq!(taken("limits.|", "calls"), "limits.calls = ");
    assert_eq!(
        taken("[[modes]]\nlimits = { par|", "parallel"),
        "[[modes]]\nlimits = { parallel = "
    );
}

#[test]
fn a_dotted_key_that_is_there_is_not_offered_again() {
    assert_eq!(
        labels("limits.calls = 1\nlimits.|"),
        ["iterations", "parallel", "result_bytes", "tokens", "time"]
    );
    assert_eq!(
        labels("modes = [{ limits.calls = 1, limits.tokens = 2, limits.|"),
        ["iterations", "parallel", "result_bytes", "time"]
    );
}

#[test]
fn a_table_offers_its_own_tables() {
    let of_mode = labels("[[modes]]\nname = \"a\"\n|");
    assert!(
        of_mode.contains(&"[modes.limits]".to_owned()) && of_mode.contains(&"[[tools]]".to_owned()),
        "{of_mode:?}"
    );
    assert_eq!(taken("[|", "modes.limits"), "[modes.limits]");
    assert_eq!(taken("[[to|]]", "tools"), "[[tools]]");
}

#[test]
fn words_come_with_their_quotes_however_many_are_there() {
    for marked in ["|", "\"|\"", "\"|", "'|'", "\"re|\"", "\"re|"] {
        let text = format!("[[tools]]\neffect = {marked}");
        assert_eq!(
            taken(&text, "read"),
            "[[tools]]\neffect = \"read\"",
            "{marked}"
        );
    }
}

#[test]
fn a_string_without_its_end_takes_nothing_with_it() {
    let text = format!("{TOOLS}[[modes]]\ntools = [\"fi|]");
    assert_eq!(
        taken(&text, "find_order"),
        text.replace("\"fi|]", "\"find_order\"]")
    );
}

#[test]
fn a_mode_offers_the_tools_it_has_not() {
    assert_eq!(
        labels(&format!("{TOOLS}[[modes]]\ntools = [|]")),
        ["find_order", "list-orders"]
    );
    assert_eq!(
        labels(&format!(
            "{TOOLS}[[modes]]\ntools = [\"find_order\", \"|\"]"
        )),
        ["list-orders"]
    );
    assert_eq!(
        labels(&format!(
            "{TOOLS}[[modes]]\ntools = [\n  \"find_order\",\n  |\n]"
        )),
        ["list-orders"]
    );
    assert_eq!(
        labels(&format!("{TOOLS}[[modes]]\ntools = [\"find_order\", |")),
        ["list-orders"]
    );
}

#[test]
fn names_with_dashes_are_replaced_whole() {
    let text = format!("{TOOLS}[access]\nallow = [\"list-o|\"]");
    assert_eq!(
        taken(&text, "list-orders"),
        text.replace("list-o|", "list-orders")
    );
}

#[test]
fn a_mode_is_offered_where_one_is_named() {
    assert_eq!(
        labels("initial_mode = |\n[[modes]]\nname = \"lookup\"\n[[modes]]\nname = \"act\""),
        ["lookup", "act"]
    );
}

#[test]
fn a_placeholder_offers_the_input_of_its_own_tool() {
    let tool = |name: &str, property: &str, command: &str| {
        format!(
            "[[tools]]\nname = \"{name}\"\ncommand = {command}\n[tools.input]\nproperties.{property} = {{}}\n"
        )
    };
    let text = tool("a", "id", "[\"x\"]") + &tool("b", "number", "[\"x\", \"{{nu|\"]");
    assert_eq!(labels(&text), ["number"]);
    assert!(taken(&text, "number").contains("[\"x\", \"{{number}}\"]"));
}

#[test]
fn paths_variables_and_schemas() {
    assert_eq!(labels("system_file = \"|\""), ["prompts/", "order.md"]);
    assert_eq!(
        taken("system_file = \"prompts/|\"", "prompts/desk.md"),
        "system_file = \"prompts/desk.md\""
    );
    assert_eq!(
        taken("model = { api_key_env = | }", "SHOP_TOKEN"),
        "model = { api_key_env = \"SHOP_TOKEN\" }"
    );
    assert_eq!(
        taken("[[tools]]\nenv = { T = \"${|\" }", "SHOP_TOKEN"),
        "[[tools]]\nenv = { T = \"${SHOP_TOKEN}\" }"
    );
    assert!(labels("[tools.input]\n|").contains(&"properties".into()));
    assert_eq!(
        labels("[[tools]]\n[tools.input]\nproperties.id = { type = \"|\" }")[0],
        "string"
    );
    assert_eq!(
        labels("[[tools]]\n[tools.input.properties.id]\ntype = \"|\"")[0],
        "string"
    );
}

#[test]
fn a_comment_offers_codes_to_allow_and_nothing_else() {
    assert!(labels("# |").is_empty());
    assert_eq!(
        taken("calls = 0 # loopls: allow zero_l|", "zero_limit"),
        "calls = 0 # loopls: allow zero_limit"
    );
}

#[test]
fn nothing_is_offered_behind_what_is_whole() {
    for marked in ["name = \"x\" |", "[limits] |", "[limits]\ncalls = 5 |"] {
        assert!(labels(marked).is_empty(), "{marked}: {:?}", labels(marked));
    }
}

#[test]
fn a_placeholder_below_another_array_belongs_to_the_last_tool() {
    let text = r#"
[[tools]]
name = "a"
[[modes]]
name = "m"
[[modes]]
name = "n"
[tools.input]
properties.id = {}
required = ["|"]
"#;
    assert_eq!(labels(text), ["id"]);
}

#[test]
fn what_a_server_offered_when_it_was_asked_is_offered_here() {
    let server = |more: &str| {
        format!("[[tools]]\nname = \"shop\"\nmcp = {{ command = [\"shop\"] }}\n{more}\n")
    };
    let open = server("");
    for (marked, expected) in [
        (
            format!("{open}[access]\nallow = [\"|\"]\n"),
            vec!["x_find", "x_refund"],
        ),
        (
            format!("{TOOLS}{open}[[tests]]\nexpect.calls = [{{ tool = \"|\" }}]\n"),
            vec!["find_order", "list-orders", "x_find", "x_refund"],
        ),
        // What it exposes is known here.
        (
            format!(
                "{}[access]\nask = [\"|\"]\n",
                server("produces = [\"x_find\"]")
            ),
            vec!["x_find"],
        ),
        (server("produces = [\"x_find\", \"|\"]"), vec!["x_refund"]),
        // Of an entry that nobody asked nothing is known.
        (
            format!(
                "{}[access]\nallow = [\"|\"]\n",
                open.replace("\"shop\"\nmcp", "\"other\"\nmcp")
            ),
            vec![],
        ),
        // Its effects are of its tools alone, by the model's name or the server's own.
        (
            format!("{TOOLS}{}", server("effects = { | }")),
            vec!["x_find", "x_refund"],
        ),
        (
            format!("{open}[tools.effects]\nx_find = \"read\"\nx_re|\n"),
            vec!["x_refund"],
        ),
        (
            server("effects.x_find = \"read\"\neffects.|"),
            vec!["x_refund"],
        ),
        (
            "[[tools]]\nname = \"shop\"\nmcp = { url = \"u\", prefix = \"x_\" }\neffects = { find = \"read\", | }\n"
                .into(),
            vec!["x_refund"],
        ),
        (
            server("produces = [\"x_find\"]\neffects = { |"),
            vec!["x_find"],
        ),
        (
            "tools = [{ name = \"a\" }, { name = \"shop\", mcp = { url = \"u\" }, effects = { x_f|".into(),
            vec!["x_find", "x_refund"],
        ),
        // Another source has no tools of its own.
        (
            "[[tools]]\nname = \"shop\"\nreply = 1\neffects = { | }\n".into(),
            vec![],
        ),
        // A mode lists entries.
        (format!("{open}[[modes]]\ntools = [\"|\"]\n"), vec!["shop"]),
    ] {
        let mut offered = labels(&marked);
        // What else can be begun on a line of its own.
        offered.retain(|label| !label.starts_with('['));
        assert_eq!(offered, expected, "{marked}");
    }
    let marked = server("effects = { x_re|");
    assert!(taken(&marked, "x_refund").contains("effects = { x_refund = "));
}
