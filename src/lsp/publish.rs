//! Diagnostics on their way to the client.
//!
//! One worker a document takes the newest version, analyses it beside the message loop, publishes what it found, and goes
//! on while there is a newer one: somebody who types fast still sees diagnostics, and the last ones are of the last version.
//! A document's diagnostics are published and cleared while the documents are locked, so that nothing follows a clear.
//! A client that pulls asks for the same instead, and is never pushed to.

use super::session::{Session, detached};
use super::{convert, project_settings, uri};
use crate::check::Analysis;
use crate::definition::KnownLoop;
use crate::workspace::{DocumentKey, Snapshot};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::notification::PublishDiagnostics;
use tower_lsp::ls_types::*;

/// The workers of open documents that are pushed.
#[derive(Debug, Default)]
pub struct Workers(HashMap<DocumentKey, Arc<Worker>>);

/// How long the thread of a worker waits for the next key: one that stays finds its memory where it left it.
const LINGER: Duration = Duration::from_secs(10);

/// Looks at one document, from its open to its close; has a thread only while there is something to look at, and a while
/// longer.
#[derive(Debug)]
struct Worker {
    key: DocumentKey,
    state: Mutex<State>,
    behind: Condvar,
}

#[derive(Debug, Default)]
struct State {
    has_thread: bool,
    /// Whether there is something to look at that was not there when the last look began.
    is_behind: bool,
    is_closed: bool,
}

impl Workers {
    fn wake_all_but(&self, session: &Arc<Session>, but: Option<&DocumentKey>) {
        let others = self.0.iter().filter(|(key, _)| Some(*key) != but);
        others.for_each(|(_, worker)| worker.wake(session));
    }
}

impl Worker {
    fn wake(self: &Arc<Self>, session: &Arc<Session>) {
        let mut state = self.state();
        state.is_behind = true;
        self.behind.notify_one();
        if !std::mem::replace(&mut state.has_thread, true) {
            let (session, worker) = (session.clone(), self.clone());
            let runtime = Handle::current();
            // Not one of the runtime's, which does not end before they do.
            let thread = std::thread::Builder::new().spawn(move || {
                let _runtime = runtime.enter();
                worker.work(&session);
            });
            if let Err(error) = thread {
                tracing::error!("no thread to look at a document: {error}");
                state.has_thread = false;
            }
        }
    }

    fn work(&self, session: &Arc<Session>) {
        while self.is_behind() {
            // Whatever becomes of one look, the next is not to be lost; what went wrong was logged.
            let _ = catch_unwind(AssertUnwindSafe(|| self.look(session)));
        }
    }

    /// Waits until there is something to look at; if nothing comes, the thread ends.
    fn is_behind(&self) -> bool {
        let nothing = |state: &mut State| !state.is_behind && !state.is_closed;
        let waited = self
            .behind
            .wait_timeout_while(self.state(), LINGER, nothing);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.has_thread = std::mem::take(&mut state.is_behind);
        state.has_thread
    }

    fn look(&self, session: &Arc<Session>) {
        let Some(snapshot) = session.snapshot_of(&self.key) else {
            return;
        };
        if let Ok(diagnostics) = find(session, &snapshot) {
            let documents = session.documents();
            let current = documents.workspace.snapshot(&self.key);
            if current.is_some_and(|current| current.is_of_same_open(&snapshot)) {
                publish(session, &snapshot.uri, diagnostics, Some(snapshot.version));
            }
        }
        snapshot.tidy();
    }

    fn close(&self) {
        self.state().is_closed = true;
        self.behind.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A document was opened: it gets a worker, unless it is not ours or the client pulls.
pub fn opened(session: &Arc<Session>, key: &DocumentKey) {
    let mut documents = session.documents();
    let is_ours = documents.workspace.snapshot(key).is_some();
    if !is_ours || session.abilities().pulls_diagnostics {
        if let Some(worker) = documents.workers.0.remove(key) {
            worker.close();
        }
        return;
    }
    let worker = documents.workers.0.entry(key.clone()).or_insert_with(|| {
        Arc::new(Worker {
            key: key.clone(),
            state: Mutex::default(),
            behind: Condvar::new(),
        })
    });
    worker.wake(session);
}

/// A document was changed.
pub fn changed(session: &Arc<Session>, key: &DocumentKey) {
    if let Some(worker) = session.documents().workers.0.get(key) {
        worker.wake(session);
    }
}

/// A document is closed: its worker ends and its diagnostics are cleared.
pub fn closed(session: &Session, key: &DocumentKey) {
    let mut documents = session.documents();
    let Some(last) = documents.workspace.close(key) else {
        return;
    };
    if let Some(worker) = documents.workers.0.remove(key) {
        worker.close();
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
        session.documents().workers.wake_all_but(session, but);
    }
}

/// `textDocument/diagnostic`
pub async fn pull(
    session: &Arc<Session>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    let items = match session.snapshot(&params.text_document.uri) {
        Some(snapshot) => {
            let session = session.clone();
            let asked = snapshot.clone();
            let found = tokio::task::spawn_blocking(move || find(&session, &asked));
            let found = found.await.map_err(|_panic| Error::internal_error())?;
            tokio::task::spawn_blocking(move || snapshot.tidy());
            found?
        }
        None => project_settings::pull(session, &params.text_document.uri),
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

/// The diagnostics of `snapshot`, beside the message loop: takes as long as its analysis and the disk. What it is to
/// other documents they learn here.
fn find(session: &Arc<Session>, snapshot: &Snapshot) -> Result<Vec<Diagnostic>> {
    let uri = Uri::from_str(&snapshot.uri).map_err(|_| Error::internal_error())?;
    let analysis = snapshot.analysis();
    show_others(session, snapshot, analysis);
    let surroundings = session.surroundings_searched(&snapshot.uri);
    let found = session.diagnostics(&snapshot.uri, analysis, &*surroundings);
    if let Some(path) = uri::path(&snapshot.uri) {
        project_settings::show(session, session.place(&path).root());
    }
    let abilities = session.abilities();
    Ok(found
        .iter()
        .map(|found| convert::diagnostic(found, &analysis.rope, &uri, abilities))
        .collect())
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
    tracing::debug!(
        uri,
        version,
        count = diagnostics.len(),
        "diagnostics published"
    );
    if let Ok(uri) = Uri::from_str(uri) {
        session
            .outbox
            .notify::<PublishDiagnostics>(PublishDiagnosticsParams::new(uri, diagnostics, version));
    }
}
