//! `textDocument/definition`

use crate::ide::{self, Destination, Jump};
use crate::lsp::asked::Asked;
use crate::lsp::session::Session;
use crate::lsp::{convert, files};
use std::path::Path;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// Where the thing at the position is defined, in this file or in another.
pub async fn definition(
    session: &Arc<Session>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>> {
    let at = params.text_document_position_params;
    let Some(asked) = Asked::about(session, &at.text_document.uri).await? else {
        return Ok(None);
    };
    let offset = asked.offset(at.position);
    let surroundings = asked.surroundings_known().await?;
    let Some(jump) = ide::definition(&asked.analysis, &*surroundings, offset) else {
        return Ok(None);
    };
    let is_loop = ide::loop_name_at(&asked.analysis, offset);
    // Other files are looked into.
    let links = asked
        .beside(move |asked| links(asked, jump, is_loop.map(|found| found.name)))
        .await?;
    if session.abilities().definition_links {
        return Ok(Some(GotoDefinitionResponse::Link(links)));
    }
    let locations = links
        .into_iter()
        .map(|link| Location::new(link.target_uri, link.target_selection_range));
    Ok(Some(GotoDefinitionResponse::Array(locations.collect())))
}

fn links(asked: &Asked, jump: Jump, loop_name: Option<String>) -> Vec<LocationLink> {
    let origin = asked.range(jump.origin);
    let links = jump.destinations.into_iter().filter_map(|destination| {
        let (target_uri, target_range, target_selection_range) = match destination {
            Destination::Here { whole, name } => {
                (asked.uri.clone(), asked.range(whole), asked.range(name))
            }
            Destination::File(path) => {
                let name = loop_name.as_deref().unwrap_or_default();
                let range = name_in(asked, &path, name).unwrap_or_default();
                (files::uri_of(&asked.session, &path)?, range, range)
            }
        };
        Some(LocationLink {
            origin_selection_range: Some(origin),
            target_uri,
            target_range,
            target_selection_range,
        })
    });
    links.collect()
}

/// Where the definition at `path` says that its name is `name`.
fn name_in(asked: &Asked, path: &Path, name: &str) -> Option<Range> {
    let file = files::at(&asked.session, path)?;
    let span = ide::loop_mentions(&file.analysis, name).declaration?;
    let encoding = asked.session.abilities().encoding;
    Some(convert::range_out(&file.analysis.rope, span, encoding))
}
