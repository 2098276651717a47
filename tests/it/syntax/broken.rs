//! What is said of texts that are not TOML, drawn below them.

use super::read;
use loopls::syntax::SyntaxError;
use loopls::text::Span;

/// One line of `text` after another, each with the errors that begin on it drawn below.
fn drawn(text: &str, errors: &[SyntaxError]) -> String {
    let mut marks: Vec<(Span, char, &str)> = Vec::new();
    for error in errors {
        marks.push((error.span, '^', &error.message));
        if let Some((span, message)) = &error.related {
            marks.push((*span, '~', message));
        }
    }
    marks.sort_by_key(|(span, sign, _)| (*span, *sign));
    let mut marks = marks.into_iter().peekable();
    let mut drawing = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let line = line.trim_end_matches('\n');
        drawing.push_str(line);
        drawing.push('\n');
        let is_last = end == text.len();
        while let Some((span, sign, message)) =
            marks.next_if(|(span, ..)| span.start < end || is_last)
        {
            let in_line = |offset: usize| (offset - at).min(line.len());
            let before = line[..in_line(span.start)].chars().count();
            let wide = line[in_line(span.start)..in_line(span.end)].chars().count();
            let underline = sign.to_string().repeat(wide.max(1));
            drawing.push_str(&format!("{}{underline} {message}\n", " ".repeat(before)));
        }
        at = end;
    }
    drawing
}

/// Each case is a title, a text, and below each line of it the errors that begin there: `^` under the place that
/// is wrong, `~` under the other one that has a part in it. `UPDATE_EXPECT=1` draws them anew.
#[test]
fn broken_texts_and_what_is_said_of_them() {
    let file = expect_test::expect_file!["../../data/syntax/broken.txt"];
    let mut drawing = String::new();
    assert!(
        file.data().starts_with("===== "),
        "the cases were not found"
    );
    for case in file.data().split("===== ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title is a line");
        let is_text = |line: &&str| !line.trim_start().starts_with(['^', '~']);
        let text: String = rest.split_inclusive('\n').filter(is_text).collect();
        let (_, errors) = read(&text);
        drawing.push_str(&format!("===== {title}\n{}", drawn(&text, &errors)));
    }
    file.assert_eq(&drawing);
}
