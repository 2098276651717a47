//! Runs in flight: `loopls.run` from the command to its end.
//!
//! A run is a task of its own; nothing waits for it but a command that came with a work-done token. Whatever happens
//! to it, the last that is seen of it is `run_ended`.

mod flight;
mod markdown;
mod merge;
mod present;
mod progress;
mod questions;
mod refusal;
mod registry;
mod save;

pub use registry::{RunOf, Runs};
pub use save::save_as_test;

use super::commands;
use super::session::Session;
use crate::host::state;
use crate::run::TranscriptWriter;
use flight::{Flight, Plan};
use progress::Progress;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{NumberOrString, ProgressToken};
use uuid::Uuid;

/// The argument of `loopls.run`.
#[derive(Clone, Debug, Deserialize)]
pub struct RunRequest {
    uri: String,
    /// The mode; absent, the initial one.
    mode: Option<String>,
    /// The user message; absent, the definition's.
    prompt: Option<String>,
    /// A test of the definition to run instead.
    test: Option<String>,
    /// A transcript that takes the model's part.
    replay: Option<PathBuf>,
    /// The run on whose history this is the next turn.
    after: Option<String>,
    /// The run's id; absent, a new one.
    run: Option<String>,
}

/// Starts a run. Without a token it answers at once, with one when the run has ended.
///
/// # Errors
///
/// The request makes no sense. What goes wrong later is told as the run's end.
pub async fn run(
    session: &Arc<Session>,
    request: RunRequest,
    token: Option<ProgressToken>,
) -> Result<Option<Value>> {
    let snapshot = commands::open(session, &request.uri)?;
    let after = request
        .after
        .map(|after| match session.runs.history(&after) {
            Some(history) => Ok((after, history)),
            None => Err(Error::invalid_params(format!(
                "there is no run `{after}` to follow"
            ))),
        });
    let plan = match request.test {
        Some(test) => Plan::Test(test),
        None => Plan::Turn {
            mode: request.mode,
            prompt: request.prompt,
            after: after.transpose()?,
            replay: request.replay,
        },
    };
    let run = request.run.unwrap_or_else(|| Uuid::new_v4().to_string());
    let progress_token = token
        .clone()
        .unwrap_or_else(|| NumberOrString::String(format!("loopls/run/{run}")));
    let cancel = session
        .runs
        .begin(&run, progress_token.clone())
        .ok_or_else(|| Error::invalid_params(format!("a run `{run}` is in flight already")))?;
    // A run that cannot be written is run all the same.
    let folder = session.machine.state_folder.as_ref();
    let written = folder.and_then(|folder| state::create(&folder.join(state::RUNS), "jsonl").ok());
    let (path, transcript) = match written {
        Some((path, file)) => (
            Some(path),
            Some(TranscriptWriter::new(BufWriter::new(file))),
        ),
        None => (None, None),
    };
    if let Some(path) = &path {
        session.runs.written(&run, path);
    }
    let client_progress = token.map(|token| Arc::new(Progress::new(session.outbox.clone(), token)));
    let (ended, ending) = oneshot::channel();
    let flight = Flight {
        session: session.clone(),
        snapshot,
        run: run.clone(),
        plan,
        cancel: cancel.clone(),
        client_progress: client_progress.clone(),
        progress_token,
        transcript,
    };
    session.runs.spawn(async move {
        let ending = flight.fly().await;
        // Nobody may be waiting.
        let _ = ended.send(ending);
    });

    let Some(progress) = client_progress else {
        return Ok(Some(json!({ "run": run, "transcript": path })));
    };
    let mut abandon = Abandon {
        run: Some(cancel),
        progress,
    };
    let ending = ending.await.map_err(|_| Error::internal_error())?;
    abandon.run = None;
    let mut result = json!({ "run": run, "stop": ending.stop, "answer": ending.answer });
    if let Some(verdict) = &ending.verdict {
        result["passed"] = verdict.misses.is_empty().into();
        result["misses"] = present::misses(verdict);
    }
    Ok(Some(result))
}

/// Cancels a run when the client cancels the request that waits for it, whereby the library drops that request's
/// future. The token is no longer valid then, so its progress ends first.
struct Abandon {
    run: Option<CancellationToken>,
    progress: Arc<Progress>,
}

impl Drop for Abandon {
    fn drop(&mut self) {
        if let Some(run) = self.run.take() {
            self.progress.end("cancelled");
            run.cancel();
        }
    }
}
