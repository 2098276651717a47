//! Changes of files, in the form that the client takes, and applied by it.

use super::session::Session;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::*;

/// How long a client may take to apply an edit.
const PATIENCE: Duration = Duration::from_secs(30);

/// The edits of one file.
pub struct FileEdits {
    /// The file.
    pub uri: Uri,
    /// The version that they are for, of a document that is open.
    pub version: Option<i32>,
    /// The edits, all against that version.
    pub edits: Vec<TextEdit>,
}

/// The edit of those files: with versions where the client takes them.
pub fn workspace_edit(session: &Session, files: Vec<FileEdits>) -> WorkspaceEdit {
    if session.abilities().document_changes {
        let files = files.into_iter().map(|file| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: file.uri,
                version: file.version,
            },
            edits: file.edits.into_iter().map(OneOf::Left).collect(),
        });
        WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(files.collect())),
            ..WorkspaceEdit::default()
        }
    } else {
        let files = files.into_iter().map(|file| (file.uri, file.edits));
        WorkspaceEdit {
            changes: Some(files.collect()),
            ..WorkspaceEdit::default()
        }
    }
}

/// The argument of `loopls.apply`, by which a client that knows commands alone applies a fix.
#[derive(Debug, Deserialize)]
pub struct Apply {
    /// What the edit does, for people.
    pub label: String,
    /// The edit.
    pub edit: WorkspaceEdit,
}

/// Lets the client apply an edit.
///
/// # Errors
///
/// The client cannot, or did not: then with its reason.
pub async fn apply(session: &Arc<Session>, label: String, edit: WorkspaceEdit) -> Result<()> {
    let params = ApplyWorkspaceEditParams {
        label: Some(label),
        edit,
    };
    let refused = |reason: String| {
        let mut error = Error::invalid_request();
        error.message = format!("the edit was not applied: {reason}").into();
        error
    };
    if !session.abilities().apply_edit {
        return Err(refused("this editor takes no edits".into()));
    }
    let applied = session
        .client
        .send_request::<request::ApplyWorkspaceEdit>(params);
    match tokio::time::timeout(PATIENCE, applied).await {
        Err(_) => Err(refused("the editor does not answer".into())),
        Ok(Err(error)) => Err(error),
        Ok(Ok(answer)) if answer.applied => Ok(()),
        Ok(Ok(answer)) => Err(refused(
            answer.failure_reason.unwrap_or("no reason given".into()),
        )),
    }
}
