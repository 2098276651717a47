//! From a definition on the command line to tools that can be called.

use super::output::WARNING;
use super::printable::printable;
use super::source::Source;
use super::{Failure, Status};
use crate::bind::{BindError, Bindings, Bound, Foreseen, bind_foreseen};
use crate::check::Accepted;
use crate::host::this_program;
use crate::run::StopReason;
use uuid::Uuid;

/// Binds what was accepted of `source`; for `foreseen`, where the calls are known before.
///
/// # Errors
///
/// What could not be made.
pub async fn bind_source(
    source: &Source,
    accepted: &Accepted,
    foreseen: Option<Foreseen>,
) -> Result<Bound, BindError> {
    let guard = this_program().map_err(|error| BindError::Interrupted {
        problem: format!("where loopls itself is cannot be told: {error}"),
    })?;
    let bindings = Bindings {
        session_id: Uuid::new_v4(),
        loop_id: Uuid::new_v4(),
        extra_tools: Vec::new(),
        folder: source.host.folder().to_owned(),
        guard,
        // Naming the file was the act of trust.
        untrusted_folders: Vec::new(),
        environment: source.host.environment().to_vec(),
    };
    bind_foreseen(accepted, bindings, &source.host, foreseen).await
}

/// Why a run was not started: what could not be made, with its place.
pub fn bind_failure(source: &Source, error: &BindError) -> Failure {
    let place = error
        .span()
        .map_or_else(|| source.name.clone(), |span| source.place(span));
    failed(format!("{place}: {error}"))
}

/// What was left out of `bound`, a line each.
pub fn notices(source: &Source, bound: &Bound) -> Vec<String> {
    let notices = bound.notices.iter();
    let lines = notices.map(|notice| {
        let message = format!("{}: {}", source.place(notice.span), notice.message);
        format!("{WARNING}warning{WARNING:#}: {}", printable(&message))
    });
    lines.collect()
}

/// Why a run that was about to start did not.
pub fn failed(message: String) -> Failure {
    Failure::new(message).status(Status::Ended(StopReason::Failed))
}
