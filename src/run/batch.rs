//! The calls of one reply: checked, decided about, run, and answered in call order.

use super::access::{AccessPolicy, Decision, Gate, Rule};
use super::around::{Around, CallAround};
use super::chunks::Chunks;
use super::model::{Call, CallResult};
use super::pauses::Pauses;
use super::result::treat;
use super::subloop::{Stem, Writes};
use super::transcript::Recorder;
use super::{AccessDecision, DecidedBy, Event};
use crate::bind::{CANCELLED, CallContext, Middleware, Outcome, PreparedCall, Tool, ToolInfo};
use crate::definition::{Effect, Milliseconds, format_duration};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// The most bytes of one call's input (`docs/security.md`, 20).
const MAX_INPUT_BYTES: usize = 1 << 20;
/// What a call that was told to end gets beside the drain timeout, so that a tool that keeps to it can still read
/// what its process had written and reap it.
const GRACE: Duration = Duration::from_millis(500);

/// The tools of a turn by model-facing name.
pub(super) struct Toolbox<'a> {
    by_name: HashMap<&'a str, Entry<'a>>,
    names: Vec<&'a str>,
}

/// A tool of a turn.
struct Entry<'a> {
    tool: &'a Arc<dyn Tool>,
    /// What the access policy says of it.
    rule: Rule,
    around: Arc<Around>,
}

impl<'a> Toolbox<'a> {
    pub fn new(
        tools: &'a [Arc<dyn Tool>],
        policy: &AccessPolicy,
        middlewares: &[Middleware],
    ) -> Self {
        let name = |tool: &'a Arc<dyn Tool>| tool.info().name.as_str();
        let entry = |tool: &'a Arc<dyn Tool>| Entry {
            tool,
            rule: policy.rule(tool.info()),
            around: Arc::new(Around::of(middlewares, tool.info())),
        };
        Self {
            by_name: tools.iter().map(|tool| (name(tool), entry(tool))).collect(),
            names: tools.iter().map(name).collect(),
        }
    }
}

/// What every batch of a turn is run with.
pub(super) struct BatchRunner<'a> {
    pub tools: Toolbox<'a>,
    pub recorder: Arc<Recorder>,
    /// The calls of one batch that run at a time; at least 1.
    pub parallel: usize,
    pub result_bytes: u64,
    pub drain: Milliseconds,
    /// Somebody ends the turn.
    pub cancel: CancellationToken,
    /// The turn ends, because somebody or a limit ends it; a child of `cancel`.
    pub stop: CancellationToken,
    /// What turns below are given.
    pub stem: Arc<Stem>,
    /// Stops the turn's clock while a person is asked.
    pub pauses: Arc<Pauses>,
}

/// A call that was taken up.
pub(super) struct TakenUp<'a> {
    number: u64,
    call: &'a Call,
    /// What it will do; else the error that it comes to.
    state: Result<Ready<'a>, Outcome>,
}

/// A call that can run.
struct Ready<'a> {
    tool: &'a Entry<'a>,
    prepared: Box<dyn PreparedCall>,
    /// What it can be made of again.
    input: Option<Value>,
}

impl<'a> Ready<'a> {
    fn info(&self) -> &'a ToolInfo {
        self.tool.tool.info()
    }
}

impl<'a> BatchRunner<'a> {
    /// Takes up `calls`, the first of which is number `first` of the run: checks each one's name, JSON and schema, and
    /// says that it started. Nothing runs yet. Once the turn stops, the rest is not checked any more.
    pub async fn take_up<'b>(&'b self, first: u64, calls: &'b [Call]) -> Vec<TakenUp<'b>> {
        let mut batch = Vec::with_capacity(calls.len());
        for (number, call) in (first..).zip(calls) {
            let (input, state) = self.check(call).await;
            self.recorder.emit(Event::ToolStarted {
                call: number,
                tool: call.tool.trim().to_owned(),
                input,
            });
            batch.push(TakenUp {
                number,
                call,
                state,
            });
        }
        batch
    }

