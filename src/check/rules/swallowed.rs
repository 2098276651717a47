//! What is held back where a string without its end swallowed lines: that something is missing, for it may stand there.

use crate::check::{Analysis, Code, Diagnostic};
use crate::syntax::{Statement, Value, ValueKind};
use crate::text::Span;

/// The codes that say, among other things, that something is missing.
const ABSENCES: &[Code] = &[
    Code::MissingName,
    Code::InvalidModel,
    Code::InvalidTool,
    Code::InvalidMode,
    Code::MissingInitialMode,
    Code::InvalidOutputSchema,
    Code::MissingKey,
    Code::MissingSource,
    Code::MissingDescription,
];

/// Takes from `found` what may be wrong only because the end of a string is not written yet.
pub fn hold_back(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    if analysis.syntax_errors.is_empty() {
        return;
    }
    for table in swallowed(analysis) {
        found.retain(|diagnostic| {
            !ABSENCES.contains(&diagnostic.code) || !table.touches(diagnostic.span.start)
        });
    }
}

/// The tables that lost lines, each from its header to the last line that it lost.
fn swallowed(analysis: &Analysis) -> Vec<Span> {
    let mut tables = Vec::new();
    let mut start = 0;
    for statement in &analysis.tree.statements {
        match statement {
            Statement::Header(header) => start = header.span.start,
            Statement::KeyValue(pair) if swallows(&analysis.text, &pair.value) => {
                tables.push(Span::new(start, pair.span.end));
            }
            Statement::KeyValue(_) => {}
        }
    }
    tables
}

/// Whether `value` is a string that goes on over the end of its line without ending, or holds one.
fn swallows(text: &str, value: &Value) -> bool {
    match &value.kind {
        ValueKind::Bad => text
            .get(value.span.start..value.span.end)
            .is_some_and(|text| text.contains(['\n', '\r'])),
        ValueKind::Array(array) => array.items.iter().any(|item| swallows(text, item)),
        ValueKind::InlineTable(table) => {
            let mut entries = table.entries.iter();
            entries.any(|entry| swallows(text, &entry.value))
        }
        _ => false,
    }
}
