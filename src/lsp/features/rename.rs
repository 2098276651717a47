//! `textDocument/rename` and `textDocument/prepareRename`

use crate::ide::{self, Rename, RenameError, RenameWarning};
use crate::lsp::asked::Asked;
use crate::lsp::edits::{FileEdits, workspace_edit};
use crate::lsp::files::{self, File};
use crate::lsp::session::Session;
use crate::lsp::{convert, uri};
use std::sync::Arc;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::*;

/// LSP's `RequestFailed`: the request was in order, and there is a reason for people not to do it.
const REQUEST_FAILED: ErrorCode = ErrorCode::ServerError(-32803);

/// The name at the position, if it can be changed.
pub async fn prepare(
    session: &Arc<Session>,
    params: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>> {
    let Some(asked) = Asked::about(session, &params.text_document.uri).await? else {
        return Ok(None);
    };
    let offset = asked.offset(params.position);
    let (span, placeholder) = match ide::loop_name_at(&asked.analysis, offset) {
        Some(found) => (found.span, found.name),
        None => match ide::prepare_rename(&asked.analysis, offset) {
            Ok(found) => (found.span, found.name),
            Err(RenameError::NoName) => return Ok(None),
            Err(problem) => return Err(failed(&problem)),
        },
    };
    Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
        range: asked.range(span),
        placeholder,
    }))
}

/// Changes the name at the position, everywhere: that of a loop in all files of its project. What else changes by it is
/// told in a message.
pub async fn rename(session: &Arc<Session>, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
    let at = params.text_document_position;
    let Some(asked) = Asked::about(session, &at.text_document.uri).await? else {
        return Ok(None);
    };
    let offset = asked.offset(at.position);
    let new = params.new_name;
    let renamed = match ide::loop_name_at(&asked.analysis, offset) {
        Some(found) => {
            let renamed = move |asked: &Asked| loop_called(asked, &found.name, &new);
            asked.beside(renamed).await?
        }
        None => {
            ide::rename(&asked.analysis, offset, &new).map(|rename| vec![(asked.file(), rename)])
        }
    };
    let renamed = renamed.map_err(|problem| failed(&problem))?;
    let warnings: Vec<_> = renamed
        .iter()
        .flat_map(|(file, rename)| rename.warnings.iter().map(|it| warning(session, file, it)))
        .collect();
    if !warnings.is_empty() {
        session.outbox.notify::<ShowMessage>(ShowMessageParams {
            typ: MessageType::WARNING,
            message: warnings.join("\n"),
        });
    }
    let encoding = session.abilities().encoding;
    let files = renamed.into_iter().map(|(file, rename)| FileEdits {
        edits: rename
            .edits
            .iter()
            .map(|edit| convert::edit(&file.analysis.rope, edit, encoding))
            .collect(),
        uri: file.uri,
        version: file.version,
    });
    let files = files.filter(|file| !file.edits.is_empty()).collect();
    Ok(Some(workspace_edit(session, files)))
}

/// Renames a loop in every file of the project that names it.
fn loop_called(
    asked: &Asked,
    old: &str,
    new: &str,
) -> std::result::Result<Vec<(File, Rename)>, RenameError> {
    let loops = asked.surroundings_searched().loops().unwrap_or_default();
    ide::loop_can_be_called(&loops, old, new)?;
    let files = files::naming_loop(asked, &loops, old).into_iter();
    let renamed = files.map(|file| {
        let rename = ide::rename_loop(&file.analysis, old, new)?;
        Ok((file, rename))
    });
    renamed.collect()
}

fn warning(session: &Session, file: &File, warning: &RenameWarning) -> String {
    let encoding = session.abilities().encoding;
    let range = convert::range_out(&file.analysis.rope, warning.span, encoding);
    let name = uri::file_name(file.uri.as_str());
    format!("{name}:{}: {}", range.start.line + 1, warning.message)
}

fn failed(problem: &RenameError) -> Error {
    let mut error = Error::new(REQUEST_FAILED);
    error.message = problem.to_string().into();
    error
}
