//! One reply of a model: sent for, sent for again where that may help, and put together from its parts.

use super::model::{
    Call, Message, ModelClient, ModelError, ModelRequest, Reply, ReplyPart, ReplyStop,
};
use super::transcript::Recorder;
use super::{Event, Usage};
use crate::bind::{Hiding, Secrets};
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The most bytes of one reply, thinking included (`docs/security.md`, 20).
const MAX_REPLY_BYTES: usize = 16 << 20;
/// What a call adds to those bytes beside its text, so that empty calls are bounded too.
const CALL_OVERHEAD: usize = 64;
/// How often a request is sent in all.
const ATTEMPTS: u32 = 4;
/// How long the second attempt waits where the provider does not say; doubled for each further one.
const BACKOFF: Duration = Duration::from_millis(500);
/// How often a reply may pause.
const MOST_PAUSES: usize = 8;
/// The longest wait before an attempt, whatever the provider asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// A reply that arrived whole.
#[derive(Debug, PartialEq)]
pub(super) struct Complete {
    pub reply: Reply,
    pub stop: ReplyStop,
}

/// Sends `request` and follows the reply; `usage` always holds what the provider last counted, also when this
/// future is dropped. An error that may pass is met by sending again, as long as nothing of the reply was seen; a reply
/// that paused goes on when what it said is sent back.
///
/// # Errors
///
/// Why there is no whole reply, for people.
pub(super) async fn fetch(
    model: &dyn ModelClient,
    mut request: ModelRequest,
    recorder: &Recorder,
    usage: &mut Usage,
) -> Result<Complete, String> {
    let history = request.history.clone();
    let mut said = Reply::default();
    for _ in 0..=MOST_PAUSES {
        let before = *usage;
        let complete = attempt(model, &request, recorder, &mut Counting { before, usage }).await?;
        append(&mut said, complete.reply);
        if complete.stop != ReplyStop::Paused {
            return Ok(Complete {
                reply: said,
                stop: complete.stop,
            });
        }
        let so_far = Arc::new(Message::Assistant(said.clone()));
        let history = history.iter().cloned().chain([so_far]);
        request.history = Arc::new(history.collect());
    }
    Err(format!("the reply paused more than {MOST_PAUSES} times"))
}

/// Adds what a reply went on with.
fn append(said: &mut Reply, more: Reply) {
    said.text.push_str(&more.text);
    said.calls.extend(more.calls);
    match (&mut said.verbatim, more.verbatim) {
        (Some(said), Some(more)) => {
            if let (Value::Array(said), Value::Array(more)) = (&mut said.content, more.content) {
                said.extend(more);
            }
        }
        (said, more) => *said = said.take().or(more),
    }
}

/// Where tokens are counted: what is counted now comes on top of what was counted before.
struct Counting<'a> {
    before: Usage,
    usage: &'a mut Usage,
}

impl Counting<'_> {
    fn set(&mut self, counted: Usage) {
        *self.usage = self.before;
        *self.usage += counted;
    }
}

/// One reply, paused or not, for as many tries as that takes.
async fn attempt(
    model: &dyn ModelClient,
    request: &ModelRequest,
    recorder: &Recorder,
    usage: &mut Counting<'_>,
) -> Result<Complete, String> {
    let mut backoff = BACKOFF;
    for attempt in 1.. {
        let mut assembler = Assembler::new(recorder.secrets());
        let error = match follow(model, request, recorder, &mut assembler, usage).await {
            Ok(()) => {
                assembler.flush().into_iter().for_each(|event| {
                    recorder.emit(event);
                });
                return assembler.finish(recorder.secrets());
            }
            Err(error) => error,
        };
        if !error.retryable || assembler.has_content() || attempt == ATTEMPTS {
            return Err(error.message);
        }
        let wait = match error.retry_after {
            Some(milliseconds) => Duration::from_millis(milliseconds.try_into().unwrap_or(0)),
            None => backoff,
        };
        let wait = wait.min(LONGEST_WAIT);
        backoff *= 2;
        recorder.emit(Event::Retry {
            call: None,
            after_ms: wait.as_millis() as u64,
            reason: error.message,
        });
        tokio::time::sleep(wait).await;
    }
    unreachable!("the last attempt returns")
}

