//! `textDocument/codeLens`

use super::session::{Session, analysed};
use super::{commands, convert, uri};
use crate::ide::{self, Act};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What can be started, over the places where it is declared, each followed by how far its last run came.
pub async fn code_lens(session: &Session, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let Some(snapshot) = session.snapshot(&params.text_document.uri) else {
        return Ok(None);
    };
    let analysis = analysed(&snapshot).await?;
    let encoding = session.abilities().encoding;
    let key = uri::key(&snapshot.uri);
    let mut lenses = Vec::new();
    for lens in ide::lenses(&analysis) {
        let range = convert::range_out(&analysis.rope, lens.span, encoding);
        let mut push = |command: Command| {
            lenses.push(CodeLens {
                range,
                command: Some(command),
                data: None,
            });
        };
        push(commands::for_act(lens.title, &snapshot.uri, &lens.act));
        let Act::Run { mode } = &lens.act else {
            continue;
        };
        // A lens has to do something: one that shows a run cancels it or, after its end, runs again.
        if let Some(last) = session.runs.last(&key, mode.as_deref()) {
            push(match last.is_going {
                true => commands::cancel(format!("■ {}", last.words), &last.run),
                false => commands::for_act(last.words, &snapshot.uri, &lens.act),
            });
        }
    }
    Ok(Some(lenses))
}
