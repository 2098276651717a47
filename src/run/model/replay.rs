//! A record as the model: it says again what was said, as long as it hears again what was heard.

use super::{
    CallResult, Message, ModelClient, ModelError, ModelRequest, ReplyPart, ReplyStop, ReplyStream,
};
use crate::bind::{Bound, Foreseen, ForeseenCall, written_out};
use crate::run::given::{Entry, Given};
use crate::run::recorded::{RecordedCall, RecordedRun, Step};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most characters of a result that are shown where a replay parts from its record.
const MAX_SHOWN: usize = 120;

/// The model's side of a recorded run.
pub struct Replay {
    run: RecordedRun,
    /// How many requests there were.
    requests: AtomicUsize,
}

/// What replays `run`: `bound` with the record's results in the place of running tools, and the record as the model. Of
/// calls without a recorded result `read` runs, `write` runs where `allow` names its tool, `irreversible` never does.
pub fn replay(bound: &Bound, run: RecordedRun, allow: &[String]) -> (Bound, Arc<dyn ModelClient>) {
    let calls = run.steps.iter().flat_map(|step| &step.calls);
    let entries = calls.filter_map(|call| {
        let (result, is_error) = call.result.clone()?;
        Some(Entry {
            tool: call.tool.clone(),
            input: Some(call.input.clone()),
            result,
            is_error,
            used: false,
        })
    });
    let given = Given::new(entries.collect(), allow.to_vec(), false);
    let model = Replay {
        run,
        requests: AtomicUsize::new(0),
    };
    (given.around(bound), Arc::new(model))
}

/// The calls that a replay of `run` makes in the mode called `mode`; to bind for it.
pub fn foreseen(run: &RecordedRun, mode: &str) -> Foreseen {
    let calls = run.steps.iter().flat_map(|step| &step.calls);
    let calls = calls.map(|call| ForeseenCall {
        tool: call.tool.trim().to_owned(),
        is_given: call.result.is_some(),
    });
    Foreseen {
        mode: mode.to_owned(),
        calls: calls.collect(),
    }
}

impl ModelClient for Replay {
    fn reply(&self, request: ModelRequest) -> BoxFuture<'_, Result<ReplyStream, ModelError>> {
        let index = self.requests.fetch_add(1, Ordering::Relaxed);
        let reply = self.check(index, &request).and_then(|()| self.step(index));
        let stream = reply.map(|step| stream::iter(parts(step).into_iter().map(Ok)).boxed());
        std::future::ready(stream.map_err(failure)).boxed()
    }
}

impl Replay {
    /// Whether what the model hears in request `index` is what it heard in the record.
    fn check(&self, index: usize, request: &ModelRequest) -> Result<(), String> {
        let parted = |place: String, how: String| {
            Err(format!(
                "the replay parts from its record at {place}: {how}"
            ))
        };
        match (
            index.checked_sub(1),
            request.history.last().map(|last| &**last),
        ) {
            (None, Some(Message::User(prompt))) if *prompt != self.run.prompt => {
                parted("step 1".into(), "the prompt is another".into())
            }
            (Some(before), Some(Message::Results(results))) => {
                let calls = self
                    .run
                    .steps
                    .get(before)
                    .map_or(&[][..], |step| &step.calls);
                let mut calls = calls.iter().zip(results);
                match calls.find(|(call, result)| !is_same(call, result)) {
                    None => Ok(()),
                    Some((call, result)) => parted(
                        format!("step {index}, call {} (`{}`)", call.number, call.tool),
                        difference(call, result),
                    ),
                }
            }
            _ => Ok(()),
        }
    }

    fn step(&self, index: usize) -> Result<&Step, String> {
        self.run.steps.get(index).ok_or_else(|| {
            let how = match &self.run.end {
                None => "it breaks off there".to_owned(),
                Some(end) => match &end.reason {
                    Some(reason) => {
                        format!("its run ended there, in `{}`: {reason}", end.stop.as_str())
                    }
                    None => format!("its run ended there, in `{}`", end.stop.as_str()),
                },
            };
            format!("the record has no reply for step {}: {how}", index + 1)
        })
    }
}

fn is_same(call: &RecordedCall, result: &CallResult) -> bool {
    call.result
        .as_ref()
        .is_some_and(|(text, is_error)| *text == result.text && *is_error == result.is_error)
}

fn difference(call: &RecordedCall, result: &CallResult) -> String {
    let Some((recorded, _)) = &call.result else {
        return "the record has no result of it".into();
    };
    let (before, now) = (recorded.as_str(), result.text.as_str());
    // Where two long results differ is what there is to see.
    let same = before
        .bytes()
        .zip(now.bytes())
        .take_while(|(one, other)| one == other);
    let mut same = same.count();
    while !(before.is_char_boundary(same) && now.is_char_boundary(same)) {
        same -= 1;
    }
    let shown = |text: &str| {
        let rest: String = text[same..].chars().take(MAX_SHOWN).collect();
        format!("`{}`", written_out(&rest))
    };
    match (same, before == now) {
        (_, true) => "its result is an error in one of the two alone".into(),
        (0, _) => format!("its result was {}, and is {}", shown(before), shown(now)),
        (same, _) => format!(
            "its result was, from byte {same} on, {}, and is {}",
            shown(before),
            shown(now)
        ),
    }
}

fn parts(step: &Step) -> Vec<ReplyPart> {
    let mut parts = Vec::with_capacity(step.reply.calls.len() + 3);
    if !step.reply.text.is_empty() {
        parts.push(ReplyPart::Text(step.reply.text.clone()));
    }
    let calls = (0..).zip(&step.reply.calls);
    parts.extend(calls.map(|(key, call)| ReplyPart::Call {
        key,
        id: Some(call.id.clone()),
        tool: Some(call.tool.clone()),
        input: call.input.clone(),
    }));
    parts.push(ReplyPart::Usage(step.usage));
    let stop = ReplyStop::from_word(&step.stop_reason);
    parts.push(ReplyPart::Stop(stop.unwrap_or(ReplyStop::EndTurn)));
    parts
}

fn failure(message: String) -> ModelError {
    ModelError {
        message,
        retryable: false,
        retry_after: None,
    }
}
