//! `textDocument/documentSymbol` and `workspace/symbol`

use crate::ide::{self, SymbolKind as Kind};
use crate::lsp::asked::Asked;
use crate::lsp::files::{self, File};
use crate::lsp::session::Session;
use crate::lsp::{convert, uri};
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

/// The most symbols of a workspace that are listed; whoever looks among more types another letter.
const MOST_SYMBOLS: usize = 1_000;

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

/// Loops, tools, modes and tests by name, in every document that is open and every file of their projects.
pub async fn of_workspace(
    session: &Arc<Session>,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let session = session.clone();
    let found = tokio::task::spawn_blocking(move || {
        let mut found = Vec::new();
        for file in files::all(&session) {
            add(&session, &file, &params.query, &mut found);
            if found.len() >= MOST_SYMBOLS {
                found.truncate(MOST_SYMBOLS);
                break;
            }
        }
        found
    });
    let found = found.await.map_err(|_panic| Error::internal_error())?;
    Ok(Some(WorkspaceSymbolResponse::Flat(found)))
}

#[allow(deprecated)]
fn add(session: &Session, file: &File, query: &str, found: &mut Vec<SymbolInformation>) {
    let analysis = &file.analysis;
    let encoding = session.abilities().encoding;
    let symbols = ide::workspace_symbols(analysis, query).into_iter();
    found.extend(symbols.map(|symbol| SymbolInformation {
        name: symbol.name,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        location: Location::new(
            file.uri.clone(),
            convert::range_out(&analysis.rope, symbol.span, encoding),
        ),
        container_name: Some(match symbol.container.as_str() {
            "" => uri::file_name(file.uri.as_str()),
            container => container.to_owned(),
        }),
    }));
}

fn kind(kind: Kind) -> SymbolKind {
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
