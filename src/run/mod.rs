//! Run: one turn of a bound loop, as events.
//!
//! The engine knows no protocol and no terminal. Whoever starts a run gets its [`Event`]s, numbered and timed as
//! [`Record`]s, and draws from them; the transcript is the same records as JSON Lines.

pub mod access;
mod answer;
mod around;
mod batch;
mod budget;
mod chunks;
mod event;
mod expectation;
mod frame;
mod given;
pub mod model;
mod pauses;
mod recorded;
mod reply;
mod result;
mod saved;
mod subloop;
mod testing;
mod transcript;
mod turn;
mod view;

pub use event::{
    AccessDecision, DecidedBy, Event, LimitReached, ModelName, RECORD_VERSION, Record, RunLimits,
    StopReason, Usage,
};
pub use expectation::Miss;
pub use recorded::{RecordedRun, TranscriptError};
pub use testing::{TestContext, TestError, TestOutcome, foreseen, is_live, run_test};
pub use transcript::TranscriptWriter;
pub use turn::{Turn, TurnContext, TurnRequest, run_turn};
pub use view::{RunStatus, RunView};
