//! Definition, references, highlights.

use super::{at, desk_at, lines, shown};
use crate::world::World;
use loopls::ide::{Destination, HighlightKind, definition, highlights, references};

/// The lines with references to what is at the cursor.
fn refer(context: &str, with_declaration: bool) -> Vec<String> {
    let (analysis, offset) = desk_at(context);
    let spans = references(&analysis, offset, with_declaration);
    let text = shown(&analysis.text, &spans);
    lines(&text).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_tool_is_named_by_modes_patterns_scripts_and_tests() {
    let expected = [
        "{ tool = «\"find_order\"», input = { id = 1042 } },",
        "allow = [«\"find_order\"», «\"find_*\"»]",
        "name = «\"find_order\"»",
        "tools = [«\"find_order\"»]",
        "tools = [«\"find_order\"», \"orders\"]",
        "script = [{ calls = [{ tool = «\"find_order\"», input = { id = 1, count = 2 } }] }]",
        "results = [{ tool = «\"find_order\"», input = { id = 1 }, result = \"shipped\" }]",
        "expect = { calls = [{ tool = «\"find_order\"», input = { id = 1 } }], results = [{ tool = \"cancel\" }] }",
    ];
    for context in [
        "name = \"|find_order\"",
        "tool = \"find_or|der\"",
        "allow = [\"find_order|\"",
    ] {
        assert_eq!(refer(context, true), expected, "{context}");
    }
    let without = refer("tool = \"find_or|der\"", false);
    assert_eq!(without.len(), expected.len() - 1);
    assert!(!without.contains(&"name = «\"find_order\"»".to_owned()));
}

#[test]
fn an_entry_is_another_thing_than_what_it_produces() {
    assert_eq!(
        refer("name = \"orders|\"", true),
        [
            "deny = [«\"orders\"», \"drop\"]",
            "name = «\"orders\"»",
            "tools = [\"find_order\", «\"orders\"»]",
        ]
    );
    assert_eq!(
        refer("produces = [\"cancel\", \"dr|op\"]", true),
        [
            "deny = [\"orders\", «\"drop\"»]",
            "produces = [\"cancel\", «\"drop\"»]",
            "effects = { «drop» = \"irreversible\" }",
        ]
    );
    assert_eq!(
        refer("tools = [\"can|cel\"]", true),
        [
            "{ tool = «\"cancel\"», input = { id = 7 } },",
            "ask = [«\"cancel\"»]",
            "produces = [«\"cancel\"», \"drop\"]",
            "tools = [«\"cancel\"»]",
            "expect = { calls = [{ tool = \"find_order\", input = { id = 1 } }], results = [{ tool = «\"cancel\"» }] }",
        ]
    );
}

#[test]
fn a_property_is_named_by_placeholders_inputs_and_required() {
    assert_eq!(
        refer("properties.i|d = ", true),
        [
            "{ tool = \"find_order\", input = { «id» = 1042 } },",
            "command = [\"grep\", \"«{{id}}»\", [\"-n\", \"{{ count }}\"]]",
            "stdin = '«{{id}}»'",
            "properties.«id» = { type = \"integer\", description = \"Order number.\" }",
            "required = [«\"id\"»]",
            "script = [{ calls = [{ tool = \"find_order\", input = { «id» = 1, count = 2 } }] }]",
            "results = [{ tool = \"find_order\", input = { «id» = 1 }, result = \"shipped\" }]",
            "expect = { calls = [{ tool = \"find_order\", input = { «id» = 1 } }], results = [{ tool = \"cancel\" }] }",
        ]
    );
    assert_eq!(
        refer("{{ cou|nt }}", true),
        [
            "command = [\"grep\", \"{{id}}\", [\"-n\", \"«{{ count }}»\"]]",
            "properties.«count».type = \"integer\"",
            "properties.«count».description = \"How many.\"",
            "script = [{ calls = [{ tool = \"find_order\", input = { id = 1, «count» = 2 } }] }]",
        ]
    );
    assert_eq!(
        refer("order = \"{{id|}}\"", true),
        [
            "{ tool = \"cancel\", input = { «id» = 7 } },",
            "http = { method = \"POST\", url = \"https://shop.example.com/«{{id}}»\", body = { order = \"«{{id}}»\" } }",
            "[tools.input.properties.«id»]",
        ]
    );
}

#[test]
fn modes_and_delegates() {
    assert_eq!(
        refer("initial_mode = \"look|up\"", true),
        ["initial_mode = «\"lookup\"»", "name = «\"lookup\"»"]
    );
    assert_eq!(
        refer("name = '|refund'", true),
        ["name = «'refund'»", "mode = «\"refund\"»"]
    );
    assert_eq!(
        refer("[\"refund-d|esk\"]", true),
        ["delegates = [«\"refund-desk\"»]"]
    );
}

#[test]
fn where_two_tools_share_a_name_nobody_knows_whose_input_it_is() {
    let (analysis, offset) = at(r#"
model.script = [{ calls = [{ tool = "a", input = { id = 1 } }] }]
[[tools]]
name = "a"
input.properties.i|d = {}
[[tools]]
name = "a"
"#);
    assert_eq!(references(&analysis, offset, false), []);
}

#[test]
fn what_names_nothing_has_no_references() {
    for context in [
        "tool = \"no|body\"",
        "[[mod|es]]",
        "provider = \"scr|ipted\"",
    ] {
        assert_eq!(refer(context, true), [""; 0], "{context}");
    }
}

#[test]
fn the_same_name_lights_up_and_the_declaration_is_told_apart() {
    let (analysis, offset) = desk_at("mode = \"ref|und\"");
    let found = highlights(&analysis, offset);
    let kinds: Vec<(&str, HighlightKind)> = found
        .iter()
        .map(|found| (found.span.of(&analysis.text), found.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("'refund'", HighlightKind::Declaration),
            ("\"refund\"", HighlightKind::Mention),
        ]
    );
}

/// The lines where what is at the cursor is defined, and the files.
fn defined(context: &str) -> Vec<String> {
    let (analysis, offset) = desk_at(context);
    let jump = definition(&analysis, &World, offset);
    let destinations = jump.map_or(Vec::new(), |jump| {
        assert!(jump.origin.touches(offset));
        jump.destinations
    });
    let shown = destinations
        .into_iter()
        .map(|destination| match destination {
            Destination::Here { whole, name } => {
                assert!(whole.contains(name));
                lines(&shown(&analysis.text, &[name])).concat()
            }
            Destination::File(path) => path.display().to_string(),
        });
    shown.collect()
}

#[test]
fn names_lead_to_where_they_are_given() {
    for (context, expected) in [
        ("{ tool = \"fin|d_order\"", &["name = «\"find_order\"»"][..]),
        (
            "[\"find_order|\", \"orders\"]",
            &["name = «\"find_order\"»"],
        ),
        (
            "ask = [\"can|cel\"]",
            &["produces = [«\"cancel\"», \"drop\"]"],
        ),
        ("initial_mode = \"|lookup\"", &["name = «\"lookup\"»"]),
        (
            "stdin = '{{|id}}'",
            &["properties.«id» = { type = \"integer\", description = \"Order number.\" }"],
        ),
        ("input = { i|d = 7 }", &["[tools.input.properties.«id»]"]),
        ("\"find|_*\"", &["name = «\"find_order\"»"]),
        ("[\"refund-|desk\"]", &["/project/refunds.loop.toml"]),
        ("tool = \"no|body\"", &[]),
        ("provider = \"scr|ipted\"", &[]),
    ] {
        assert_eq!(defined(context), expected, "{context}");
    }
}

#[test]
fn paths_lead_to_files_that_are_there() {
    for (text, expected) in [
        (
            "system_file = \"prom|pt.md\"",
            Some("/project/desk/prompt.md"),
        ),
        (
            "tools = [{ loop = \"../refunds.loop.|toml\" }]",
            Some("/project/refunds.loop.toml"),
        ),
        ("system_file = \"miss|ing.md\"", None),
        ("system = \"prom|pt.md\"", None),
    ] {
        let (analysis, offset) = at(text);
        let found = definition(&analysis, &World, offset).map(|jump| jump.destinations);
        let expected = expected.map(|path| vec![Destination::File(path.into())]);
        assert_eq!(found, expected, "{text}");
    }
}
