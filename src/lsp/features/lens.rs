//! `textDocument/codeLens`

use crate::ide::{self, Act};
use crate::lsp::asked::Asked;
use crate::lsp::probes::counted;
use crate::lsp::runs::RunOf;
use crate::lsp::session::Session;
use crate::lsp::{commands, uri};
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What can be started, over the places where it is declared, each followed by how far its last run came.
pub async fn code_lens(
    session: &Arc<Session>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    if !session.configuration.settings().lenses {
        return Ok(Some(Vec::new()));
    }
    let uri = &asked.snapshot.uri;
    let key = uri::key(uri);
    let mut lenses = Vec::new();
    for mut lens in ide::lenses(&asked.analysis) {
        let range = asked.range(lens.span);
        let mut push = |command: Command| {
            lenses.push(CodeLens {
                range,
                command: Some(command),
                data: None,
            });
        };
        if let Act::Probe { tool } = &lens.act
            && let Some(offered) = asked.surroundings().probed(tool)
        {
            lens.title
                .push_str(&format!(" · {}", counted(offered.len(), "tool")));
        }
        push(commands::for_act(lens.title, uri, &lens.act));
        let of = match &lens.act {
            Act::Run { mode: None } => RunOf::Loop,
            Act::Run { mode: Some(mode) } => RunOf::Mode(mode.clone()),
            Act::RunTest { test } => RunOf::Test(test.clone()),
            Act::Bind | Act::Probe { .. } => continue,
        };
        // A lens has to do something: one that shows a run cancels it or, after its end, runs again.
        if let Some(last) = session.runs.last(&key, of) {
            push(match last.is_going {
                true => commands::cancel(format!("■ {}", last.words), &last.run),
                false => commands::for_act(last.words, uri, &lens.act),
            });
        }
    }
    Ok(Some(lenses))
}
