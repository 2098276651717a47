//! `loopls.probe`: what the server of a tool offers, kept for completion. Nothing but that command asks a server.

use super::bindings::{bindings_for, describe, refused, show, tell_notices, unbound};
use super::foreign::one_line;
use super::session::{Session, analysed, detached};
use super::{trust, uri};
use crate::bind::probe as ask;
use crate::check::{Analysis, Severity};
use crate::workspace::Snapshot;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::MessageType;

/// How long the list of names in a message may be, in characters.
const NAMES: usize = 400;

/// What servers offered when they were last asked, by the path of the definition and the name of the entry.
#[derive(Debug, Default)]
pub struct Probes(Mutex<HashMap<(PathBuf, String), Names>>);

/// Names as the model would see them.
type Names = Arc<Vec<String>>;

impl Probes {
    /// What the server of the entry `tool` of the definition at `path` offered; `None` if it was never asked.
    pub fn of(&self, path: &Path, tool: &str) -> Option<Names> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&(path.to_owned(), tool.to_owned())).cloned()
    }

    fn keep(&self, path: PathBuf, tool: &str, names: Vec<String>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert((path, tool.to_owned()), Arc::new(names));
    }
}

/// Asks the server of the entry `tool` of `snapshot` what it offers, and tells a person. The rest of the definition may
/// be half typed: whoever writes `access` wants to know what there is.
///
/// # Errors
///
/// There is no such server, something is wrong with its entry, it is not trusted, or it cannot be asked.
pub async fn probe(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    tool: &str,
) -> Result<Option<Value>> {
    let (analysis, index) = entry(session, snapshot, tool).await?;
    let definition = &analysis.definition;
    if !trust::allows_part(session, &snapshot.uri, definition).await {
        return Err(refused(trust::NOT_TRUSTED.into()));
    }
    let offer = ask(definition, index, &bindings_for(session, snapshot)).await;
    let offer = offer.map_err(|error| refused(unbound(snapshot, &analysis, &error)))?;
    let names: Vec<String> = offer.tools.iter().map(|tool| tool.name.clone()).collect();
    let mut text = format!(
        "{} offers {}",
        one_line(tool, 80),
        counted(names.len(), "tool")
    );
    if !names.is_empty() {
        text = format!("{text}: {}", one_line(&names.join(", "), NAMES));
    }
    show(&session.outbox, MessageType::INFO, text);
    tell_notices(session, snapshot, &analysis, &offer.notices);
    if let Some(path) = uri::path(&snapshot.uri) {
        session.probes.keep(path, tool, names);
        if session.abilities().code_lens_refresh {
            let session = session.clone();
            detached(async move { session.client.code_lens_refresh().await });
        }
    }
    Ok(Some(offer.told(tool, &analysis)))
}

/// The entry called `tool`, by its number.
///
/// # Errors
///
/// There is none, or something is wrong with it.
async fn entry(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    tool: &str,
) -> Result<(Arc<Analysis>, usize)> {
    let analysis = analysed(snapshot).await?;
    let mut entries = analysis.definition.tools.iter();
    let index = entries.position(|entry| entry.name.text() == tool);
    let index = index.ok_or_else(|| {
        Error::invalid_params(format!("there is no tool `{}`", one_line(tool, 80)))
    })?;
    let (session, snapshot, of_text) = (session.clone(), snapshot.clone(), analysis.clone());
    let first_error = tokio::task::spawn_blocking(move || {
        let surroundings = session.surroundings_searched(&snapshot.uri);
        let extent = of_text.definition.tools[index].extent;
        let found = of_text.diagnostics_in(&*surroundings);
        let mut errors = found.iter().filter(|each| each.severity == Severity::Error);
        let error = errors.find(|error| extent.touches(error.span.start));
        error.map(|error| describe(&snapshot, &of_text, error))
    });
    match first_error.await {
        Err(_panic) => Err(Error::internal_error()),
        Ok(Some(error)) => Err(refused(error)),
        Ok(None) => Ok((analysis, index)),
    }
}

/// `1 tool`, `2 tools`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
