//! `textDocument/references` and `textDocument/documentHighlight`

use crate::ide::{self, HighlightKind};
use crate::lsp::asked::Asked;
use crate::lsp::session::Session;
use crate::lsp::{convert, files};
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// Every place that names the thing at the position.
pub async fn references(
    session: &Arc<Session>,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>> {
    let at = params.text_document_position;
    let Some(asked) = Asked::about(session, &at.text_document.uri).await? else {
        return Ok(None);
    };
    let offset = asked.offset(at.position);
    let with_declaration = params.context.include_declaration;
    if let Some(found) = ide::loop_name_at(&asked.analysis, offset) {
        let places = move |asked: &Asked| of_loop(asked, &found.name, with_declaration);
        return Ok(Some(asked.beside(places).await?));
    }
    let spans = ide::references(&asked.analysis, offset, with_declaration).into_iter();
    let locations = spans.map(|span| Location::new(asked.uri.clone(), asked.range(span)));
    Ok(Some(locations.collect()))
}

/// Where the files of the project name the loop called `name`.
fn of_loop(asked: &Asked, name: &str, with_declaration: bool) -> Vec<Location> {
    let loops = asked.surroundings_searched().loops().unwrap_or_default();
    let files = files::naming_loop(asked, &loops, name).into_iter();
    let encoding = asked.session.abilities().encoding;
    let locations = files.flat_map(|file| {
        let found = ide::loop_mentions(&file.analysis, name);
        let declaration = found.declaration.filter(|_| with_declaration);
        let spans = declaration.into_iter().chain(found.mentions);
        spans
            .map(|span| {
                let range = convert::range_out(&file.analysis.rope, span, encoding);
                Location::new(file.uri.clone(), range)
            })
            .collect::<Vec<_>>()
    });
    locations.collect()
}

/// The places of the document that name the thing at the position.
pub async fn highlights(
    session: &Arc<Session>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let at = params.text_document_position_params;
    let Some(asked) = Asked::about(session, &at.text_document.uri).await? else {
        return Ok(None);
    };
    let found = ide::highlights(&asked.analysis, asked.offset(at.position)).into_iter();
    let highlights = found.map(|highlight| DocumentHighlight {
        range: asked.range(highlight.span),
        kind: Some(match highlight.kind {
            HighlightKind::Declaration => DocumentHighlightKind::WRITE,
            HighlightKind::Mention => DocumentHighlightKind::READ,
        }),
    });
    Ok(Some(highlights.collect()))
}
