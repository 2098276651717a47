//! Documents as the client opens, changes, saves and closes them. Nothing here waits for anything.

use super::refresh::Wake;
use super::session::Session;
use super::{convert, project_settings, publish, refresh, uri};
use crate::workspace::is_loop_definition;
use std::sync::Arc;
use tower_lsp::ls_types::*;

/// `textDocument/didOpen`
pub fn did_open(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let document = params.text_document;
    let uri = document.uri.as_str();
    let ours = is_loop_definition(&uri::file_name(uri), &document.language_id);
    let key = convert::key(&document.uri);
    session
        .documents()
        .workspace
        .open(key.clone(), uri, ours, document.version, &document.text);
    tracing::debug!(uri, version = document.version, ours, "opened");
    session.forget_places();
    see_settings(session, &document.uri);
    publish::opened(session, &key);
    refresh::look(session, Wake::IfChanged);
}

/// `textDocument/didChange`; a document that is not open has no text that could change.
pub fn did_change(session: &Arc<Session>, params: DidChangeTextDocumentParams) {
    let key = convert::key(&params.text_document.uri);
    let changes: Vec<_> = params
        .content_changes
        .into_iter()
        .map(convert::change)
        .collect();
    let encoding = session.abilities().encoding;
    let version = params.text_document.version;
    // What it was before is let go here, for the worker makes its analysis out of the one that nobody else has.
    let is_open = session
        .documents()
        .workspace
        .change(&key, &changes, encoding, version)
        .is_some();
    if is_open {
        publish::changed(session, &key);
        see_settings(session, &params.text_document.uri);
    }
}

/// `textDocument/didSave`: what a definition names may have been written meanwhile, so that all are looked at again.
pub fn did_save(session: &Arc<Session>) {
    refresh::look(session, Wake::Always);
}

/// `textDocument/didClose`
pub fn did_close(session: &Arc<Session>, params: DidCloseTextDocumentParams) {
    let uri = &params.text_document.uri;
    let key = convert::key(uri);
    tracing::debug!(uri = uri.as_str(), "closed");
    publish::closed(session, &key);
    see_settings(session, uri);
    let path = uri::path(uri.as_str());
    let is_news = path.is_some_and(|path| session.projects.close(&path));
    session.runs.forget(&key);
    refresh::look(
        session,
        if is_news {
            Wake::Always
        } else {
            Wake::IfChanged
        },
    );
}

/// If the document is the settings of a project, they count as they are open now.
fn see_settings(session: &Arc<Session>, uri: &Uri) {
    if let Some(root) = project_settings::root(uri.as_str()) {
        let text = session
            .documents()
            .workspace
            .text(&convert::key(uri))
            .cloned();
        project_settings::see(session, root, text);
    }
}
