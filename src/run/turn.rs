//! One turn: ask the model, run what it calls, until it answers or something ends it.

use super::access::{AccessPolicy, Approver, Gate};
use super::answer::AnswerContract;
use super::batch::{BatchRunner, Toolbox, duration};
use super::budget::Budget;
use super::frame::{End, limit_value, run_ended, run_started};
use super::model::{
    Message, ModelClient, ModelRequest, Reply, ReplyStop, ToolDefinition, Wanted, model_of,
};
use super::pauses::Pauses;
use super::reply::{Complete, fetch};
use super::subloop::{Stem, Within};
use super::transcript::Recorder;
use super::{Event, LimitReached, Record, Usage};
use crate::bind::{Bound, BoundMode, Tool};
use crate::definition::provider::provider;
use crate::definition::{ResolvedLimit, format_duration};
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a turn is asked to do.
#[derive(Clone, Debug, Default)]
pub struct TurnRequest {
    /// Names the run in every event.
    pub run: String,
    /// Where the definition is, for the transcript.
    pub uri: String,
    /// The mode; `None` is the definition's initial one.
    pub mode: Option<String>,
    /// The test that is run, by name.
    pub test: Option<String>,
    /// The run on whose history this turn follows.
    pub after: Option<String>,
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

/// Runs one turn. It always ends in [`Event::RunEnded`], whatever fails, within the drain timeout of a cancel (and
/// half a second for what must still be read and reaped). Dropping the future ends every call at once.
pub async fn run_turn(bound: &Bound, request: TurnRequest, context: TurnContext) -> Turn {
    run_within(bound, request, context, Within::default()).await
}

/// The same below other turns.
pub(super) async fn run_within(
    bound: &Bound,
    mut request: TurnRequest,
    context: TurnContext,
    within: Within,
) -> Turn {
    let recorder = Arc::new(Recorder::new(context.events, bound.secrets.clone()));
    // What a person says goes to the model.
    bound.secrets.hide_in(&mut request.prompt);
    let (mode, problem) = match starting_mode(bound, request.mode.as_deref()) {
        Ok(mode) => (mode, None),
        Err(problem) => (&bound.modes[0], Some(problem)),
    };
    recorder.emit(run_started(bound, mode, &request));
    let mut history = request.history;
    history.push(Arc::new(Message::User(request.prompt)));
    let mut progress = Progress {
        history: Arc::new(history),
        ..Progress::default()
    };
    let budget = Budget::new(limit_value(mode.limits.tokens), within.budget.clone());
    let end = match problem.map_or_else(|| prepare(bound, mode, &within), Err) {
        Err(problem) => End::Failed(problem),
        Ok(prepared) => {
            let stop = context.cancel.child_token();
            let _ends_calls = stop.clone().drop_guard();
            let limits = mode.limits;
            let drain = bound.drain_timeout();
            let drain = within.drain.map_or(drain, |above| above.min(drain));
            let pauses = Pauses::within(within.pauses.clone());
            let stem = Stem {
                policy: prepared.policy.clone(),
                budget: budget.clone(),
                recorder: recorder.clone(),
                approver: context.approver.clone(),
                run: request.run.clone(),
                name: bound.accepted.definition().name.text().to_owned(),
                yes: request.yes,
                allow: request.allow.clone(),
                within,
            };
            let turn = Engine {
                mode,
                prepared: &prepared,
                model: context.model,
                batches: BatchRunner {
                    tools: Toolbox::new(&mode.tools, &prepared.policy, &bound.middlewares),
                    recorder: recorder.clone(),
                    parallel: usize::try_from(limits.parallel.value).unwrap_or(1).max(1),
                    result_bytes: limit_value(limits.result_bytes),
                    drain,
                    cancel: context.cancel,
                    stop,
                    stem: Arc::new(stem),
                    pauses,
                },
                gate: Gate {
                    run: request.run,
                    yes: request.yes,
                    allow: request.allow,
                    approver: context.approver,
                    granted: HashSet::new(),
                },
                recorder: recorder.clone(),
                budget: budget.clone(),
                line: &|limit| line_of(bound, limit),
            };
            let steps = AssertUnwindSafe(turn.run(&mut progress)).catch_unwind();
            let end = steps.await;
            end.unwrap_or_else(|_| {
                End::Failed("something that takes part in the run crashed".into())
            })
        }
    };
    let ended = recorder.emit(run_ended(end, &progress, budget.used(), recorder.start()));
    Turn {
        ended,
        history: Arc::unwrap_or_clone(progress.history),
    }
}

/// The mode that a run starts in.
fn starting_mode<'a>(bound: &'a Bound, name: Option<&str>) -> Result<&'a BoundMode, String> {
    let Some(name) = name else {
        return Ok(bound.initial_mode());
    };
    if name.is_empty() && bound.modes.len() > 1 {
        return Err("the loop has modes, so a run cannot start in the base".into());
    }
    bound.mode(name).ok_or_else(|| {
        let names = bound.modes.iter().map(|mode| mode.name.as_str());
        let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
        match names.as_slice() {
            [] => format!("there is no mode `{name}`; the loop has no modes"),
            names => format!(
                "there is no mode `{name}`; the modes are {}",
                names.join(", ")
            ),
        }
    })
}

