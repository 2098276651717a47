//! `textDocument/codeLens`

use super::session::{Session, analysed};
use super::{commands, convert};
use crate::ide;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What can be started, over the places where it is declared.
pub async fn code_lens(session: &Session, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let Some(snapshot) = session.snapshot(&params.text_document.uri) else {
        return Ok(None);
    };
    let analysis = analysed(&snapshot).await?;
    let encoding = session.abilities().encoding;
    let lenses = ide::lenses(&analysis).into_iter().map(|lens| CodeLens {
        range: convert::range_out(&analysis.rope, lens.span, encoding),
        command: Some(commands::for_act(lens.title, &snapshot.uri, &lens.act)),
        data: None,
    });
    Ok(Some(lenses.collect()))
}
