//! Our terms into the protocol's, and back.

use super::abilities::Abilities;
use super::{pages, uri};
use crate::check;
use crate::text::{self, Encoding, Span};
use ropey::Rope;
use tower_lsp::ls_types::*;

/// A position of the client.
pub fn position(position: Position) -> text::Position {
    text::Position {
        line: position.line,
        character: position.character,
    }
}

/// A range of the client.
pub fn range(range: Range) -> text::Range {
    text::Range {
        start: position(range.start),
        end: position(range.end),
    }
}

/// A range of the client as bytes; one that ends before it begins is empty.
pub fn span(rope: &Rope, client: Range, encoding: Encoding) -> Span {
    let client = range(client);
    let start = text::offset_at(rope, client.start, encoding);
    let end = text::offset_at(rope, client.end, encoding);
    Span::new(start, end.max(start))
}

/// Bytes as a range for the client.
pub fn range_out(rope: &Rope, span: Span, encoding: Encoding) -> Range {
    let range = text::range_of(rope, span, encoding);
    let out = |position: text::Position| Position::new(position.line, position.character);
    Range::new(out(range.start), out(range.end))
}

/// An edit for the client.
pub fn edit(rope: &Rope, edit: &text::Edit, encoding: Encoding) -> TextEdit {
    TextEdit::new(range_out(rope, edit.span, encoding), edit.text.clone())
}

/// A change of the client.
pub fn change(change: TextDocumentContentChangeEvent) -> text::Change {
    text::Change {
        range: change.range.map(range),
        text: change.text,
    }
}

/// A diagnostic for the client.
pub fn diagnostic(
    diagnostic: &check::Diagnostic,
    rope: &Rope,
    document: &Uri,
    abilities: &Abilities,
) -> Diagnostic {
    let related = abilities.related_information.then(|| {
        let related = diagnostic
            .related
            .iter()
            .map(|related| DiagnosticRelatedInformation {
                location: Location::new(
                    document.clone(),
                    range_out(rope, related.span, abilities.encoding),
                ),
                message: related.message.clone(),
            });
        related.collect::<Vec<_>>()
    });
    Diagnostic {
        range: range_out(rope, diagnostic.span, abilities.encoding),
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(diagnostic.code.as_str().into())),
        code_description: pages::address(diagnostic.code)
            .filter(|_| abilities.code_description)
            .map(|href| CodeDescription { href }),
        source: Some("loopls".into()),
        message: diagnostic.message.clone(),
        related_information: related.filter(|related| !related.is_empty()),
        ..Diagnostic::default()
    }
}

fn severity(severity: check::Severity) -> DiagnosticSeverity {
    match severity {
        check::Severity::Error => DiagnosticSeverity::ERROR,
        check::Severity::Warning => DiagnosticSeverity::WARNING,
        check::Severity::Information => DiagnosticSeverity::INFORMATION,
        check::Severity::Hint => DiagnosticSeverity::HINT,
    }
}

/// The key of a document of the client.
pub fn key(uri: &Uri) -> crate::workspace::DocumentKey {
    uri::key(uri.as_str())
}
