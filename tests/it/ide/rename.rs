//! Rename: what changes, what is warned of, what is refused.

use super::{DESK, at, desk_at};
use loopls::ide::{RenameError, prepare_rename, rename};
use loopls::text::apply_edits;

/// The lines of the text that a rename changes, as they are afterwards, and its warnings.
fn renamed(marked: &str, new: &str) -> (Vec<String>, Vec<String>) {
    let (analysis, offset) = at(marked);
    let done = rename(&analysis, offset, new).expect(marked);
    let after = apply_edits(&analysis.text, &done.edits).expect("edits that do not overlap");
    let pairs = analysis.text.lines().zip(after.lines());
    let changed = pairs.filter(|(before, after)| before != after);
    let warnings = done.warnings.into_iter();
    (
        changed.map(|(_, after)| after.trim().to_owned()).collect(),
        warnings.map(|warning| warning.message).collect(),
    )
}

fn desk(context: &str, new: &str) -> (Vec<String>, Vec<String>) {
    renamed(
        &DESK.replacen(&context.replacen('|', "", 1), context, 1),
        new,
    )
}

fn refused(marked: &str, new: &str) -> String {
    let (analysis, offset) = at(marked);
    rename(&analysis, offset, new)
        .expect_err(marked)
        .to_string()
}

#[test]
fn a_tool_changes_wherever_it_is_called_too() {
    let (changed, warnings) = desk("name = \"find|_order\"", "look_up");
    assert_eq!(
        changed,
        [
            "{ tool = \"look_up\", input = { id = 1042 } },",
            "allow = [\"look_up\", \"find_*\"]",
            "name = \"look_up\"",
            "tools = [\"look_up\"]",
            "tools = [\"look_up\", \"orders\"]",
            "script = [{ calls = [{ tool = \"look_up\", input = { id = 1, count = 2 } }] }]",
            "results = [{ tool = \"look_up\", input = { id = 1 }, result = \"shipped\" }]",
            "expect = { calls = [{ tool = \"look_up\", input = { id = 1 } }], results = [{ tool = \"cancel\" }] }",
        ]
    );
    assert_eq!(
        warnings,
        ["`find_*` in `access.allow` matches `find_order`, and does not match `look_up`"]
    );
}

#[test]
fn an_entry_that_produces_other_names_is_not_what_is_called() {
    let marked = r#"
model.script = [{ calls = [{ tool = "a" }, { tool = "b" }] }]
access = { ask = ["a"], allow = ["a"] }
[[tools]]
name = "a|"
produces = ["b"]
[[modes]]
tools = ["a"]
"#;
    let (changed, _) = renamed(marked, "c");
    assert_eq!(
        changed,
        [
            "access = { ask = [\"c\"], allow = [\"a\"] }",
            "name = \"c\"",
            "tools = [\"c\"]"
        ]
    );
}

#[test]
fn a_produced_name_changes_where_the_model_calls_it() {
    let (changed, _) = desk("produces = [\"can|cel\"", "cancel_order");
    assert_eq!(
        changed,
        [
            "{ tool = \"cancel_order\", input = { id = 7 } },",
            "ask = [\"cancel_order\"]",
            "produces = [\"cancel_order\", \"drop\"]",
            "tools = [\"cancel_order\"]",
            "expect = { calls = [{ tool = \"find_order\", input = { id = 1 } }], results = [{ tool = \"cancel_order\" }] }",
        ]
    );
}

