//! `textDocument/documentLink`

use crate::definition::beside;
use crate::ide::{self, LinkTarget};
use crate::lsp::asked::Asked;
use crate::lsp::session::Session;
use crate::lsp::{files, uri};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// Files and web addresses that can be opened.
pub async fn links(
    session: &Arc<Session>,
    params: DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let links = asked.whole(|asked| {
        let place = uri::path(&asked.snapshot.uri);
        let folder = place.as_deref().and_then(Path::parent);
        let surroundings = asked.surroundings();
        let links = ide::links(&asked.analysis).into_iter();
        let links = links.filter_map(|link| {
            let target = match link.target {
                LinkTarget::Url(url) => Uri::from_str(&url).ok()?,
                // A file that is not there, or outside the project, is nothing to open.
                LinkTarget::Path(path) => {
                    surroundings.file(Path::new(&path)).ok()?;
                    files::uri_of(&asked.session, &beside(folder?, Path::new(&path)))?
                }
            };
            Some(DocumentLink {
                range: asked.range(link.span),
                target: Some(target),
                tooltip: None,
                data: None,
            })
        });
        links.collect()
    });
    Ok(Some(links.await?))
}
