//! `textDocument/documentSymbol`

use crate::ide::{self, SymbolKind as Kind};
use crate::lsp::asked::Asked;
use crate::lsp::session::Session;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// The outline of the document.
pub async fn of_document(
    session: &Arc<Session>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let is_nested = session.abilities().hierarchical_symbols;
    let response = asked.whole(move |asked| {
        let symbols = ide::symbols(&asked.analysis);
        if is_nested {
            let nested = symbols.into_iter().map(|symbol| nested(asked, symbol));
            return DocumentSymbolResponse::Nested(nested.collect());
        }
        let mut flat = Vec::new();
        flatten(asked, symbols, None, &mut flat);
        DocumentSymbolResponse::Flat(flat)
    });
    Ok(Some(response.await?))
}

#[allow(deprecated)]
fn nested(asked: &Asked, symbol: ide::Symbol) -> DocumentSymbol {
    let children = symbol
        .children
        .into_iter()
        .map(|child| nested(asked, child));
    let children: Vec<_> = children.collect();
    DocumentSymbol {
        name: symbol.name,
        detail: Some(symbol.detail).filter(|detail| !detail.is_empty()),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: asked.range(symbol.range),
        selection_range: asked.range(symbol.selection),
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

#[allow(deprecated)]
fn flatten(
    asked: &Asked,
    symbols: Vec<ide::Symbol>,
    container: Option<&str>,
    flat: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        flat.push(SymbolInformation {
            name: symbol.name.clone(),
            kind: kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: Location::new(asked.uri.clone(), asked.range(symbol.range)),
            container_name: container.map(str::to_owned),
        });
        flatten(asked, symbol.children, Some(&symbol.name), flat);
    }
}

/// The protocol's kind of a symbol.
pub fn kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Loop => SymbolKind::MODULE,
        Kind::Model | Kind::Limits | Kind::Access | Kind::Output => SymbolKind::OBJECT,
        Kind::Tool => SymbolKind::FUNCTION,
        Kind::Property => SymbolKind::FIELD,
        Kind::Middleware => SymbolKind::INTERFACE,
        Kind::Mode => SymbolKind::CLASS,
        Kind::Test => SymbolKind::EVENT,
    }
}
