//! Semantic tokens, as their kinds and texts.

use super::{DESK, of};
use loopls::ide::{TOKEN_KINDS, TokenKind, tokens, tokens_in};
use loopls::text::Span;

fn painted(text: &str) -> Vec<String> {
    let analysis = of(text);
    let found = tokens(&analysis);
    for pair in found.windows(2) {
        assert!(pair[0].span.end <= pair[1].span.start, "{pair:?}");
    }
    found
        .into_iter()
        .map(|token| {
            let text = token.span.of(&analysis.text);
            assert!(
                !text.is_empty() && !text.contains(['\n', '\r']),
                "{token:?}"
            );
            let declares = if token.declares { "+" } else { "" };
            let (_, name) = TOKEN_KINDS
                .iter()
                .find(|(kind, _)| *kind == token.kind)
                .expect("a kind of the legend");
            format!("{name}{declares} {text}")
        })
        .collect()
}

#[test]
fn the_legend_has_the_kinds_in_their_order() {
    for (index, (kind, _)) in TOKEN_KINDS.iter().enumerate() {
        assert_eq!(*kind as usize, index);
    }
    assert_eq!(TokenKind::Decorator as usize + 1, TOKEN_KINDS.len());
}

#[test]
fn every_word_is_what_it_is() {
    assert_eq!(
        painted(
            r#"
initial_mode = "a" # the first
[model]
provider = "scripted"
max_tokens = 5
api_key_env = "KEY"
[[tools]]
name = "find"
command = ["x", "n={{id}};${A}"]
sequential = true
env = { B = "v ${A}" }
http.url = "https://x.example.com/{{id}}/${A}"
[tools.input.properties.id]
type = ["integer", "null"]
[[modes]]
name = "a"
tools = ["find", "other"]
"#
        ),
        [
            "property initial_mode",
            "class \"a\"",
            "comment # the first",
            "namespace model",
            "property provider",
            "enumMember \"scripted\"",
            "property max_tokens",
            "number 5",
            "property api_key_env",
            "variable \"KEY\"",
            "type tools",
            "property name",
            "function+ \"find\"",
            "property command",
            "string \"x\"",
            "string \"n=",
            "parameter {{id}}",
            "string ;${A}\"",
            "property sequential",
            "keyword true",
            "property env",
            "property B",
            "string \"v ",
            "variable ${A}",
            "string \"",
            "property http",
            "property url",
            "string \"https://x.example.com/",
            "parameter {{id}}",
            "string /",
            "variable ${A}",
            "string \"",
            "namespace tools",
            "namespace input",
            "namespace properties",
            "parameter+ id",
            "property type",
            "enumMember \"integer\"",
            "enumMember \"null\"",
            "type modes",
            "property name",
            "class+ \"a\"",
            "property tools",
            "function \"find\"",
            "string \"other\"",
        ]
    );
}

#[test]
fn a_value_over_several_lines_is_several_tokens() {
    assert_eq!(
        painted("system = \"\"\"\none\r\n\r\ntwo \\\n  three\"\"\"\n"),
        [
            "property system",
            "string \"\"\"",
            "string one",
            "string two \\",
            "string   three\"\"\"",
        ]
    );
    assert_eq!(
        painted("[[tools]]\nstdin = '''\n{{id}}\n'''\ninput.properties.id = {}\n")[2..6],
        [
            "string '''",
            "parameter {{id}}",
            "string '''",
            "property input"
        ]
    );
}

#[test]
fn an_allowance_stands_out_of_its_comment() {
    assert_eq!(
        painted("# loopls: allow zero_limit, many_tools for now\n"),
        [
            "comment # ",
            "decorator loopls: allow",
            "comment  ",
            "enumMember zero_limit",
            "comment , ",
            "enumMember many_tools",
            "comment  ",
            "enumMember for",
            "comment  ",
            "enumMember now",
        ]
    );
    assert_eq!(painted("# loopls: allowing\n").len(), 1);
}

#[test]
fn a_text_that_is_being_typed_has_colour() {
    assert_eq!(
        painted("[[tools]\nname = \"a\neffect = rea\n[mod"),
        [
            "type tools",
            "property name",
            "string \"a",
            "property effect",
            "namespace mod"
        ]
    );
}

#[test]
fn a_range_has_the_tokens_that_it_touches() {
    let analysis = of(DESK);
    let all = tokens(&analysis);
    let start = DESK.find("[[modes]]").expect("modes");
    let span = Span::new(start, start + 30);
    let some = tokens_in(&analysis, span);
    let expected: Vec<_> = all
        .into_iter()
        .filter(|token| token.span.start < span.end && span.start < token.span.end)
        .collect();
    assert!(!some.is_empty());
    assert_eq!(some, expected);
}
