//! `textDocument/hover`

use crate::ide;
use crate::lsp::asked::Asked;
use crate::lsp::markup;
use crate::lsp::session::Session;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What is told about the thing at the position.
pub async fn hover(session: &Arc<Session>, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    let Some(asked) = Asked::about(session, &at.text_document.uri).await? else {
        return Ok(None);
    };
    let offset = asked.offset(at.position);
    let hover = ide::hover(&asked.analysis, &*asked.surroundings(), offset);
    Ok(hover.map(|hover| {
        let takes_markdown = session.abilities().markdown_hover;
        Hover {
            contents: HoverContents::Markup(markup::content(hover.markdown, takes_markdown)),
            range: Some(asked.range(hover.span)),
        }
    }))
}