/// Feeds the parts of one attempt to `assembler`.
async fn follow(
    model: &dyn ModelClient,
    request: &ModelRequest,
    recorder: &Recorder,
    assembler: &mut Assembler,
    usage: &mut Counting<'_>,
) -> Result<(), ModelError> {
    let mut parts = model.reply(request.clone()).await?;
    while let Some(part) = parts.next().await {
        match part? {
            ReplyPart::Usage(counted) => usage.set(counted),
            part => {
                if let Some(event) = assembler.push(part)? {
                    recorder.emit(event);
                }
            }
        }
    }
    Ok(())
}

/// Puts a reply together, without secrets: what it says goes back to the model and to people.
struct Assembler {
    reply: Reply,
    text: Hiding,
    thinking: Hiding,
    /// Where in `reply.calls` the call of a key is.
    calls: HashMap<u64, usize>,
    stop: Option<ReplyStop>,
    bytes: usize,
}

impl Assembler {
    fn new(secrets: &Arc<Secrets>) -> Self {
        Self {
            reply: Reply::default(),
            text: Hiding::new(secrets.clone()),
            thinking: Hiding::new(secrets.clone()),
            calls: HashMap::new(),
            stop: None,
            bytes: 0,
        }
    }

    /// Takes one part; returns what people see of it.
    fn push(&mut self, part: ReplyPart) -> Result<Option<Event>, ModelError> {
        let event = match part {
            ReplyPart::Text(text) => {
                self.grow(text.len())?;
                let text = self.text.push_text(text);
                self.say(text)
            }
            ReplyPart::Thinking(text) => {
                self.grow(text.len())?;
                let text = self.thinking.push_text(text);
                (!text.is_empty()).then_some(Event::ThinkingDelta { text })
            }
            ReplyPart::Call {
                key,
                id,
                tool,
                input,
            } => {
                self.push_call(key, id, tool, &input)?;
                None
            }
            ReplyPart::Verbatim(verbatim) => {
                self.reply.verbatim = Some(verbatim);
                None
            }
            ReplyPart::Stop(stop) => {
                self.stop = Some(stop);
                None
            }
            ReplyPart::Usage(_) => None,
        };
        Ok(event)
    }

    /// What was held back of text and thinking.
    fn flush(&mut self) -> Vec<Event> {
        let thought = self.thinking.finish_text();
        let thought = (!thought.is_empty()).then_some(Event::ThinkingDelta { text: thought });
        let said = self.text.finish_text();
        thought.into_iter().chain(self.say(said)).collect()
    }

    fn say(&mut self, text: String) -> Option<Event> {
        self.reply.text.push_str(&text);
        (!text.is_empty()).then_some(Event::TextDelta { text })
    }

    fn push_call(
        &mut self,
        key: u64,
        id: Option<String>,
        tool: Option<String>,
        input: &str,
    ) -> Result<(), ModelError> {
        let known = self.calls.get(&key).copied();
        self.grow(input.len() + if known.is_some() { 0 } else { CALL_OVERHEAD })?;
        let index = known.unwrap_or_else(|| {
            self.reply.calls.push(Call::default());
            self.calls.insert(key, self.reply.calls.len() - 1);
            self.reply.calls.len() - 1
        });
        let call = &mut self.reply.calls[index];
        // Some providers repeat the id and the name with every part, or send empty ones first.
        for (known, new) in [(&mut call.id, id), (&mut call.tool, tool)] {
            if let Some(new) = new.filter(|_| known.is_empty()) {
                *known = new;
            }
        }
        call.input.push_str(input);
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes += bytes;
        if self.bytes <= MAX_REPLY_BYTES {
            return Ok(());
        }
        Err(ModelError {
            message: format!("the reply is longer than {} MiB", MAX_REPLY_BYTES >> 20),
            retryable: false,
            retry_after: None,
        })
    }

    /// Whether anything of the reply was seen, after which sending again could say or do things twice.
    fn has_content(&self) -> bool {
        self.bytes > 0
    }

    fn finish(mut self, secrets: &Secrets) -> Result<Complete, String> {
        for call in &mut self.reply.calls {
            secrets.hide_in(&mut call.input);
        }
        if let Some(verbatim) = &mut self.reply.verbatim {
            secrets.hide_value(&mut verbatim.content);
        }
        match self.stop {
            Some(stop) => Ok(Complete {
                reply: self.reply,
                stop,
            }),
            None => Err("the stream ended before the reply did".into()),
        }
    }
}
