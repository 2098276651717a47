//! Diagnostics on their way to the client.
//!
//! One worker a document takes the newest version, analyses it beside the message loop, publishes what it found, and
//! looks for a newer one: somebody who types fast still sees diagnostics, and the last ones are of the last version.
//! A document's diagnostics are published and cleared while the documents are locked, so that nothing follows a clear.
//! A client that pulls asks for the same instead, and is never pushed to.

use super::session::{Session, detached};
use super::{convert, uri};
use crate::check::Analysis;
use crate::definition::KnownLoop;
use crate::workspace::{DocumentKey, Snapshot};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;
use tokio::sync::Notify;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::notification::PublishDiagnostics;
use tower_lsp::ls_types::*;

/// The workers of open documents.
#[derive(Debug, Default)]
pub struct Workers(HashMap<DocumentKey, Arc<Notify>>);

impl Workers {
    /// Lets the worker of `key` look at its document again.
    pub fn wake(&self, key: &DocumentKey) {
        if let Some(worker) = self.0.get(key) {
            worker.notify_one();
        }
    }

    fn wake_all_but(&self, but: Option<&DocumentKey>) {
        let others = self.0.iter().filter(|(key, _)| Some(*key) != but);
        others.for_each(|(_, worker)| worker.notify_one());
    }
}

/// A document was opened: it gets a worker, unless it is not ours or the client pulls.
pub fn opened(session: &Arc<Session>, key: &DocumentKey) {
    let mut documents = session.documents();
    // One that was opened twice: the worker of before sees that its document is gone, and ends.
    documents.workers.wake(key);
    let Some(first) = documents.workspace.snapshot(key) else {
        documents.workers.0.remove(key);
        return;
    };
    if session.abilities().pulls_diagnostics {
        return;
    }
    let wake = Arc::new(Notify::new());
    documents.workers.0.insert(key.clone(), wake.clone());
    tokio::spawn(work(session.clone(), key.clone(), first, wake));
}

/// A document is closed: its worker ends and its diagnostics are cleared.
pub fn closed(session: &Session, key: &DocumentKey) {
    let mut documents = session.documents();
    let Some(last) = documents.workspace.close(key) else {
        return;
    };
    if let Some(worker) = documents.workers.0.remove(key) {
        worker.notify_one();
        publish(session, &last.uri, Vec::new(), None);
    }
}

/// Something that definitions name may have changed: all documents are looked at again.
pub fn look_again(session: &Arc<Session>) {
    look_again_but(session, None);
}

fn look_again_but(session: &Arc<Session>, but: Option<&DocumentKey>) {
    if session.abilities().pulls_diagnostics {
        let session = session.clone();
        detached(async move { session.client.workspace_diagnostic_refresh().await });
    } else {
        session.documents().workers.wake_all_but(but);
    }
}

async fn work(session: Arc<Session>, key: DocumentKey, first: Snapshot, wake: Arc<Notify>) {
    let mut next = Some(first.clone());
    while let Some(snapshot) = next.filter(|snapshot| snapshot.is_of_same_open(&first)) {
        if let Ok(diagnostics) = find(&session, &snapshot).await {
            let documents = session.documents();
            let current = documents.workspace.snapshot(&key);
            if current.is_some_and(|current| current.is_of_same_open(&first)) {
                publish(&session, &snapshot.uri, diagnostics, Some(snapshot.version));
            }
        }
        snapshot.tidy();
        wake.notified().await;
        next = session.snapshot_of(&key);
    }
}

/// `textDocument/diagnostic`
pub async fn pull(
    session: &Arc<Session>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    let items = match session.snapshot(&params.text_document.uri) {
        Some(snapshot) => find(session, &snapshot).await?,
        None => Vec::new(),
    };
    let result_id = result_id(&items);
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items,
            },
        })
    };
    Ok(DocumentDiagnosticReportResult::Report(report))
}

/// Equal for equal diagnostics: surroundings change them without a new version.
fn result_id(items: &[Diagnostic]) -> String {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(items)
        .unwrap_or_default()
        .hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The diagnostics of `snapshot`, found beside the message loop. What it is to other documents they learn here.
async fn find(session: &Arc<Session>, snapshot: &Snapshot) -> Result<Vec<Diagnostic>> {
    let session = session.clone();
    let snapshot = snapshot.clone();
    let found = tokio::task::spawn_blocking(move || {
        let uri = Uri::from_str(&snapshot.uri).map_err(|_| Error::internal_error())?;
        let analysis = snapshot.analysis();
        show_others(&session, &snapshot, analysis);
        let surroundings = session.surroundings_searched(&snapshot.uri);
        let found = session.diagnostics(&snapshot.uri, analysis, &*surroundings);
        Ok(found
            .iter()
            .map(|found| convert::diagnostic(found, &analysis.rope, &uri, session.abilities()))
            .collect())
    });
    found.await.map_err(|_panic| Error::internal_error())?
}

/// Lets the other documents of the project see what the newest version of this one is to them.
fn show_others(session: &Arc<Session>, snapshot: &Snapshot, analysis: &Analysis) {
    let Some(path) = uri::path(&snapshot.uri) else {
        return;
    };
    let known = KnownLoop::of(&analysis.definition, &path);
    let key = uri::key(&snapshot.uri);
    // While the documents are locked none is closed, so that nothing is seen of one that is.
    let is_news = {
        let documents = session.documents();
        let current = documents.workspace.snapshot(&key);
        current.is_some_and(|current| current.is_same_text(snapshot)) && session.projects.see(known)
    };
    if is_news {
        look_again_but(session, Some(&key));
    }
}

fn publish(session: &Session, uri: &str, diagnostics: Vec<Diagnostic>, version: Option<i32>) {
    if let Ok(uri) = Uri::from_str(uri) {
        session
            .outbox
            .notify::<PublishDiagnostics>(PublishDiagnosticsParams::new(uri, diagnostics, version));
    }
}