/// What is made of a definition before its first step.
struct Prepared {
    policy: Arc<AccessPolicy>,
    contract: Option<AnswerContract>,
    tools: Arc<Vec<ToolDefinition>>,
    system: Arc<str>,
}

fn prepare(bound: &Bound, mode: &BoundMode, within: &Within) -> Result<Prepared, String> {
    let definition = bound.accepted.definition();
    let provider = model_of(bound, mode).and_then(|model| provider(model.provider.text()));
    let is_native = provider.is_some_and(|row| row.holds_answers(!mode.tools.is_empty()));
    let contract = AnswerContract::of(definition, is_native)?;
    let own = mode.tools.iter().map(|tool| offered(&**tool));
    let reserved = contract.iter().filter_map(AnswerContract::tool);
    Ok(Prepared {
        policy: Arc::new(AccessPolicy::of(definition)?.below(within.policy.clone())),
        tools: Arc::new(own.chain(reserved).collect()),
        system: mode.system.as_str().into(),
        contract,
    })
}

fn offered(tool: &dyn Tool) -> ToolDefinition {
    let info = tool.info();
    ToolDefinition {
        name: info.name.clone(),
        description: info.description.clone(),
        input_schema: info.input_schema.clone(),
    }
}

/// What a turn has come to so far.
#[derive(Default)]
pub(super) struct Progress {
    pub history: Arc<Vec<Arc<Message>>>,
    pub steps: u64,
    /// Batches that ran.
    pub iterations: u64,
    /// Calls of those batches.
    pub calls: u64,
}

impl Progress {
    /// Adds to the history; cheap, as no request holds it any more.
    fn say(&mut self, message: Message) {
        Arc::make_mut(&mut self.history).push(Arc::new(message));
    }

    /// Keeps what the model said where its calls, if any, were not run.
    fn say_text(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.say(Message::Assistant(Reply {
                text,
                ..Reply::default()
            }));
        }
    }
}

/// One turn at work.
struct Engine<'a> {
    mode: &'a BoundMode,
    prepared: &'a Prepared,
    model: Arc<dyn ModelClient>,
    batches: BatchRunner<'a>,
    gate: Gate,
    recorder: Arc<Recorder>,
    budget: Arc<Budget>,
    /// The line that set a limit.
    line: &'a (dyn Fn(ResolvedLimit) -> Option<u32> + Send + Sync),
}

