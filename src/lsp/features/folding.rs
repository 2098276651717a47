//! `textDocument/foldingRange` and `textDocument/selectionRange`

use crate::ide::{self, FoldKind};
use crate::lsp::asked::Asked;
use crate::lsp::session::Session;
use std::sync::Arc;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::*;

/// What can be closed up to its first line.
pub async fn folds(
    session: &Arc<Session>,
    params: FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let folds = asked.whole(|asked| {
        let folds = ide::folds(&asked.analysis).into_iter().map(|fold| {
            let range = asked.range(fold.span);
            // Without characters a fold goes from the end of its first line to the end of its last.
            FoldingRange {
                start_line: range.start.line,
                end_line: range.end.line,
                kind: match fold.kind {
                    FoldKind::Table | FoldKind::Value => Some(FoldingRangeKind::Region),
                    FoldKind::Comment => Some(FoldingRangeKind::Comment),
                },
                ..FoldingRange::default()
            }
        });
        folds.collect()
    });
    Ok(Some(folds.await?))
}

/// What can be selected around each position, from the smallest on.
pub async fn selections(
    session: &Arc<Session>,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let selections = params.positions.into_iter().map(|position| {
        let around = ide::selections(&asked.analysis, asked.offset(position));
        let widest_first = around.into_iter().rev();
        let chain = widest_first.fold(None, |parent: Option<SelectionRange>, span| {
            Some(SelectionRange {
                range: asked.range(span),
                parent: parent.map(Box::new),
            })
        });
        // Every position needs an answer, also in an empty text.
        chain.unwrap_or_else(|| SelectionRange {
            range: Range::new(position, position),
            parent: None,
        })
    });
    Ok(Some(selections.collect()))
}