    /// The input for people, and what comes of it.
    async fn check(&self, call: &Call) -> (Value, Result<Ready<'_>, Outcome>) {
        let (input, problem) = match parse_input(&call.input) {
            Ok(input) => (input, None),
            Err(problem) => (Value::from(call.input.as_str()), Some(problem)),
        };
        let Some(entry) = self.tools.by_name.get(call.tool.trim()) else {
            let problem = Outcome::error(self.unknown_tool(call.tool.trim()));
            return (input, Err(problem));
        };
        if let Some(problem) = problem {
            return (input, Err(Outcome::error(problem)));
        }
        if !input.is_object() {
            let kind = kind_of(&input);
            let problem = format_args!("the input must be a JSON object, not {kind}");
            return (input, Err(Outcome::error(problem)));
        }
        let tool = entry.tool;
        let (input, prepared) = match tool.is_slow_to_prepare(call.input.len()) {
            false => {
                let prepared = prepare(&**tool, &input);
                (input, prepared)
            }
            true => self.prepare_aside(tool, input).await,
        };
        let ready = prepared.map(|prepared| Ready {
            tool: entry,
            prepared,
            input: entry.around.retries().then(|| input.clone()),
        });
        (input, ready)
    }

    /// [`prepare`] on a thread where it may take its time, as long as the turn goes on.
    async fn prepare_aside(
        &self,
        tool: &Arc<dyn Tool>,
        input: Value,
    ) -> (Value, Result<Box<dyn PreparedCall>, Outcome>) {
        let input = Arc::new(input);
        let (tool, shared) = (tool.clone(), input.clone());
        let mut preparing = tokio::task::spawn_blocking(move || prepare(&*tool, &shared));
        let prepared = tokio::select! {
            biased;
            prepared = &mut preparing => prepared.unwrap_or_else(|_| Err(crashed(""))),
            () = self.stop.cancelled() => Err(self.not_run()),
        };
        (Arc::unwrap_or_clone(input), prepared)
    }

    fn not_run(&self) -> Outcome {
        Outcome::error(format_args!("not run: {}", self.why_stopped()))
    }

    fn unknown_tool(&self, name: &str) -> String {
        match self.tools.names.as_slice() {
            [] => format!("there is no tool `{name}`; there are no tools"),
            names => format!(
                "there is no tool `{name}`; the tools are {}",
                names.join(", ")
            ),
        }
    }

    /// Decides call by call, in call order, which of `batch` may run. Once the turn stops, the rest stays undecided;
    /// [`run`](Self::run) does not begin it.
    pub async fn decide(&self, batch: &mut [TakenUp<'_>], gate: &mut Gate) {
        for taken in batch {
            let Ok(ready) = &mut taken.state else {
                continue;
            };
            let (info, rule) = (ready.info(), &ready.tool.rule);
            let is_given = ready.prepared.is_given();
            let decision = match gate.decide(info, rule, is_given) {
                Some(decision) => decision,
                None => {
                    let shown = catch_unwind(AssertUnwindSafe(|| ready.prepared.shown()));
                    let Ok(shown) = shown else {
                        taken.state = Err(crashed(""));
                        continue;
                    };
                    let _pause = self.pauses.begin();
                    let decision = tokio::select! {
                        biased;
                        () = self.stop.cancelled() => None,
                        decision = gate.ask(taken.number, info, rule, shown, &self.recorder) => Some(decision),
                    };
                    let Some(decision) = decision else { break };
                    // One approval is one start.
                    if !gate.granted.contains(&info.name) {
                        ready.input = None;
                    }
                    decision
                }
            };
            if decision.decision == AccessDecision::Deny {
                taken.state = Err(denied(&info.name, &decision));
            }
            self.recorder.emit(Event::AccessDecided {
                call: taken.number,
                decision: decision.decision,
                by: decision.by,
                pattern: decision.pattern,
            });
        }
    }

    /// Runs `batch`, sequential calls first, and returns a result for each call in call order. Once the turn stops,
    /// calls in flight have the drain timeout to end and the others do not begin.
    pub async fn run(&self, batch: Vec<TakenUp<'_>>) -> Vec<CallResult> {
        let mut results: Vec<Option<CallResult>> = batch.iter().map(|_| None).collect();
        let mut sequential = Vec::new();
        let mut rest = Vec::new();
        for (index, taken) in batch.into_iter().enumerate() {
            match taken.state {
                Err(outcome) => {
                    let result = self.complete(taken.number, taken.call, outcome, Duration::ZERO);
                    results[index] = Some(result);
                }
                Ok(ready) => {
                    let queue = if ready.info().sequential {
                        &mut sequential
                    } else {
                        &mut rest
                    };
                    queue.push((index, taken.number, taken.call, ready));
                }
            }
        }
        for (index, number, call, ready) in sequential {
            results[index] = Some(self.run_one(number, call, ready).await);
        }
        let mut rest = rest.into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            let free = self.parallel.saturating_sub(running.len());
            running.extend(rest.by_ref().take(free).map(
                |(index, number, call, ready)| async move {
                    (index, self.run_one(number, call, ready).await)
                },
            ));
            match running.next().await {
                Some((index, result)) => results[index] = Some(result),
                None => break,
            }
        }
        results.into_iter().flatten().collect()
    }

