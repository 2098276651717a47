//! One turn: ask the model, run what it calls, until it answers or something ends it.

use super::access::Approver;
use super::model::{Message, ModelClient};
use super::{Event, Record};
use crate::bind::Bound;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a turn is asked to do.
pub struct TurnRequest {
    /// Names the run in every event.
    pub run: String,
    /// Where the definition is, for the transcript.
    pub uri: String,
    /// The mode; `None` is the definition's initial one.
    pub mode: Option<String>,
    /// The user message.
    pub prompt: String,
    /// What was said before, for a next turn; counters start afresh.
    pub history: Vec<Arc<Message>>,
    /// Whether `write` calls that would be asked about run without asking.
    pub yes: bool,
    /// Tools whose calls that would be asked about run without asking, by exact name, also irreversible ones.
    pub allow: Vec<String>,
}

/// What a turn is given to do it with.
pub struct TurnContext {
    /// The model's side.
    pub model: Arc<dyn ModelClient>,
    /// Gets every record, in order, as it happens; must not block.
    pub events: Arc<dyn Fn(&Record) + Send + Sync>,
    /// Who is asked about calls.
    pub approver: Arc<dyn Approver>,
    /// Ends the turn when cancelled.
    pub cancel: CancellationToken,
}

/// What is left of a turn.
#[derive(Debug)]
pub struct Turn {
    /// The last event, a `RunEnded`.
    pub ended: Event,
    /// What was said, this turn included; every call in it has a result.
    pub history: Vec<Arc<Message>>,
}

/// Runs one turn. It always ends in [`Event::RunEnded`], whatever fails, within the drain timeout of a cancel.
pub async fn run_turn(bound: &Bound, request: TurnRequest, context: TurnContext) -> Turn {
    let _ = (bound, request, context);
    unreachable!("filled in with the engine")
}
