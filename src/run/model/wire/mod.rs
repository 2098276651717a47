//! What providers are sent and what they send back, as data: no connection is made here.
//!
//! One file a protocol. [`Wire::request`] makes the body of a request; a [`Decoder`] reads the reply event by event
//! and never mixes, drops or doubles a call, whatever ids and indexes the provider sent.

mod anthropic;
mod chat_completions;
mod gemini;
mod responses;
mod sse;

use anthropic::Anthropic;
use chat_completions::ChatCompletions;
use gemini::Gemini;
use responses::Responses;
pub use sse::{SseEvent, SseReader};

use super::{CallResult, Message, ModelError, ModelRequest, Reply, ReplyPart};
use crate::definition::Model;
use crate::definition::provider::Provider;
use serde_json::{Map, Value};

/// A provider's protocol for one model.
pub trait Wire: Send + Sync {
    /// The path behind the address, and the body. Keys are none of it.
    fn request(&self, request: &ModelRequest) -> (String, Value);

    /// The name and value of the header that carries `key`.
    fn authorization(&self, key: &str) -> (&'static str, String);

    /// Headers beside that one.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether requests go without `parameter` from now on, which the model refused, so that it is worth asking again.
    fn goes_without(&self, _parameter: &str) -> bool {
        false
    }

    /// What to say where a server does not know the path.
    fn where_not_served(&self) -> &'static str {
        ""
    }

    /// Reads one reply.
    fn decoder(&self) -> Box<dyn Decoder>;
}

/// The protocol of `provider` for the model of `parameters`.
pub fn wire_of(provider: &'static Provider, parameters: Parameters) -> Box<dyn Wire> {
    match provider.name {
        "anthropic" => Box::new(Anthropic::new(provider, parameters)),
        "gemini" => Box::new(Gemini::new(provider, parameters)),
        // The Responses API has no stop sequences; chat completions have.
        "openai" if parameters.stop.is_empty() => Box::new(Responses::new(provider, parameters)),
        _ => Box::new(ChatCompletions::new(provider, parameters)),
    }
}

/// Reads one reply.
pub trait Decoder: Send {
    /// The parts that `event` holds.
    ///
    /// # Errors
    ///
    /// The provider reports an error, or the event is not of the protocol.
    fn event(&mut self, event: &SseEvent) -> Result<Vec<ReplyPart>, ModelError>;

    /// The parts that are due at the end of the stream. A reply that was not whole has no stop among them.
    fn end(&mut self) -> Vec<ReplyPart>;
}

/// What of a definition's model goes into a request.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Parameters {
    pub model: String,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: Option<i64>,
    pub stop: Vec<String>,
}

impl Parameters {
    /// Those of `model`.
    pub fn of(model: &Model) -> Self {
        Self {
            model: model.name.text().to_owned(),
            temperature: model.temperature.get().copied(),
            top_p: model.top_p.get().copied(),
            max_tokens: model.max_tokens.get().copied(),
            stop: model
                .stop
                .items()
                .map(|stop| stop.value.to_string())
                .collect(),
        }
    }
}

impl Parameters {
    /// Who wrote a reply over `wire`.
    fn origin(&self, wire: &str) -> String {
        format!("{wire}/{}", self.model)
    }
}

/// What `reply` is in the words of `origin`, if it is known in those.
fn verbatim<'a>(reply: &'a Reply, origin: &str) -> Option<&'a Value> {
    let verbatim = reply.verbatim.as_ref();
    let own = verbatim.filter(|verbatim| verbatim.origin == origin);
    own.map(|verbatim| &verbatim.content)
}

/// The data of `event` as JSON.
fn json_of(event: &SseEvent) -> Result<Value, ModelError> {
    serde_json::from_str(&event.data)
        .map_err(|_| malformed("the provider sent an event that is no JSON"))
}

fn malformed(message: &str) -> ModelError {
    ModelError {
        message: message.into(),
        retryable: false,
        retry_after: None,
    }
}

/// The error that `error` reports: a string, or an object with a `message`.
fn reported(error: &Value, retryable: bool) -> ModelError {
    let message = error
        .as_str()
        .or_else(|| error["message"].as_str())
        .unwrap_or("no reason given");
    ModelError {
        message: format!("the provider reports an error: {message}"),
        retryable,
        retry_after: None,
    }
}

/// A call's input as a JSON object; what is none, which a provider would refuse in the history, is empty.
fn input_object(input: &str) -> Value {
    match serde_json::from_str(input) {
        Ok(Value::Object(object)) => Value::Object(object),
        _ => Value::Object(Map::new()),
    }
}

/// Ids for the calls of a history, by position: those of the model where they are usable, else made here. A provider
/// refuses a history in which two calls share an id, or in which one has none.
fn usable_ids(history: &[std::sync::Arc<Message>]) -> Vec<Vec<String>> {
    let mut seen = std::collections::HashSet::new();
    let mut made = 0;
    let mut of_message = Vec::with_capacity(history.len());
    let mut last: Vec<String> = Vec::new();
    for message in history {
        if let Message::Assistant(reply) = &**message {
            last = reply
                .calls
                .iter()
                .map(|call| {
                    if is_usable(&call.id) && seen.insert(call.id.clone()) {
                        return call.id.clone();
                    }
                    loop {
                        made += 1;
                        let id = format!("call_{made}");
                        if seen.insert(id.clone()) {
                            return id;
                        }
                    }
                })
                .collect();
        }
        of_message.push(match &**message {
            Message::User(_) => Vec::new(),
            // Results answer the calls of the reply before them, in order.
            Message::Assistant(_) | Message::Results(_) => last.clone(),
        });
    }
    of_message
}

/// Whether every provider takes `id`.
fn is_usable(id: &str) -> bool {
    let of_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !id.is_empty() && id.len() <= 64 && id.chars().all(of_id)
}

/// Each result with the id of its call.
fn results_with_ids<'a>(
    results: &'a [CallResult],
    ids: &'a [String],
) -> impl Iterator<Item = (&'a str, &'a CallResult)> {
    results.iter().enumerate().map(|(index, result)| {
        let id = ids.get(index).map_or(result.id.as_str(), String::as_str);
        (id, result)
    })
}

#[cfg(test)]
mod tests;