#[test]
fn a_mode_stays_in_its_quotes() {
    let (changed, _) = desk("name = 'ref|und'", "give back");
    assert_eq!(changed, ["name = 'give back'", "mode = \"give back\""]);
    let (changed, _) = desk("name = 'ref|und'", "it's \"x\\y\"");
    assert_eq!(
        changed,
        [r#"name = "it's \"x\\y\"""#, r#"mode = "it's \"x\\y\"""#,]
    );
}

#[test]
fn a_property_changes_in_its_own_tool_only() {
    let (changed, _) = desk("stdin = '{{i|d}}'", "number");
    assert_eq!(
        changed,
        [
            "{ tool = \"find_order\", input = { number = 1042 } },",
            "command = [\"grep\", \"{{number}}\", [\"-n\", \"{{ count }}\"]]",
            "stdin = '{{number}}'",
            "properties.number = { type = \"integer\", description = \"Order number.\" }",
            "required = [\"number\"]",
            "script = [{ calls = [{ tool = \"find_order\", input = { number = 1, count = 2 } }] }]",
            "results = [{ tool = \"find_order\", input = { number = 1 }, result = \"shipped\" }]",
            "expect = { calls = [{ tool = \"find_order\", input = { number = 1 } }], results = [{ tool = \"cancel\" }] }",
        ]
    );
    let (changed, _) = desk("properties.cou|nt.type", "how-many");
    assert_eq!(
        changed[..3],
        [
            "command = [\"grep\", \"{{id}}\", [\"-n\", \"{{ how-many }}\"]]",
            "properties.how-many.type = \"integer\"",
            "properties.how-many.description = \"How many.\"",
        ]
    );
}

#[test]
fn keys_get_quotes_and_patterns_are_escaped_where_they_must_be() {
    let marked = "access.deny = [\"a\"]\n[[tools]]\nname = \"a|\"\nreply = 1\n";
    assert_eq!(
        renamed(marked, "a*b").0,
        ["access.deny = [\"a[*]b\"]", "name = \"a*b\""]
    );
    let marked = "[[tools]]\nname = \"a\"\ninput.properties.i|d = {}\ninput.required = ['id']\n";
    assert_eq!(
        renamed(marked, "order id").0,
        [
            "input.properties.\"order id\" = {}",
            "input.required = ['order id']"
        ]
    );
}

#[test]
fn names_with_escapes_and_in_three_quotes() {
    let marked = "initial_mode = \"\"\"a\\u0062\"\"\"\n[[modes]]\nname = \"a|b\"\n";
    assert_eq!(
        renamed(marked, "q\"q").0,
        ["initial_mode = \"\"\"q\\\"q\"\"\"", "name = \"q\\\"q\""]
    );
    let marked = "[[tools]]\nstdin = \"\\t{{i|d}}\\n{{id}}\"\ninput.properties.id = {}\n";
    assert_eq!(
        renamed(marked, "key").0,
        [
            "stdin = \"\\t{{key}}\\n{{key}}\"",
            "input.properties.key = {}"
        ]
    );
}

#[test]
fn what_would_begin_to_name_it_is_warned_of() {
    let (_, warnings) = desk("name = \"find|_order\"", "nobody");
    assert_eq!(
        warnings,
        [
            "`nobody` names nothing now, and would name what is renamed",
            "`find_*` in `access.allow` matches `find_order`, and does not match `nobody`",
        ]
    );
    let marked = "access.allow = [\"find_*\"]\n[[tools]]\nname = \"re|fund\"\nreply = 1\n";
    assert_eq!(
        renamed(marked, "find_refund").1,
        ["`find_*` in `access.allow` matches `find_refund`, and did not match `refund`"]
    );
}

#[test]
fn a_name_that_cannot_be_is_refused() {
    let desk = |context: &str| DESK.replacen(&context.replacen('|', "", 1), context, 1);
    for (context, new, expected) in [
        ("name = \"find|_order\"", "", "a name cannot be blank"),
        ("name = \"find|_order\"", " \t", "a name cannot be blank"),
        (
            "name = \"find|_order\"",
            " a",
            "a name has no spaces around it",
        ),
        (
            "name = \"find|_order\"",
            "orders",
            "there is already a tool `orders`",
        ),
        (
            "name = \"find|_order\"",
            "cancel",
            "there is already a tool that the model sees as `cancel`",
        ),
        (
            "name = \"find|_order\"",
            "refund-desk",
            "there is already a tool that the model sees as `refund-desk`",
        ),
        (
            "name = \"find|_order\"",
            "_looprig_final_output",
            "`_looprig_final_output` is the name under which a model gives its structured answer",
        ),
        (
            "produces = [\"can|cel\"",
            "drop",
            "there is already a tool that the model sees as `drop`",
        ),
        (
            "initial_mode = \"loo|kup\"",
            "refund",
            "there is already a mode `refund`",
        ),
        (
            "properties.i|d = ",
            "count",
            "there is already a property `count`",
        ),
        (
            "properties.i|d = ",
            "order id",
            "`{{order id}}` would be no placeholder: its name has letters, digits, `_` and `-` only",
        ),
        (
            "[\"refund|-desk\"]",
            "x",
            "`refund-desk` is the `name` of another loop; change it in that loop's file",
        ),
        (
            "provider = \"scr|ipted\"",
            "x",
            "there is no name here that can be changed",
        ),
        (
            "tool = \"no|body\"",
            "x",
            "there is no name here that can be changed",
        ),
    ] {
        assert_eq!(refused(&desk(context), new), expected, "{context} {new}");
    }
    // The entry itself may be called so: the model never sees it.
    let (changed, _) = self::desk("name = \"orders|\"", "_looprig_final_output");
    assert_eq!(changed.len(), 3);
}

#[test]
fn an_input_that_has_the_new_name_already_stops_a_rename() {
    let marked = r#"
model.script = [{ calls = [{ tool = "a", input = { id = 1, number = 2 } }] }]
[[tools]]
name = "a"
input.properties.i|d = {}
"#;
    assert!(refused(marked, "number").starts_with("with the name `number` another part"));
}

#[test]
fn the_same_name_changes_nothing() {
    let (analysis, offset) = desk_at("name = \"find|_order\"");
    let done = rename(&analysis, offset, "find_order").expect("a rename");
    assert!(done.edits.is_empty() && done.warnings.is_empty());
}

#[test]
fn what_is_renamed_is_the_name_without_quotes_and_braces() {
    for (context, expected) in [
        ("name = \"fin|d_order\"", "find_order"),
        ("name = '|refund'", "refund"),
        ("{{ co|unt }}", "count"),
        ("properties.cou|nt.type", "count"),
        ("effects = { dr|op", "drop"),
    ] {
        let (analysis, offset) = desk_at(context);
        let found = prepare_rename(&analysis, offset).expect(context);
        assert_eq!(found.span.of(&analysis.text), expected);
        assert_eq!(found.name, expected);
    }
    let (analysis, offset) = desk_at("[\"refund|-desk\"]");
    assert!(matches!(
        prepare_rename(&analysis, offset),
        Err(RenameError::OtherLoop { .. })
    ));
}

#[test]
fn a_text_with_mistakes_can_be_renamed_in() {
    let marked = "initial_mode = \"a\"\n[[modes]]\nname = \"a|\"\ntools = [\n\n[lim";
    assert_eq!(
        renamed(marked, "b").0,
        ["initial_mode = \"b\"", "name = \"b\""]
    );
}
