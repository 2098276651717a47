//! What the run engine sees of a tool, whatever its source.

use super::{Bound, Subloop};
use crate::definition::{Effect, Milliseconds};
use crate::text::Span;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The hard bound of one result, in bytes, whatever a definition says.
pub const RESULT_BYTES: usize = 8 * 1024 * 1024;

/// What is known of a bound tool before it is called.
#[derive(Clone, Debug)]
pub struct ToolInfo {
    /// The model-facing name, trimmed.
    pub name: String,
    /// The name of its definition.
    pub definition: String,
    /// What the model reads.
    pub description: String,
    /// JSON Schema of the input; always an object schema.
    pub input_schema: Value,
    /// What a call does to the world.
    pub effect: Effect,
    /// Not beside another call of its batch.
    pub sequential: bool,
    /// A call's wall time in milliseconds; `None` is no limit.
    pub timeout: Option<Milliseconds>,
    /// The entry in the definition.
    pub span: Span,
}

/// A tool that can be called.
pub trait Tool: Send + Sync {
    /// What is known of it.
    fn info(&self) -> &ToolInfo;

    /// The loop that calls hand work to, of a tool that does.
    fn subloop(&self) -> Option<&Arc<Bound>> {
        None
    }

    /// Checks `input` against the schema and makes the call that it means, which [`PreparedCall::shown`] tells and
    /// [`PreparedCall::run`] does: nothing between the two can change what happens. Starts nothing.
    ///
    /// # Errors
    ///
    /// What is wrong with the input, for the model to mend.
    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem>;

    /// Whether [`prepare`](Self::prepare) may take so long for an input of `bytes`, as JSON, that others must not wait for
    /// it.
    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        let _ = bytes;
        false
    }
}

/// Input that a tool cannot be called with; the text says where and why, without the `error: ` in front.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputProblem(pub String);

/// A call that is ready, and frozen.
pub trait PreparedCall: Send {
    /// What will happen, for the person who is asked: the argument vector, or method and URL. Control characters
    /// are written out.
    fn shown(&self) -> String;

    /// Whether its result was given beforehand, by a test or a record: such a call does nothing, so nobody is asked
    /// about it.
    fn is_given(&self) -> bool {
        false
    }

    /// Does it. Ends soon after `context.cancel`, with every process it started.
    fn run(self: Box<Self>, context: CallContext) -> BoxFuture<'static, Outcome>;
}

/// What a running call is given.
#[derive(Clone)]
pub struct CallContext {
    /// Cancelled when the call is to end.
    pub cancel: CancellationToken,
    /// How long a process may take to end after it was told to, in milliseconds.
    pub drain: Milliseconds,
    /// Where output goes while it comes, for people.
    pub output: OutputSink,
    /// Runs loops below the call.
    pub subloops: Arc<dyn Subloop>,
}

/// Takes chunks of output while a call runs.
pub type OutputSink = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// Which of a process's streams a chunk came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What came of a call. A failure is an outcome too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The result as bytes, before secrets are replaced, invalid bytes repaired and the length bounded. At most the
    /// hard bound and a little: what a source drops beyond it is counted in `dropped`.
    pub bytes: Vec<u8>,
    /// Where in `bytes` the dropped bytes would stand.
    pub dropped_at: usize,
    /// How many bytes the source dropped to keep memory bounded.
    pub dropped: u64,
    /// Whether the call failed; the bytes then begin with `error: `.
    pub is_error: bool,
}

/// The last line of the outcome of a call that was cancelled; before it stands what output there was.
pub const CANCELLED: &str = "[cancelled]";

impl Outcome {
    /// A success with this text.
    pub fn text(text: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: text.into(),
            ..Self::default()
        }
    }

    /// A failure; `error: ` is put in front of `text`.
    pub fn error(text: impl std::fmt::Display) -> Self {
        Self {
            bytes: format!("error: {text}").into_bytes(),
            is_error: true,
            ..Self::default()
        }
    }
}