    async fn run_one(&self, number: u64, call: &Call, ready: Ready<'_>) -> CallResult {
        let start = Instant::now();
        let outcome = match self.stop.is_cancelled() {
            true => self.not_run(),
            false => self.execute(number, ready).await,
        };
        self.complete(number, call, outcome, start.elapsed())
    }

    /// Runs a call as a task of its own, so that one that blocks or panics harms no other, and ends it when its time is
    /// up or the turn stops. The task never outlives this future.
    async fn execute(&self, number: u64, ready: Ready<'_>) -> Outcome {
        let info = ready.info();
        let cancel = self.stop.child_token();
        let around = ready.tool.around.clone();
        let chunks = Chunks::new(self.recorder.clone(), number);
        let start = Instant::now();
        // A person may be asked in a loop below the call.
        let pauses = Pauses::within(Some(self.pauses.clone()));
        let own_writes = &self.stem.within.writes;
        let writes = Writes::below(own_writes.clone(), &info.name);
        if info.effect != Effect::Read {
            own_writes.add(&info.name);
        }
        let context = CallContext {
            cancel: cancel.clone(),
            drain: self.drain,
            // A piece may hold a part of what is to be replaced in the whole.
            output: match around.redacts() {
                true => Arc::new(|_, _| {}),
                false => chunks.sink(),
            },
            subloops: self
                .stem
                .branch(number, &info.name, pauses.clone(), writes.clone()),
        };
        let call = CallAround {
            around,
            tool: ready.tool.tool.clone(),
            input: ready.input,
            prepared: ready.prepared,
            context,
            number,
            run: self.stem.run.clone(),
            in_loop: self.stem.name.clone(),
            recorder: self.recorder.clone(),
        };
        let task = tokio::spawn(call.run());
        let mut task = AbortOnDropHandle::new(task);
        let what = tokio::select! {
            biased;
            done = &mut task => {
                let taken_effect = || taken_effect(info.effect, &writes);
                let outcome = done.unwrap_or_else(|_| crashed(&taken_effect()));
                // It may have noticed before this did.
                if self.stop.is_cancelled() && outcome.bytes.ends_with(CANCELLED.as_bytes()) {
                    return ended(&(self.why_stopped().to_owned() + &taken_effect()), outcome);
                }
                return outcome;
            }
            () = self.stop.cancelled() => self.why_stopped().to_owned(),
            timeout = expired(info.timeout, start, &pauses) => format!("timed out after {}", format_duration(timeout)),
        };
        cancel.cancel();
        let drain = duration(self.drain).saturating_add(GRACE);
        let last = tokio::time::timeout(drain, &mut task).await;
        let last = last.ok().and_then(Result::ok).unwrap_or_default();
        ended(&(what + &taken_effect(info.effect, &writes)), last)
    }

