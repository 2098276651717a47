//! What each kind of `[[middlewares]]` needs, and what it can do nothing with.

use super::no_regular_expression;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{FileProblem, Middleware, Surroundings};
use crate::text::Span;
use std::path::Path;

/// The most attempts of `retry`: beyond them it is the waiting that a tool's timeout ends.
const MOST_ATTEMPTS: i64 = 10;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    for middleware in &analysis.definition.middlewares {
        let kind = middleware.kind.text();
        if !matches!(kind, "log" | "retry" | "redact") {
            continue;
        }
        needed(kind, middleware, found);
        strangers(kind, middleware, found);
        values(middleware, found);
    }
}

/// A log is kept under the project's root (`docs/security.md`, 3).
pub fn check_surroundings(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    found: &mut Vec<Diagnostic>,
) {
    for middleware in &analysis.definition.middlewares {
        let Some(file) = middleware.file.spanned() else {
            continue;
        };
        let shown = file.value.escape_debug();
        let (code, message) = match surroundings.place_of(Path::new(&file.value)) {
            Ok(_) | Err(FileProblem::NoPlace) => continue,
            Err(problem @ FileProblem::Outside) => {
                (Code::PathOutside, format!("`{shown}`: {problem}"))
            }
            Err(FileProblem::Missing) => (
                Code::MissingFile,
                format!("`{shown}`: the folder of the log is not there"),
            ),
            Err(problem @ FileProblem::Unreadable(_)) => {
                (Code::MissingFile, format!("`{shown}`: {problem}"))
            }
        };
        found.push(Diagnostic::new(code, file.span, message));
    }
}

fn needed(kind: &str, middleware: &Middleware, found: &mut Vec<Diagnostic>) {
    let missing = match kind {
        "log" if middleware.file.is_missing() => "`log` writes to a `file`; name one",
        "redact" if middleware.patterns.is_missing() => {
            "`redact` needs `patterns`, which say what is replaced"
        }
        _ => return,
    };
    let place = middleware.kind.span().unwrap_or(middleware.span);
    found.push(Diagnostic::new(Code::MissingKey, place, missing));
}

/// Keys of another kind.
fn strangers(kind: &str, middleware: &Middleware, found: &mut Vec<Diagnostic>) {
    let keys: [(&str, &str, Option<Span>); 4] = [
        ("file", "log", middleware.file.span()),
        ("attempts", "retry", middleware.attempts.span()),
        ("backoff", "retry", middleware.backoff.span()),
        ("patterns", "redact", middleware.patterns.span()),
    ];
    for (key, owner, span) in keys {
        if let Some(span) = span.filter(|_| owner != kind) {
            let message = format!("`{key}` is for `{owner}`, and this is a `{kind}`; remove it");
            found.push(Diagnostic::new(Code::InvalidValue, span, message));
        }
    }
}

fn values(middleware: &Middleware, found: &mut Vec<Diagnostic>) {
    if let Some(file) = middleware.file.spanned()
        && (!file.value.ends_with(".jsonl") || file.value.trim_end_matches(".jsonl").is_empty())
    {
        let message = "the name of a log ends in `.jsonl`";
        found.push(Diagnostic::new(Code::InvalidValue, file.span, message));
    }
    if let Some(attempts) = middleware.attempts.spanned()
        && !(1..=MOST_ATTEMPTS).contains(&attempts.value)
    {
        let message = format!(
            "`attempts` is {}; a call is tried 1 to {MOST_ATTEMPTS} times in all",
            attempts.value
        );
        found.push(Diagnostic::new(Code::InvalidValue, attempts.span, message));
    }
    if let Some(backoff) = middleware.backoff.spanned().filter(|it| it.value < 0) {
        let message = "a wait is not negative";
        found.push(Diagnostic::new(Code::InvalidValue, backoff.span, message));
    }
    for pattern in middleware.patterns.items() {
        if let Err(error) = regex::bytes::Regex::new(&pattern.value) {
            let message = no_regular_expression(&error);
            found.push(Diagnostic::new(Code::InvalidValue, pattern.span, message));
        }
    }
}
