//! `textDocument/inlayHint`

use crate::ide;
use crate::lsp::asked::Asked;
use crate::lsp::markup;
use crate::lsp::session::Session;
use crate::text::Span;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What modes come to, behind their headers.
pub async fn hints(
    session: &Arc<Session>,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    if !session.configuration.settings().hints {
        return Ok(Some(Vec::new()));
    }
    let hints = asked.whole(move |asked| {
        let span = asked.span(params.range);
        let hints = ide::inlay_hints(&asked.analysis, span).into_iter();
        let hints = hints.map(|hint| InlayHint {
            position: asked.range(Span::empty(hint.offset)).start,
            label: InlayHintLabel::String(hint.label),
            kind: None,
            text_edits: None,
            // Clients do not say whether they show Markdown here; those that show hovers in it do.
            tooltip: Some(InlayHintTooltip::MarkupContent(markup::content(
                hint.tooltip,
                asked.session.abilities().markdown_hover,
            ))),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
        hints.collect()
    });
    Ok(Some(hints.await?))
}
