//! The model's side of a loop: one trait, one file a client.

use crate::definition::{Effort, Milliseconds};
use crate::run::Usage;
use futures_util::{future::BoxFuture, stream::BoxStream};
use serde_json::Value;
use std::sync::Arc;

/// Something that replies. A provider's client, the scripted model and a replay are the same to the engine.
pub trait ModelClient: Send + Sync {
    /// Sends `request`; the reply comes in parts. Dropping the stream ends the request.
    ///
    /// # Errors
    ///
    /// The request was refused or did not arrive; parts can fail later too.
    fn reply(&self, request: ModelRequest) -> BoxFuture<'_, Result<ReplyStream, ModelError>>;
}

/// A reply, part by part.
pub type ReplyStream = BoxStream<'static, Result<ReplyPart, ModelError>>;

/// What is asked of a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The system prompt; empty for none.
    pub system: Arc<str>,
    /// What was said so far. Shared, so that a long history costs nothing a step.
    pub history: Arc<Vec<Arc<Message>>>,
    /// The tools there are.
    pub tools: Arc<Vec<ToolDefinition>>,
    /// How hard to think; `None` when the model decides.
    pub effort: Option<Effort>,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    pub input_schema: Value,
}

/// One message of the history.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// What a person said.
    User(String),
    /// What the model said.
    Assistant(Reply),
    /// The results of the calls before it, in call order: one message.
    Results(Vec<CallResult>),
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Call>,
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The model's own name for the call; not necessarily unique.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The input as the model wrote it; not necessarily JSON.
    pub input: String,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct CallResult {
    pub id: String,
    pub tool: String,
    pub text: String,
    pub is_error: bool,
}

/// One part of a reply while it arrives.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyPart {
    /// More text.
    Text(String),
    /// More of what the model thinks.
    Thinking(String),
    /// More of a call. A part belongs to the call of its `key`; a key not seen before begins a call. Clients make
    /// keys that never mix two calls, whatever ids and indexes the provider sent.
    Call {
        /// Names the call within this reply.
        key: u64,
        /// The model's id, once known.
        id: Option<String>,
        /// The tool, once known.
        tool: Option<String>,
        /// More of the input's text.
        input: String,
    },
    /// Tokens so far; the last one counts.
    Usage(Usage),
    /// Why the reply ended. A stream that ends without one was cut off.
    Stop(ReplyStop),
}

/// Why a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ReplyStop {
    EndTurn,
    ToolUse,
    MaxTokens,
    Refusal,
}

impl ReplyStop {
    /// The word in definitions and transcripts.
    pub fn as_str(self) -> &'static str {
        match self {
            ReplyStop::EndTurn => "end_turn",
            ReplyStop::ToolUse => "tool_use",
            ReplyStop::MaxTokens => "max_tokens",
            ReplyStop::Refusal => "refusal",
        }
    }
}

/// A request that failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What happened, without keys or bodies that may hold them.
    pub message: String,
    /// Whether sending it again may help.
    pub retryable: bool,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after: Option<Milliseconds>,
}

/// TEMPORARY
pub fn client_for(_: &crate::bind::Bound, _: &crate::bind::BoundMode) -> Result<Arc<dyn ModelClient>, String> { Err("no client".into()) }
