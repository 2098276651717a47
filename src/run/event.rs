//! What happens in a run, in the words of the transcript.

use crate::bind::Stream;
use crate::definition::Milliseconds;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the transcript format, in the first record.
pub const RECORD_VERSION: u32 = 1;

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Counts from 0 without a gap, within one run.
    pub seq: u64,
    /// Seconds since the start of the run.
    pub t: f64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What can happen in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Event {
    /// The first event.
    RunStarted {
        version: u32,
        run: String,
        uri: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        test: Option<String>,
        /// The run on whose history this one follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<String>,
        r#loop: String,
        session_id: String,
        loop_id: String,
        /// Empty for the base.
        mode: String,
        model: ModelName,
        limits: RunLimits,
        /// Model-facing names.
        tools: Vec<String>,
        prompt: String,
    },
    /// A model request goes out; steps count from 1.
    StepStarted { step: u64 },
    /// A piece of the reply's text.
    TextDelta { text: String },
    /// A piece of what the model thinks.
    ThinkingDelta { text: String },
    /// A call was taken up. Every call has one of these, all of a batch before the first `ToolCompleted`.
    ToolStarted {
        /// Counts from 1 within the run, in call order; this, not the model's id, names a call.
        call: u64,
        tool: String,
        /// The input as JSON, or the raw text where it is none.
        input: Value,
    },
    /// A person is asked.
    AccessAsked {
        call: u64,
        tool: String,
        effect: String,
        shown: String,
    },
    /// It was decided whether a call may run.
    AccessDecided {
        call: u64,
        decision: AccessDecision,
        by: DecidedBy,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<String>,
    },
    /// A chunk of a call's output, for people.
    ToolOutput {
        call: u64,
        stream: Stream,
        text: String,
    },
    /// A call is over.
    ToolCompleted {
        call: u64,
        tool: String,
        is_error: bool,
        /// What the model gets.
        result: String,
        /// Bytes of the result before it was cut.
        bytes: u64,
        /// Bytes that were cut.
        omitted: u64,
        ms: u64,
    },
    /// A reply and all its calls are over.
    StepCompleted {
        step: u64,
        usage: Usage,
        stop_reason: String,
        /// The reply verbatim: `{ "text", "calls": [ { "id", "tool", "input" } ] }`, and `verbatim` where the provider's own
        /// words go back to it.
        reply: Value,
    },
    /// A request is sent again, or a call is made again.
    Retry {
        /// The call, of a call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<u64>,
        after_ms: u64,
        reason: String,
    },
    /// Chunks were lost because the reader was slow.
    Dropped { chunks: u64 },
    /// The last event, always.
    RunEnded {
        stop: StopReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<LimitReached>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
        /// As executed.
        iterations: u64,
        /// As executed.
        calls: u64,
        usage: Usage,
        ms: u64,
    },
}

impl Event {
    /// Whether it is a piece of text or output, which may be merged with the next one, or lost, without
    /// changing what happened.
    pub fn is_chunk(&self) -> bool {
        matches!(
            self,
            Self::TextDelta { .. } | Self::ThinkingDelta { .. } | Self::ToolOutput { .. }
        )
    }
}

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model answered: the only success.
    Answer,
    /// A limit was reached.
    Limit,
    /// Somebody cancelled.
    Cancelled,
    /// The model refused.
    Refusal,
    /// The reply was cut.
    MaxTokens,
    /// Something failed; the reason says what.
    Failed,
}

impl StopReason {
    /// The word in transcripts and tests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::Refusal => "refusal",
            Self::MaxTokens => "max_tokens",
            Self::Failed => "failed",
        }
    }

    /// The exit status of a run that ended so. Only an answer is a success.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Answer => 0,
            Self::Limit => 3,
            Self::Refusal | Self::MaxTokens => 4,
            Self::Failed => 5,
            Self::Cancelled => 130,
        }
    }
}

/// Provider and name of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ModelName {
    pub provider: String,
    pub name: String,
}

/// The limits of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RunLimits {
    pub iterations: u64,
    pub calls: u64,
    pub parallel: u64,
    /// 0: only the hard bound.
    pub result_bytes: u64,
    /// 0: no cap.
    pub tokens: u64,
    /// Milliseconds; none without a cap.
    pub time: Option<Milliseconds>,
}

/// Which limit ended a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReached {
    /// Its key: `iterations`, `calls`, `tokens` or `time`.
    pub name: String,
    /// What was reached; milliseconds for `time`.
    pub reached: u64,
    /// What is allowed.
    pub max: u64,
    /// The zero-based line that set it; absent for a default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Tokens, as the provider counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Input and output tokens: what the limit `tokens` counts.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        let add = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
        };
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = add(self.cached, other.cached);
        self.reasoning = add(self.reasoning, other.reasoning);
    }
}

/// Whether a call may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum AccessDecision {
    Allow,
    Deny,
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The tool's effect.
    Effect,
    /// A pattern of `[access]`.
    Rule,
    /// A person, or that nobody could be asked.
    Person,
    /// A flag of the command line.
    Flag,
}
