//! The embedded model: replies that stand in the definition.

use super::{ModelClient, ModelError, ModelRequest, ReplyPart, ReplyStop, ReplyStream};
use crate::definition::{self, Milliseconds, ScriptedCall};
use crate::run::Usage;
use crate::syntax::NodeKind;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Replies from a script, one a request. Everything else of its runs is real.
pub struct Scripted {
    replies: Vec<Reply>,
    /// How many requests there were.
    requests: AtomicUsize,
}

/// One reply, ready to be sent.
struct Reply {
    delay: Milliseconds,
    content: Result<Vec<ReplyPart>, String>,
}

impl Scripted {
    /// A model that says `script`.
    pub fn new(script: &[definition::Reply]) -> Self {
        let mut calls = 0;
        Self {
            replies: script
                .iter()
                .map(|reply| lower(reply, &mut calls))
                .collect(),
            requests: AtomicUsize::new(0),
        }
    }
}

impl ModelClient for Scripted {
    fn reply(&self, _request: ModelRequest) -> BoxFuture<'_, Result<ReplyStream, ModelError>> {
        let index = self.requests.fetch_add(1, Ordering::Relaxed);
        let Some(reply) = self.replies.get(index) else {
            let error = failure(match self.replies.len() {
                0 => {
                    "the model is `scripted` and has no script, so there is no reply to give".into()
                }
                1 => format!("the script has 1 reply, and this is request {}", index + 1),
                count => format!(
                    "the script has {count} replies, and this is request {}",
                    index + 1
                ),
            });
            return std::future::ready(Err(error)).boxed();
        };
        async move {
            if let Ok(delay @ 1..) = u64::try_from(reply.delay) {
                tokio::time::sleep(Duration::from_millis(delay)).await;
            }
            match &reply.content {
                Ok(parts) => Ok(stream::iter(parts.clone().into_iter().map(Ok)).boxed()),
                Err(message) => Err(failure(message.clone())),
            }
        }
        .boxed()
    }
}

fn failure(message: String) -> ModelError {
    ModelError {
        message,
        retryable: false,
        retry_after: None,
    }
}

fn lower(reply: &definition::Reply, calls: &mut u64) -> Reply {
    Reply {
        delay: reply.delay.get().copied().unwrap_or(0),
        content: match reply.error.get() {
            Some(error) => Err(error.to_string()),
            None => Ok(parts(reply, calls)),
        },
    }
}

fn parts(reply: &definition::Reply, calls: &mut u64) -> Vec<ReplyPart> {
    let mut parts = Vec::with_capacity(reply.calls.len() + 3);
    if let Some(text) = reply.text.get() {
        parts.push(ReplyPart::Text(text.to_string()));
    }
    for call in &reply.calls {
        *calls += 1;
        parts.push(ReplyPart::Call {
            key: *calls,
            id: Some(format!("call_{calls}")),
            tool: Some(call.tool.text().to_owned()),
            input: input(call),
        });
    }
    if let Some(&(input, output)) = reply.usage.get() {
        parts.push(ReplyPart::Usage(Usage {
            input: input.try_into().unwrap_or(0),
            output: output.try_into().unwrap_or(0),
            ..Usage::default()
        }));
    }
    let stop = reply
        .stop_reason
        .get()
        .and_then(|word| ReplyStop::from_word(word));
    parts.push(ReplyPart::Stop(stop.unwrap_or(
        match reply.calls.is_empty() {
            true => ReplyStop::EndTurn,
            false => ReplyStop::ToolUse,
        },
    )));
    parts
}

/// The input of a call as its tool gets it; `None` for what is no JSON.
pub(in crate::run) fn input_of(call: &ScriptedCall) -> Option<Value> {
    let text = input(call);
    match text.trim() {
        "" => Some(Value::Object(Default::default())),
        text => serde_json::from_str(text).ok(),
    }
}

/// A string goes out as it is, so that a script can hold input that is no JSON.
fn input(call: &ScriptedCall) -> String {
    match call.input.get() {
        None => String::new(),
        Some(node) => match &node.kind {
            NodeKind::String(text) => text.to_string(),
            _ => node.to_json().to_string(),
        },
    }
}
