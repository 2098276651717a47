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

/// Characters that a file of cases cannot show; each text with the place of its one error and what is said.
#[test]
fn characters_that_cannot_stand_where_they_are() {
    let cases = [
        (
            "a = 1\rb = 2\r",
            "\r",
            "a lone carriage return does not end a line in TOML; use a line feed",
        ),
        (
            "a = 1 # \u{0}",
            "\u{0}",
            "the control character U+0000 cannot stand in a comment; remove it",
        ),
        (
            "# x\u{7f}\r\na = 1",
            "\u{7f}",
            "the control character U+007F cannot stand in a comment; remove it",
        ),
        (
            "a = \"\u{1}\"",
            "\u{1}",
            "the control character U+0001 in a string is written `\\u0001`",
        ),
        (
            "a = \"x\ry\"",
            "\r",
            "the control character U+000D in a string is written `\\r`",
        ),
        (
            "a = \"\"\"\nx\ry\"\"\"",
            "\r",
            "the control character U+000D in a string is written `\\r`",
        ),
        (
            "a = 'x\u{1b}'",
            "\u{1b}",
            "the control character U+001B cannot stand in single quotes; in double quotes it is written `\\u001B`",
        ),
        ("a = \u{0}", "\u{0}", "strings need quotes"),
        (
            "a\u{feff} = 1",
            "a\u{feff}",
            "a key without quotes holds only `A` to `Z`, `a` to `z`, digits, `-` and `_`; write \"a\u{feff}\"",
        ),
        ("a = 1\u{a0}", "1\u{a0}", "strings need quotes: \"1\u{a0}\""),
        (
            "a = \"x\r\nb = 1",
            "\"x",
            "this string has no closing quote",
        ),
        (
            "a = [\"x]\r\nb = 1",
            "\"x",
            "this string has no closing quote",
        ),
        (
            "a = \"x\\\r\nb = 1",
            "\"x\\",
            "this string has no closing quote",
        ),
        ("a =\r\nb = 1", "=", "a value is missing after `=`"),
        (
            "a = \"\"\"\r\nx\r\n[b]\r\nc = 1",
            "\"\"\"",
            "this string has no closing `\"\"\"`",
        ),
    ];
    for (text, place, message) in cases {
        let (_, errors) = read(text);
        let found: Vec<_> = errors
            .iter()
            .map(|error| (error.span.of(text), error.message.as_str()))
            .collect();
        assert_eq!(found, [(place, message)], "{text:?}");
    }
}

/// The whole file of cases with the other line ending has the same errors at the same places.
#[test]
fn line_endings_make_no_difference() {
    let cases = include_str!("../../data/syntax/broken.txt");
    for case in cases.split("===== ").skip(1) {
        let marks = |line: &&str| !line.trim_start().starts_with(['^', '~']);
        let text: String = case.split_inclusive('\n').skip(1).filter(marks).collect();
        let windows = text.replace('\n', "\r\n");
        let place = |text: &str, offset: usize| {
            let line = text[..offset].matches('\n').count();
            (
                line,
                offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1),
            )
        };
        let places = |text: &str| -> Vec<_> {
            let errors = read(text).1.into_iter();
            errors
                .map(|error| (place(text, error.span.start), error.message))
                .collect()
        };
        assert_eq!(places(&windows), places(&text), "{text}");
    }
}
