//! `textDocument/hover`

use super::convert;
use super::session::{Session, analysed};
use crate::ide;
use crate::text::offset_at;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What is told about the thing at the position.
pub async fn hover(session: &Session, params: HoverParams) -> Result<Option<Hover>> {
    let at = params.text_document_position_params;
    let Some(snapshot) = session.snapshot(&at.text_document.uri) else {
        return Ok(None);
    };
    let analysis = analysed(&snapshot).await?;
    let abilities = session.abilities();
    let offset = offset_at(
        &analysis.rope,
        convert::position(at.position),
        abilities.encoding,
    );
    let surroundings = session.surroundings(&snapshot.uri);
    let hover = ide::hover(&analysis, &*surroundings, offset);
    Ok(hover.map(|hover| Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: if abilities.markdown_hover {
                MarkupKind::Markdown
            } else {
                MarkupKind::PlainText
            },
            value: hover.markdown,
        }),
        range: Some(convert::range_out(
            &analysis.rope,
            hover.span,
            abilities.encoding,
        )),
    }))
}
