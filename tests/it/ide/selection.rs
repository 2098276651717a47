//! Selection that grows, as the texts that are selected.

use super::at;
use loopls::ide::selections;

fn selected(marked: &str) -> Vec<String> {
    let (analysis, offset) = at(marked);
    let spans = selections(&analysis, offset);
    for pair in spans.windows(2) {
        assert!(pair[1].contains(pair[0]) && pair[0] != pair[1], "{marked}");
    }
    assert_eq!(spans.last().copied(), Some(analysis.tree.span));
    let texts = spans.iter().map(|span| span.of(&analysis.text).to_owned());
    texts.collect()
}

#[test]
fn from_a_word_to_the_file() {
    let text = "name = \"x\"\n\n[[tools]]\ncommand = [\"run it|\", \"b\"]\n\n[tools.input]\ntype = \"object\"\n";
    assert_eq!(
        selected(text),
        [
            "it",
            "run it",
            "\"run it\"",
            "[\"run it\", \"b\"]",
            "command = [\"run it\", \"b\"]",
            "[[tools]]\ncommand = [\"run it\", \"b\"]",
            "[[tools]]\ncommand = [\"run it\", \"b\"]\n\n[tools.input]\ntype = \"object\"",
            &text.replace('|', ""),
        ]
    );
}

#[test]
fn placeholders_keys_headers_and_comments() {
    let tail =
        |marked: &str, count: usize| selected(marked).into_iter().take(count).collect::<Vec<_>>();
    assert_eq!(
        tail("stdin = \"a {{ id| }}\"\nx = 1", 4),
        ["id", "{{ id }}", "a {{ id }}", "\"a {{ id }}\""]
    );
    assert_eq!(
        tail("limits.cal|ls = 5\nx = 1", 3),
        ["calls", "limits.calls", "limits.calls = 5"]
    );
    assert_eq!(
        tail("[tools.in|put]\nx = 1\n\n[a]", 4),
        [
            "input",
            "tools.input",
            "[tools.input]",
            "[tools.input]\nx = 1"
        ]
    );
    assert_eq!(
        tail("x = 1 # one\n# two wor|ds\n# three\n", 3),
        ["words", "# two words", "# two words\n# three"]
    );
    assert_eq!(
        tail("a = { b = [1, 2|3] }\nx = 1", 5),
        [
            "23",
            "[1, 23]",
            "b = [1, 23]",
            "{ b = [1, 23] }",
            "a = { b = [1, 23] }"
        ]
    );
}

#[test]
fn a_text_that_is_being_typed() {
    assert_eq!(selected("[[modes]]\ntools = [\"a|\n")[0], "\"a");
    assert_eq!(selected("|"), [""]);
}
