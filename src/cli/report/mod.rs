//! Diagnostics as people and machines read them: one file a format.

mod github;
mod json;
mod sarif;
mod text;

use crate::check::{Diagnostic, Severity};
use ropey::Rope;

pub use github::github;
pub use json::{Range, escape_json, json, range, write_json};
pub use sarif::sarif;
pub use text::text;

/// One file that was read, with what there is to say about it.
pub struct FileReport<'a> {
    /// The file as the person named it.
    pub path: &'a str,
    /// Its text.
    pub rope: &'a Rope,
    /// In order of the text.
    pub diagnostics: &'a [Diagnostic],
}

/// How many diagnostics of each severity there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Counts {
    pub errors: usize,
    pub warnings: usize,
    pub information: usize,
    pub hints: usize,
    /// How many of them have one right answer, which `--fix` gives.
    pub fixable: usize,
}

impl Counts {
    /// Counts the diagnostics of `files`.
    pub fn of(files: &[FileReport<'_>]) -> Self {
        let mut counts = Self::default();
        for diagnostic in files.iter().flat_map(|file| file.diagnostics) {
            *match diagnostic.severity {
                Severity::Error => &mut counts.errors,
                Severity::Warning => &mut counts.warnings,
                Severity::Information => &mut counts.information,
                Severity::Hint => &mut counts.hints,
            } += 1;
            counts.fixable += usize::from(diagnostic.certain_remedy().is_some());
        }
        counts
    }
}

/// `checked 3 files: 1 error, 2 warnings`.
pub fn summary(files: usize, counts: Counts) -> String {
    let found: Vec<String> = [
        (counts.errors, "error", "errors"),
        (counts.warnings, "warning", "warnings"),
        (counts.information, "information", "information"),
        (counts.hints, "hint", "hints"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }))
    .collect();
    let found = match found.is_empty() {
        true => "no errors, no warnings".to_owned(),
        false => found.join(", "),
    };
    let noun = if files == 1 { "file" } else { "files" };
    format!("checked {files} {noun}: {found}")
}

/// What a person can do next, if a command does some of it.
pub fn help(counts: Counts) -> Option<String> {
    match counts.fixable {
        0 => None,
        fixable => Some(format!("`loopls check --fix` puts {fixable} of them right")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::check::{Code, Repair};
    use crate::text::Span;

    /// A text and diagnostics of it, for the tests of the formats.
    pub struct Fixture {
        text: String,
        rope: Rope,
        pub diagnostics: Vec<Diagnostic>,
    }

    impl Fixture {
        pub fn new(text: &str) -> Self {
            Self {
                text: text.to_owned(),
                rope: Rope::from_str(text),
                diagnostics: Vec::new(),
            }
        }

        /// The place where `part` stands in the text for the `nth` time, counted from 0.
        pub fn span(&self, part: &str, nth: usize) -> Span {
            let (start, _) = self.text.match_indices(part).nth(nth).unwrap();
            Span::new(start, start + part.len())
        }

        /// A diagnostic at the first `part`.
        pub fn with(mut self, code: Code, part: &str, message: &str) -> Self {
            let span = self.span(part, 0);
            self.diagnostics.push(Diagnostic::new(code, span, message));
            self
        }

        pub fn report(&self) -> FileReport<'_> {
            FileReport {
                path: "order.loop.toml",
                rope: &self.rope,
                diagnostics: &self.diagnostics,
            }
        }
    }

    /// An error, a warning, and an error with a related place.
    pub fn three() -> Fixture {
        let mut fixture = Fixture::new(
            "name = \"desk\"\n\n[limits]\niteratons = 3\ncalls = 0\n\n[[modes]]\nname = \"fast\"\n\n[[modes]]\nname = \"fast\"\n",
        )
        .with(
            Code::UnknownKey,
            "iteratons",
            "unknown key `iteratons`; did you mean `iterations`?",
        )
        .with(Code::ZeroLimit, "0", "0 takes the default 100, it does not lift the limit");
        let iterations = fixture.diagnostics.remove(0);
        let repair = Repair::Replace("iterations".into());
        fixture
            .diagnostics
            .insert(0, iterations.with_guess("Rename to `iterations`", repair));
        let (first, second) = (fixture.span("\"fast\"", 0), fixture.span("\"fast\"", 1));
        let duplicate = Diagnostic::new(
            Code::DuplicateMode,
            second,
            "a mode before this one is called `fast` too",
        );
        fixture
            .diagnostics
            .push(duplicate.with_related(first, "the first one"));
        fixture
    }

    #[test]
    fn summaries() {
        let fixture = three();
        let files = [fixture.report()];
        assert_eq!(
            summary(1, Counts::of(&files)),
            "checked 1 file: 2 errors, 1 warning"
        );
        assert_eq!(
            summary(3, Counts::default()),
            "checked 3 files: no errors, no warnings"
        );
    }

    #[test]
    fn help_counts_what_has_one_right_answer() {
        let mut fixture = three();
        assert_eq!(
            help(Counts::of(&[fixture.report()])),
            None,
            "a guess is none"
        );
        let zero = fixture.diagnostics.remove(1);
        let repair = Repair::Replace("100".into());
        fixture
            .diagnostics
            .push(zero.with_remedy("Change to 100", repair));
        assert_eq!(
            help(Counts::of(&[fixture.report()])).as_deref(),
            Some("`loopls check --fix` puts 1 of them right")
        );
    }
}
