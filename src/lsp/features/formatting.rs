//! `textDocument/formatting` and `textDocument/rangeFormatting`. The client's options are not asked for: there is one
//! layout, that of `loopls fmt`.

use crate::ide;
use crate::lsp::asked::Asked;
use crate::lsp::session::Session;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// The edits that lay the document out; none for one with syntax errors.
pub async fn document(
    session: &Arc<Session>,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let edits = asked.whole(|asked| out(asked, ide::format(&asked.analysis)));
    Ok(Some(edits.await?))
}

/// Those of the lines of a range.
pub async fn range(
    session: &Arc<Session>,
    params: DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let edits = asked.whole(move |asked| {
        let span = asked.span(params.range);
        out(asked, ide::format_range(&asked.analysis, span))
    });
    Ok(Some(edits.await?))
}

fn out(asked: &Asked, edits: Vec<crate::text::Edit>) -> Vec<TextEdit> {
    edits.iter().map(|edit| asked.edit(edit)).collect()
}
