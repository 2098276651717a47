//! From a definition on the command line to tools that can be called.

use super::source::Source;
use super::{Failure, Status};
use crate::bind::{BindError, Bindings, Bound, bind};
use crate::check::Accepted;
use crate::host::environment;
use crate::run::StopReason;
use std::path::PathBuf;
use uuid::Uuid;

/// Binds what was accepted of `source`.
///
/// # Errors
///
/// What could not be made.
pub async fn bind_source(source: &Source, accepted: &Accepted) -> Result<Bound, BindError> {
    let bindings = Bindings {
        session_id: Uuid::new_v4(),
        loop_id: Uuid::new_v4(),
        extra_tools: Vec::new(),
        folder: source.host.folder().to_owned(),
        guard: this_program()?,
        // Naming the file was the act of trust.
        untrusted_folders: Vec::new(),
        environment: environment(),
    };
    bind(accepted, bindings, &source.host).await
}

/// This executable, also after its file was replaced.
fn this_program() -> Result<PathBuf, BindError> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe().map_err(|error| BindError::Interrupted {
        problem: format!("where loopls itself is cannot be told: {error}"),
    })
}

/// Why a run was not started: what could not be made, with its place.
pub fn bind_failure(source: &Source, error: &BindError) -> Failure {
    let place = error
        .span()
        .map_or_else(|| source.name.clone(), |span| source.place(span));
    failed(format!("{place}: {error}"))
}

/// Why a run that was about to start did not.
pub fn failed(message: String) -> Failure {
    Failure::new(message).status(Status::Ended(StopReason::Failed))
}
