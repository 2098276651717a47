//! For people: the line with a marker under the place.

use super::FileReport;
use crate::check::{Diagnostic, Severity};
use crate::cli::printable::printable;
use crate::text::{Span, is_hidden};
use annotate_snippets::{Annotation, AnnotationKind, Level, Renderer, Snippet};

/// Every diagnostic of `file`, each followed by an empty line. Styled: whoever prints to something that is no
/// terminal strips the styles.
pub fn text(file: &FileReport<'_>, renderer: &Renderer) -> String {
    let mut out = String::new();
    for diagnostic in file.diagnostics {
        out.push_str(&render(file, diagnostic, renderer));
        out.push_str("\n\n");
    }
    out
}

fn render(file: &FileReport<'_>, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let excerpt = Excerpt::new(file, diagnostic);
    let place = |kind: AnnotationKind, span: Span| -> Annotation<'static> {
        kind.span(excerpt.offset(span.start)..excerpt.offset(span.end))
    };
    let related = diagnostic.related.iter().map(|related| {
        place(AnnotationKind::Context, related.span).label(printable(&related.message).into_owned())
    });
    let snippet = Snippet::source(excerpt.shown())
        .path(printable(file.path).into_owned())
        .line_start(excerpt.first_line + 1)
        .annotation(place(AnnotationKind::Primary, diagnostic.span))
        .annotations(related);
    let title = level(diagnostic.severity)
        .primary_title(printable(&diagnostic.message).into_owned())
        .id(diagnostic.code.as_str());
    renderer.render(&[title.element(snippet)])
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO.with_name(Some(severity.as_str())),
        Severity::Hint => Level::HELP.with_name(Some(severity.as_str())),
    }
}

/// The whole lines from the first to the last place of a diagnostic. The renderer walks all the text it is given, so
/// giving it the file each time would make many diagnostics of a long file slow.
struct Excerpt {
    text: String,
    /// Where it starts in the file, in bytes.
    start: usize,
    /// Zero-based.
    first_line: usize,
}

impl Excerpt {
    fn new(file: &FileReport<'_>, diagnostic: &Diagnostic) -> Self {
        let covered = diagnostic
            .related
            .iter()
            .fold(diagnostic.span, |all, related| all.cover(related.span));
        let rope = file.rope;
        let last = rope.len_bytes();
        let first_line = rope.byte_to_line(covered.start.min(last));
        let after = rope.byte_to_line(covered.end.min(last)) + 1;
        let start = rope.line_to_byte(first_line);
        let end = rope.line_to_byte(after.min(rope.len_lines()));
        Self {
            text: rope.byte_slice(start..end).to_string(),
            start,
            first_line,
        }
    }

    /// The text as it may be printed, its lines ended by `\n`, which is all that the renderer counts.
    fn shown(&self) -> String {
        shown(&self.text)
    }

    /// Where byte `offset` of the file stands in what [`Self::shown`] gives.
    fn offset(&self, offset: usize) -> usize {
        let offset = offset.saturating_sub(self.start).min(self.text.len());
        // A place between `\r` and `\n` is the end of the line.
        let text = &self.text[..offset];
        let text = text
            .strip_suffix('\r')
            .filter(|_| self.text[offset..].starts_with('\n'))
            .unwrap_or(text);
        shown(text).len()
    }
}

fn shown(text: &str) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    match lines.chars().any(is_hidden) {
        true => printable(&lines).into_owned(),
        false => lines,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fixture, three};
    use super::*;
    use crate::check::Code;
    use expect_test::{Expect, expect};

    fn check(fixture: &Fixture, expected: Expect) {
        expected.assert_eq(&text(&fixture.report(), &Renderer::plain()));
    }

    #[test]
    fn line_marker_and_related_place() {
        check(
            &three(),
            expect![[r#"
            error[unknown_key]: unknown key `iteratons`; did you mean `iterations`?
             --> order.loop.toml:4:1
              |
            4 | iteratons = 3
              | ^^^^^^^^^

            warning[zero_limit]: 0 takes the default 100, it does not lift the limit
             --> order.loop.toml:5:9
              |
            5 | calls = 0
              |         ^

            error[duplicate_mode]: a mode before this one is called `fast` too
              --> order.loop.toml:11:8
               |
             8 | name = "fast"
               |        ------ the first one
            ...
            11 | name = "fast"
               |        ^^^^^^

        "#]],
        );
    }

    #[test]
    fn places_without_text() {
        let mut fixture = Fixture::new("");
        let missing =
            |at| Diagnostic::new(Code::MissingName, Span::empty(at), "the loop has no name");
        fixture.diagnostics.push(missing(0));
        check(
            &fixture,
            expect![[r#"
            error[missing_name]: the loop has no name
             --> order.loop.toml:1:1
              |
            1 |
              | ^

        "#]],
        );

        let mut fixture = Fixture::new("[model]\n");
        fixture.diagnostics.push(missing(8));
        check(
            &fixture,
            expect![[r#"
            error[missing_name]: the loop has no name
             --> order.loop.toml:2:1
              |
            2 |
              | ^

        "#]],
        );
    }

    #[test]
    fn lines_are_those_of_the_editor() {
        // A lone `\r` ends a line, U+2028 does not.
        check(
            &Fixture::new("a = 1\rb = 2\r\n# \u{2028}\r\nc = 3\r\n").with(
                Code::UnknownKey,
                "c",
                "unknown key `c`",
            ),
            expect![[r#"
                error[unknown_key]: unknown key `c`
                 --> order.loop.toml:4:1
                  |
                4 | c = 3
                  | ^

            "#]],
        );
    }

    #[test]
    fn foreign_text_does_not_steer_the_terminal() {
        check(
            &Fixture::new("na\u{9b}2Jme = \"\u{202e}x\"\n").with(
                Code::WrongType,
                "\"\u{202e}x\"",
                "`\u{1b}[2J` is no number",
            ),
            expect![[r#"
                error[wrong_type]: `\u{1b}[2J` is no number
                 --> order.loop.toml:1:16
                  |
                1 | na\u{9b}2Jme = "\u{202e}x"
                  |                ^^^^^^^^^^^

            "#]],
        );
    }

    #[test]
    fn a_place_of_many_lines() {
        check(
            &Fixture::new("x = 1\nsystem = \"\"\"\none\ntwo\nthree\nfour\nfive\nsix\"\"\"\n").with(
                Code::WrongType,
                "\"\"\"\none\ntwo\nthree\nfour\nfive\nsix\"\"\"",
                "too long",
            ),
            expect![[r#"
                error[wrong_type]: too long
                 --> order.loop.toml:2:10
                  |
                2 |   system = """
                  |  __________^
                3 | | one
                4 | | two
                5 | | three
                6 | | four
                7 | | five
                8 | | six"""
                  | |______^

            "#]],
        );
    }
}