    fn why_stopped(&self) -> &'static str {
        if self.cancel.is_cancelled() {
            "cancelled"
        } else if self.stem.budget.spent().is_cancelled() {
            "the token limit of the turn was reached"
        } else {
            "the time limit of the turn was reached"
        }
    }

    /// Makes the result of a call and says that it is over.
    fn complete(&self, number: u64, call: &Call, outcome: Outcome, took: Duration) -> CallResult {
        let is_error = outcome.is_error;
        let treated = treat(outcome, self.result_bytes, self.recorder.secrets());
        let event = self.recorder.emit(Event::ToolCompleted {
            call: number,
            tool: call.tool.trim().to_owned(),
            is_error,
            result: treated.text,
            bytes: treated.bytes,
            omitted: treated.omitted,
            ms: took.as_millis() as u64,
        });
        let text = match event {
            Event::ToolCompleted { result, .. } => result,
            _ => String::new(),
        };
        CallResult {
            id: call.id.clone(),
            tool: call.tool.clone(),
            text,
            is_error,
        }
    }
}

/// What a call of `tool` will do, or the error that it comes to.
fn prepare(tool: &dyn Tool, input: &Value) -> Result<Box<dyn PreparedCall>, Outcome> {
    match catch_unwind(AssertUnwindSafe(|| tool.prepare(input))) {
        Ok(prepared) => prepared.map_err(Outcome::error),
        Err(_) => Err(crashed("")),
    }
}

/// Blank and null count as `{}`.
fn parse_input(text: &str) -> Result<Value, String> {
    if text.len() > MAX_INPUT_BYTES {
        return Err(format!(
            "the input is longer than {} MiB",
            MAX_INPUT_BYTES >> 20
        ));
    }
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_str(text) {
        Ok(Value::Null) => Ok(Value::Object(Map::new())),
        Ok(value) => Ok(value),
        Err(error) => Err(format!("the input is not JSON: {error}")),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn denied(tool: &str, decision: &Decision) -> Outcome {
    match (decision.by, &decision.pattern) {
        (DecidedBy::Rule, Some(pattern)) => Outcome::error(format_args!(
            "denied: `{pattern}` of the loop's access rules forbids `{tool}`"
        )),
        _ => Outcome::error(format_args!(
            "denied: this call of `{tool}` was not approved"
        )),
    }
}

/// The outcome of a call that was ended from outside, whatever it made of that: why, and below it what output there
/// was.
fn ended(why: &str, last: Outcome) -> Outcome {
    let Outcome {
        mut bytes,
        dropped_at,
        dropped,
        ..
    } = last;
    let tail = [b"\n", CANCELLED.as_bytes()].concat();
    for end in [&tail[..], CANCELLED.as_bytes()] {
        if bytes.ends_with(end) {
            bytes.truncate(bytes.len() - end.len());
        }
    }
    let output = bytes.strip_prefix(b"error: ").unwrap_or(&bytes);
    let skipped = bytes.len() - output.len();
    let mut outcome = Outcome::error(why);
    if !output.is_empty() {
        outcome.bytes.push(b'\n');
    }
    outcome.dropped = dropped;
    outcome.dropped_at = outcome.bytes.len() + dropped_at.saturating_sub(skipped).min(output.len());
    outcome.bytes.extend_from_slice(output);
    outcome
}

fn crashed(taken_effect: &str) -> Outcome {
    Outcome::error(format_args!("the tool crashed{taken_effect}"))
}

/// What is added to the error of a call that was ended from outside; `writes` are those of loops below it.
fn taken_effect(effect: Effect, writes: &Writes) -> String {
    match effect {
        Effect::Read => writes.told(),
        Effect::Write | Effect::Irreversible => "; it may have taken effect".to_owned(),
    }
}

/// Ends when the time that a call has from `start` on is up; never if it has all.
async fn expired(timeout: Option<Milliseconds>, start: Instant, pauses: &Pauses) -> Milliseconds {
    match timeout {
        Some(timeout) => {
            pauses.passed(start, duration(timeout)).await;
            timeout
        }
        None => std::future::pending().await,
    }
}

/// A negative one, which no accepted definition has, is none.
pub(super) fn duration(milliseconds: Milliseconds) -> Duration {
    Duration::from_millis(milliseconds.try_into().unwrap_or(0))
}
