//! What somebody looks for by name over many files, one file at a time.

use super::symbols::{Symbol, SymbolKind, symbols};
use crate::check::Analysis;
use crate::text::Span;

/// A loop, tool, mode or test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Where its name stands.
    pub span: Span,
    /// The loop that it belongs to; empty for a loop.
    pub container: String,
}

/// The symbols of one file.
pub fn workspace_symbols(analysis: &Analysis) -> Vec<WorkspaceSymbol> {
    let mut found = Vec::new();
    for whole in symbols(analysis) {
        let container = whole.name.clone();
        let of_loop = whole
            .children
            .iter()
            .map(|child| (child, container.as_str()));
        for (symbol, container) in std::iter::once((&whole, "")).chain(of_loop) {
            if is_looked_for(symbol) {
                found.push(WorkspaceSymbol {
                    name: symbol.name.clone(),
                    kind: symbol.kind,
                    span: symbol.selection,
                    container: container.to_owned(),
                });
            }
        }
    }
    found
}

/// Whether `name` has the letters of `query` in this order, whatever their case; every name has those of an empty query.
pub fn is_meant(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    let mut wanted = query.chars().flat_map(char::to_lowercase);
    wanted.all(|wanted| letters.any(|letter| letter == wanted))
}

/// Whether it has a name of its own.
fn is_looked_for(symbol: &Symbol) -> bool {
    matches!(
        symbol.kind,
        SymbolKind::Loop | SymbolKind::Tool | SymbolKind::Mode | SymbolKind::Test
    )
}