impl Engine<'_> {
    async fn run(mut self, progress: &mut Progress) -> End {
        loop {
            match self.step(progress).await {
                Ok(()) => {}
                Err(end) => return end,
            }
        }
    }

    /// One request, its reply and the calls of that; an error is the end of the turn.
    async fn step(&mut self, progress: &mut Progress) -> Result<(), End> {
        if let Some(end) = self.interrupted().now_or_never() {
            return Err(end);
        }
        progress.steps += 1;
        self.recorder.emit(Event::StepStarted {
            step: progress.steps,
        });
        let (complete, usage) = self.ask_model(progress).await?;
        let Complete { reply, stop } = complete;
        let done = StepDone { usage, stop };
        match stop {
            ReplyStop::MaxTokens | ReplyStop::Refusal => {
                self.step_completed(progress, done, &reply);
                progress.say_text(reply.text);
                return Err(match stop {
                    ReplyStop::Refusal => End::Refusal,
                    _ => End::MaxTokens,
                });
            }
            // One that paused was gone on with.
            ReplyStop::EndTurn | ReplyStop::ToolUse | ReplyStop::Paused => {}
        }
        if reply.calls.is_empty() && reply.text.trim().is_empty() {
            self.step_completed(progress, done, &reply);
            return Err(End::Failed("the model's reply is empty".into()));
        }
        if let Some(contract) = &self.prepared.contract {
            match contract.read(&reply) {
                Ok(None) => {}
                Ok(Some(answer)) => {
                    self.step_completed(progress, done, &reply);
                    progress.say_text(answer.clone());
                    return Err(End::Answer(answer));
                }
                Err(problem) => {
                    self.step_completed(progress, done, &reply);
                    progress.say_text(reply.text);
                    return Err(End::Failed(problem));
                }
            }
        } else if reply.calls.is_empty() {
            self.step_completed(progress, done, &reply);
            progress.say_text(reply.text.clone());
            return Err(End::Answer(reply.text));
        }
        self.count(progress, reply.calls.len() as u64)?;
        self.run_batch(progress, done, reply).await
    }

    /// Sends the history and waits for the whole reply.
    async fn ask_model(&self, progress: &Progress) -> Result<(Complete, Usage), End> {
        let request = ModelRequest {
            system: self.prepared.system.clone(),
            history: progress.history.clone(),
            tools: self.prepared.tools.clone(),
            effort: self.mode.effort,
            wanted: match &self.prepared.contract {
                None => Wanted::Any,
                Some(contract) => contract.wanted(),
            },
        };
        let mut usage = Usage::default();
        let reply = {
            let fetching = fetch(&*self.model, request, &self.recorder, &mut usage);
            tokio::select! {
                biased;
                end = self.interrupted() => Err(end),
                reply = fetching => reply.map_err(End::Failed),
            }
        };
        self.budget.add(usage);
        Ok((reply?, usage))
    }

    /// Counts a batch of `size` calls before anything of it runs.
    fn count(&self, progress: &mut Progress, size: u64) -> Result<(), End> {
        let limits = &self.mode.limits;
        let (iterations, calls) = (progress.iterations + 1, progress.calls + size);
        let (max_iterations, max_calls) =
            (limit_value(limits.iterations), limit_value(limits.calls));
        let reason = || {
            format!(
                "tool limit reached: {iterations}/{max_iterations} iterations, {calls}/{max_calls} calls"
            )
        };
        if iterations > max_iterations {
            return Err(self.limit("iterations", iterations, limits.iterations, reason()));
        }
        if calls > max_calls {
            return Err(self.limit("calls", calls, limits.calls, reason()));
        }
        if let Some(tokens) = self.budget.excess() {
            return Err(self.token_limit(tokens));
        }
        if self.budget.is_spent_above() {
            let reason = "the token limit of a loop above was reached";
            return Err(End::Failed(reason.to_owned()));
        }
        progress.iterations = iterations;
        progress.calls = calls;
        Ok(())
    }

    /// Runs the calls of `reply` and puts both into the history.
    async fn run_batch(
        &mut self,
        progress: &mut Progress,
        done: StepDone,
        reply: Reply,
    ) -> Result<(), End> {
        let first = progress.calls - reply.calls.len() as u64 + 1;
        let (mut batch, end) = {
            let mut taking = pin!(self.batches.take_up(first, &reply.calls));
            tokio::select! {
                biased;
                batch = &mut taking => (batch, None),
                end = self.interrupted() => {
                    self.batches.stop.cancel();
                    (taking.await, Some(end))
                }
            }
        };
        self.batches.decide(&mut batch, &mut self.gate).await;
        let (results, end) = {
            let mut running = pin!(self.batches.run(batch));
            tokio::select! {
                biased;
                results = &mut running => (results, end),
                end = self.interrupted() => {
                    self.batches.stop.cancel();
                    (running.await, Some(end))
                }
            }
        };
        self.step_completed(progress, done, &reply);
        progress.say(Message::Assistant(reply));
        progress.say(Message::Results(results));
        end.map_or(Ok(()), Err)
    }

    /// Ends when something ends the turn from outside.
    async fn interrupted(&self) -> End {
        let (start, pauses) = (self.recorder.start(), &self.batches.pauses);
        let limit = self.mode.limits.time;
        let expired = async {
            match limit.value {
                ..=0 => std::future::pending().await,
                allowed => pauses.passed(start, duration(allowed)).await,
            }
        };
        tokio::select! {
            biased;
            () = self.batches.cancel.cancelled() => End::Cancelled,
            () = self.budget.spent().cancelled() => self.token_limit(self.budget.used().total()),
            () = expired => {
                let reached = pauses.elapsed(start).as_millis() as u64;
                let reason = format!("time limit reached: {}", format_duration(limit.value));
                self.limit("time", reached, limit, reason)
            }
        }
    }

    fn token_limit(&self, tokens: u64) -> End {
        let limit = self.mode.limits.tokens;
        let max = limit_value(limit);
        let reason = format!("token limit reached: {tokens}/{max} tokens");
        self.limit("tokens", tokens, limit, reason)
    }

    fn limit(&self, name: &str, reached: u64, limit: ResolvedLimit, reason: String) -> End {
        End::Limit(
            reason,
            LimitReached {
                name: name.to_owned(),
                reached,
                max: limit_value(limit),
                line: (self.line)(limit),
            },
        )
    }

    fn step_completed(&self, progress: &Progress, done: StepDone, reply: &Reply) {
        self.recorder.emit(Event::StepCompleted {
            step: progress.steps,
            usage: done.usage,
            stop_reason: done.stop.as_str().to_owned(),
            reply: verbatim(reply),
        });
    }
}

/// What a completed step says beside its reply.
#[derive(Clone, Copy)]
struct StepDone {
    usage: Usage,
    stop: ReplyStop,
}

fn verbatim(reply: &Reply) -> Value {
    let calls = reply.calls.iter();
    let calls = calls.map(|call| json!({ "id": call.id, "tool": call.tool, "input": call.input }));
    // `json!` would copy the calls.
    let calls = Value::Array(calls.collect());
    let mut verbatim = json!({ "text": reply.text });
    verbatim["calls"] = calls;
    if let Some(said) = &reply.verbatim {
        verbatim["verbatim"] = json!(said);
    }
    verbatim
}

fn line_of(bound: &Bound, limit: ResolvedLimit) -> Option<u32> {
    let rope = &bound.accepted.analysis().rope;
    let line = rope.try_byte_to_line(limit.origin.span()?.start).ok()?;
    u32::try_from(line).ok()
}
