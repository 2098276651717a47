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

/// The tables that lost lines, each from its header to the last line that it lost. Such a string is a syntax error, so
/// only the statements with one are looked at.
fn swallowed(analysis: &Analysis) -> Vec<Span> {
    let statements = &analysis.tree.statements;
    let start = |statement: &Statement| match statement {
        Statement::Header(header) => header.span.start,
        Statement::KeyValue(pair) => pair.span.start,
    };
    let errors = analysis.syntax_errors.iter();
    let mut at: Vec<usize> = errors
        .map(|error| statements.partition_point(|it| start(it) <= error.span.start))
        .collect();
    at.dedup();
    let tables = at.into_iter().filter_map(|after| {
        let (last, before) = statements[..after].split_last()?;
        let pair = match last {
            Statement::KeyValue(pair) if swallows(&analysis.text, &pair.value) => pair,
            _ => return None,
        };
        let header = before.iter().rfind(|it| matches!(it, Statement::Header(_)));
        Some(Span::new(header.map_or(0, start), pair.span.end))
    });
    tables.collect()
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
