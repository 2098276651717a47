//! The model's side of a loop: one trait, one file a client.

mod http;
mod replay;
mod scripted;
pub mod wire;

pub use http::HttpModel;
pub use replay::{Replay, foreseen, replay};
pub use scripted::Scripted;
pub(super) use scripted::input_of;
use wire::{Parameters, wire_of};

use crate::bind::{Bound, BoundMode, KeyMissing};
use crate::definition::provider::{Address, provider};
use crate::definition::{self, Definition, Effort, Milliseconds, Model, resolve};
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
#[derive(Clone, Debug, Default)]
pub struct ModelRequest {
    /// The system prompt; empty for none.
    pub system: Arc<str>,
    /// What was said so far. Shared, so that a long history costs nothing a step.
    pub history: Arc<Vec<Arc<Message>>>,
    /// The tools there are.
    pub tools: Arc<Vec<ToolDefinition>>,
    /// How hard to think; `None` when the model decides.
    pub effort: Option<Effort>,
    /// What the reply may be.
    pub wanted: Wanted,
}

/// What a reply may be.
#[derive(Clone, Debug, Default)]
pub enum Wanted {
    /// Text, or calls.
    #[default]
    Any,
    /// Calls alone.
    Calls,
    /// Calls, or JSON of a form that the provider itself sees to.
    Json(Arc<AnswerForm>),
}

/// The form of a structured answer (`[output]`).
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct AnswerForm {
    pub name: String,
    pub description: String,
    /// Whether a provider that tells the two apart holds to the schema strictly; `None` where the definition does not say.
    pub strict: Option<bool>,
    pub schema: Value,
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
    /// The same in the provider's own words, where those say more.
    pub verbatim: Option<Verbatim>,
}

/// A reply as its provider wrote it, which goes back to it with the history: thinking that it signed, and signatures of
/// calls, without which some models refuse to go on or forget what they thought.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Verbatim {
    /// The protocol and the model that wrote it; no other is sent it.
    pub origin: String,
    /// What its protocol makes of it.
    pub content: Value,
}

/// A call that a model asks for.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The whole reply in the provider's own words; once, where those say more than the other parts.
    Verbatim(Verbatim),
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
    /// It goes on where what it said so far is sent back.
    Paused,
}

impl ReplyStop {
    /// The word in definitions and transcripts.
    pub fn as_str(self) -> &'static str {
        match self {
            ReplyStop::EndTurn => "end_turn",
            ReplyStop::ToolUse => "tool_use",
            ReplyStop::MaxTokens => "max_tokens",
            ReplyStop::Refusal => "refusal",
            ReplyStop::Paused => "paused",
        }
    }

    /// The stop that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        use ReplyStop::{EndTurn, MaxTokens, Refusal, ToolUse};
        [EndTurn, ToolUse, MaxTokens, Refusal]
            .into_iter()
            .find(|stop| stop.as_str() == word)
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

/// The provider of the embedded model.
pub const SCRIPTED: &str = "scripted";

/// Why there is no client for a mode's model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// Neither the mode nor the base names one.
    #[error("the definition names no model")]
    NoModel,
    /// There is no client of this provider.
    #[error("the provider `{0}` cannot be run by this build")]
    Provider(String),
    /// Its key is not there.
    #[error(transparent)]
    Key(#[from] KeyMissing),
    /// It cannot be set up.
    #[error(transparent)]
    Setup(#[from] ModelError),
}

/// The model of `mode` as `bound`'s definition has it: the mode's own, else the base's.
pub(super) fn model_of<'a>(bound: &'a Bound, mode: &BoundMode) -> Option<&'a Model> {
    let modes = resolve(bound.accepted.definition());
    let mode = modes
        .into_iter()
        .find(|resolved| resolved.name == mode.name)?;
    mode.model
}

/// What `model` of `definition` says, if it is scripted: its own script, else the base's, else nothing.
pub(super) fn script_of<'a>(
    definition: &'a Definition,
    model: &'a Model,
) -> Option<&'a [definition::Reply]> {
    let own = model.script.get();
    let base = || definition.model.get().and_then(|base| base.script.get());
    let script = own.or_else(base).map_or(&[][..], Vec::as_slice);
    (model.provider.text() == SCRIPTED).then_some(script)
}

/// The client of `mode`'s model. A scripted one says its own script from the beginning, else the base's.
///
/// # Errors
///
/// There is no such client.
pub fn client_for(bound: &Bound, mode: &BoundMode) -> Result<Arc<dyn ModelClient>, ClientError> {
    let model = model_of(bound, mode).ok_or(ClientError::NoModel)?;
    match model.provider.text() {
        SCRIPTED => {
            let script = script_of(bound.accepted.definition(), model);
            Ok(Arc::new(Scripted::new(script.unwrap_or_default())))
        }
        name => {
            let row = provider(name).ok_or_else(|| ClientError::Provider(name.to_owned()))?;
            let address = match (model.base_url.text(), &row.address) {
                ("", Address::Own(fact)) => fact.value,
                (given, _) => given,
            };
            Ok(Arc::new(HttpModel::new(
                wire_of(row, Parameters::of(model)),
                address,
                bound.keys.of_model(model)?,
            )?))
        }
    }
}
