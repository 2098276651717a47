//! A bound loop: everything that a run needs, made from an accepted definition.

use super::Tool;
use crate::check::Accepted;
use crate::definition::{Effort, Milliseconds, ResolvedLimits, Surroundings};
use crate::text::Span;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// What the host gives to a bind.
pub struct Bindings {
    /// Names the session; not zero.
    pub session_id: Uuid,
    /// Names the loop within the session; not zero.
    pub loop_id: Uuid,
    /// Tools of the host's own, appended to those of the base and of every mode.
    pub extra_tools: Vec<Arc<dyn Tool>>,
    /// The folder of the definition, absolute; where relative paths and tools without `cwd` start.
    pub folder: PathBuf,
    /// The `loopls` executable, started as the guard of each process.
    pub guard: PathBuf,
    /// Folders from which no bare program name is taken (the workspace's), absolute.
    pub untrusted_folders: Vec<PathBuf>,
    /// The environment that `${NAME}` reads and that the allowlist is taken from.
    pub environment: Vec<(String, String)>,
}

/// A bound loop. Nothing is shared between two binds.
pub struct Bound {
    /// The definition it was made from.
    pub accepted: Accepted,
    /// From the bindings.
    pub session_id: Uuid,
    /// From the bindings.
    pub loop_id: Uuid,
    /// The base first, then the modes in declared order.
    pub modes: Vec<BoundMode>,
}

/// What one mode is bound to.
pub struct BoundMode {
    /// Its name; empty for the base.
    pub name: String,
    /// Its limits with their origins.
    pub limits: ResolvedLimits,
    /// Its tools in order, delegates and extra tools last.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The whole system prompt; empty for none.
    pub system: String,
    /// Its effort; `None` when the model decides.
    pub effort: Option<Effort>,
}

/// Why a definition could not be bound. No process is left behind.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum BindError {
    /// Harness's `invalid_session_id`.
    #[error("the session id is zero")]
    InvalidSessionId,
    /// Harness's `invalid_loop_id`.
    #[error("the loop id is zero")]
    InvalidLoopId,
    /// Harness's `invalid_tool_info`.
    #[error("tool `{tool}`: {problem}")]
    InvalidToolInfo {
        tool: String,
        problem: String,
        span: Option<Span>,
    },
    /// Harness's `duplicate_tool_name`, between the definition's tools and extra ones.
    #[error("two tools are named `{name}`")]
    DuplicateToolName { name: String, span: Option<Span> },
    /// A factory failed.
    #[error("tool `{tool}`: {problem}")]
    Factory {
        tool: String,
        problem: String,
        span: Span,
    },
    /// A file that the definition names could not be read.
    #[error("{problem}")]
    File { problem: String, span: Span },
}

impl BindError {
    /// The place in the definition, if there is one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::InvalidSessionId | Self::InvalidLoopId => None,
            Self::InvalidToolInfo { span, .. } | Self::DuplicateToolName { span, .. } => *span,
            Self::Factory { span, .. } | Self::File { span, .. } => Some(*span),
        }
    }
}

/// Makes the tools of the base and of every mode. A definition is built once by name, however many modes use it,
/// and its instances are shared among them.
///
/// # Errors
///
/// The first thing that could not be made, in harness's order.
pub async fn bind(
    accepted: &Accepted,
    bindings: Bindings,
    surroundings: &dyn Surroundings,
) -> Result<Bound, BindError> {
    let _ = (accepted, bindings, surroundings);
    Err(BindError::InvalidSessionId)
}

impl Bound {
    /// The mode called `name`.
    pub fn mode(&self, name: &str) -> Option<&BoundMode> {
        self.modes.iter().find(|mode| mode.name == name)
    }

    /// The mode in which a run starts when nobody says another: `initial_mode`, else the base.
    pub fn initial_mode(&self) -> &BoundMode {
        let name = self.accepted.definition().initial_mode.text();
        self.mode(name).unwrap_or(&self.modes[0])
    }

    /// How long a cancelled run may take to wind down, in milliseconds.
    pub fn drain_timeout(&self) -> Milliseconds {
        self.accepted
            .definition()
            .drain_timeout
            .get()
            .copied()
            .unwrap_or(5_000)
    }
}
