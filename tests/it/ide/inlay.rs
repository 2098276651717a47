//! Inlay hints, in the text between `«` and `»`.

use super::of;
use loopls::ide::inlay_hints;
use loopls::text::Span;

fn hinted(text: &str) -> String {
    let analysis = of(text);
    let hints = inlay_hints(&analysis, Span::new(0, text.len()));
    let mut result = text.to_owned();
    for hint in hints.iter().rev() {
        assert!(hint.tooltip.starts_with("| limit | value | from |"));
        result.insert_str(hint.offset, &format!(" «{}»", hint.label));
    }
    result
}

#[test]
fn a_mode_says_what_its_limits_come_to() {
    assert_eq!(
        hinted(
            "\
[limits]
calls = 20
[[modes]]
name = \"a\"
[[modes]] # second
limits = { iterations = 8, tokens = 1000, time = \"1m30s\", result_bytes = 512 }
"
        ),
        "\
[limits]
calls = 20
[[modes]] «(25 iterations) · (20 calls) · (8 parallel)»
name = \"a\"
[[modes]] «8 iterations · (20 calls) · (8 parallel) · 512 bytes a result · 1000 tokens · 1m30s» # second
limits = { iterations = 8, tokens = 1000, time = \"1m30s\", result_bytes = 512 }
"
    );
}

#[test]
fn only_what_is_asked_for_is_hinted() {
    let text = "[[modes]]\nname = \"a\"\n[[modes]]\nname = \"b\"\n";
    let analysis = of(text);
    let second = text.rfind("[[modes]]").expect("a second mode");
    let hints = inlay_hints(&analysis, Span::new(second, text.len()));
    assert_eq!(hints.len(), 1);
    assert_eq!(hints[0].offset, second + "[[modes]]".len());
}

#[test]
fn a_text_without_modes_has_no_hints() {
    assert_eq!(
        hinted("name = \"x\"\n[limits]\ncalls = 5\n[[mod"),
        "name = \"x\"\n[limits]\ncalls = 5\n[[mod"
    );
}
