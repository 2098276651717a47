//! `--format github`: workflow commands that GitHub turns into annotations.
//!
//! The syntax and its escapes are those of GitHub's "Workflow commands for GitHub Actions" and of the
//! `@actions/core` toolkit's `command` module.

use super::FileReport;
use crate::check::{Diagnostic, Severity};
use crate::cli::printable::printable;
use crate::text::{Encoding, position_at};
use std::fmt::Write;

/// One line a diagnostic; lines and columns count from 1, columns in characters.
pub fn github(file: &FileReport<'_>) -> String {
    let mut out = String::new();
    for diagnostic in file.diagnostics {
        let start = position_at(file.rope, diagnostic.span.start, Encoding::Utf32);
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "::{} file={},line={},col={},title={}::{}",
            command(diagnostic.severity),
            property(file.path),
            start.line + 1,
            start.character + 1,
            property(diagnostic.code.as_str()),
            data(&message(file, diagnostic)),
        );
    }
    out
}

fn command(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    }
}

/// The message, and the related places in lines of their own: an annotation has one place.
fn message(file: &FileReport<'_>, diagnostic: &Diagnostic) -> String {
    let mut message = diagnostic.message.clone();
    for related in &diagnostic.related {
        let line = position_at(file.rope, related.span.start, Encoding::Utf32).line + 1;
        // Writing to a string does not fail.
        let _ = write!(message, "\nline {line}: {}", related.message);
    }
    message
}

fn data(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    printable(&text).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fixture, three};
    use super::*;
    use crate::check::Code;
    use expect_test::expect;

    #[test]
    fn annotations() {
        expect![[r#"
            ::error file=order.loop.toml,line=4,col=1,title=unknown_key::unknown key `iteratons`; did you mean `iterations`?
            ::warning file=order.loop.toml,line=5,col=9,title=zero_limit::0 takes the default 100, it does not lift the limit
            ::error file=order.loop.toml,line=11,col=8,title=duplicate_mode::a mode before this one is called `fast` too%0Aline 8: the first one
        "#]].assert_eq(&github(&three().report()));
    }

    #[test]
    fn escapes() {
        let fixture = Fixture::new("x = 1\n").with(
            Code::UnknownKey,
            "x",
            "100%\n::set-output name=x::y\r\n\u{1b}",
        );
        let report = FileReport {
            path: "a,b:c%.loop.toml",
            ..fixture.report()
        };
        expect![[r#"
            ::error file=a%2Cb%3Ac%25.loop.toml,line=1,col=1,title=unknown_key::100%25%0A::set-output name=x::y%0A\u{1b}
        "#]].assert_eq(&github(&report));
    }
}
