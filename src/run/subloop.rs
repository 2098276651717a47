//! Turns below a turn: a loop that hands work to another runs it here.
//!
//! A turn below has counters and a history of its own. What it shares with those above it: their `deny` and `ask`, their
//! budgets of tokens and time, their cancel, and the person who is asked.

use super::access::{AccessPolicy, Answer, Approver, Question, ask};
use super::budget::Budget;
use super::model::client_for;
use super::pauses::Pauses;
use super::transcript::Recorder;
use super::turn::{Turn, TurnContext, TurnRequest, run_within};
use super::{AccessDecision, DecidedBy, Event, Record, StopReason};
use crate::bind::{Bound, CANCELLED, CallContext, Outcome, OutputSink, Stream, Subloop};
use crate::definition::{Effect, Milliseconds};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use tokio::sync::Mutex;

/// The most turns below the root in one run (`docs/security.md`, 12).
const MOST_SUBLOOPS: usize = 64;
/// The most characters of a call's input, or of why it failed, that are told of a turn below.
const MOST_CHARACTERS: usize = 300;

/// What all turns of one run share.
#[derive(Default)]
pub(super) struct Tree {
    /// How many turns below the root were begun.
    begun: AtomicUsize,
    /// The tools below the root that a person allowed for this run, by path. Held while somebody is asked about one, so
    /// that no answer meets another's question.
    granted: Mutex<HashSet<String>>,
}

/// What is above a turn; nothing, for the root.
#[derive(Clone, Default)]
pub(super) struct Within {
    pub tree: Arc<Tree>,
    pub policy: Option<Arc<AccessPolicy>>,
    pub budget: Option<Arc<Budget>>,
    pub pauses: Option<Arc<Pauses>>,
    /// How long the call may take to wind down that the turn is part of.
    pub drain: Option<Milliseconds>,
    /// What the turn changes.
    pub writes: Arc<Writes>,
}

/// The calls of a turn and of those below it that were begun and change something, by path.
#[derive(Default)]
pub(super) struct Writes {
    paths: StdMutex<BTreeSet<String>>,
    /// The turn above, and the tool there that this one is a call of.
    above: Option<(Arc<Writes>, String)>,
}

impl Writes {
    /// Those of a turn that is a call of `tool`, whose own are `above`.
    pub fn below(above: Arc<Self>, tool: &str) -> Arc<Self> {
        Arc::new(Self {
            paths: StdMutex::default(),
            above: Some((above, tool.to_owned())),
        })
    }

    /// A call of the tool at `path` begins, here and in every turn above.
    pub fn add(&self, path: &str) {
        if let Some((above, tool)) = &self.above {
            above.add(&format!("{tool}/{path}"));
        }
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths.insert(path.to_owned());
    }

    /// What is said of them where nobody gets an answer; nothing if there are none.
    pub fn told(&self) -> String {
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let paths: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
        match paths.as_slice() {
            [] => String::new(),
            paths => format!("; {} in it may have taken effect", paths.join(", ")),
        }
    }
}

impl Within {
    fn is_root(&self) -> bool {
        self.budget.is_none()
    }
}

/// What a turn lends to turns below it.
pub(super) struct Stem {
    pub within: Within,
    pub policy: Arc<AccessPolicy>,
    pub budget: Arc<Budget>,
    pub recorder: Arc<Recorder>,
    pub approver: Arc<dyn Approver>,
    pub run: String,
    /// The loop's name.
    pub name: String,
    pub yes: bool,
    pub allow: Vec<String>,
}

impl Stem {
    /// What runs loops below call number `call` of `tool`, whose clock `pauses` stops; what they change goes into
    /// `writes`.
    pub fn branch(
        self: &Arc<Self>,
        call: u64,
        tool: &str,
        pauses: Arc<Pauses>,
        writes: Arc<Writes>,
    ) -> Arc<dyn Subloop> {
        Arc::new(Branch {
            stem: self.clone(),
            call,
            tool: tool.to_owned(),
            pauses,
            writes,
        })
    }
}

/// A call below which a turn can run.
#[derive(Clone)]
struct Branch {
    stem: Arc<Stem>,
    call: u64,
    tool: String,
    pauses: Arc<Pauses>,
    writes: Arc<Writes>,
}

impl Subloop for Branch {
    fn run(
        &self,
        child: Arc<Bound>,
        message: String,
        context: CallContext,
    ) -> BoxFuture<'static, Outcome> {
        let branch = self.clone();
        async move { branch.turn(&child, message, context).await }.boxed()
    }
}

impl Branch {
    async fn turn(self, child: &Bound, message: String, context: CallContext) -> Outcome {
        let name = child.accepted.definition().name.text();
        let within = &self.stem.within;
        if within.tree.begun.fetch_add(1, Ordering::Relaxed) >= MOST_SUBLOOPS {
            return Outcome::error(format_args!(
                "the loop `{name}` was not run: a run has at most {MOST_SUBLOOPS} sub-loops"
            ));
        }
        let model = match client_for(child, child.initial_mode()) {
            Ok(model) => model,
            Err(error) => {
                return Outcome::error(format_args!("the loop `{name}` cannot be run: {error}"));
            }
        };
        let request = TurnRequest {
            run: self.stem.run.clone(),
            prompt: message,
            yes: self.stem.yes,
            allow: self.allowed_below(),
            ..TurnRequest::default()
        };
        let within = Within {
            tree: within.tree.clone(),
            policy: Some(self.stem.policy.clone()),
            budget: Some(self.stem.budget.clone()),
            pauses: Some(self.pauses.clone()),
            drain: Some(context.drain),
            writes: self.writes.clone(),
        };
        let writes = self.writes.clone();
        let teller = Teller::new(context.output);
        let context = TurnContext {
            model,
            events: Arc::new(move |record| teller.tell(record)),
            approver: Arc::new(self),
            cancel: context.cancel,
        };
        let turn = run_within(child, request, context, within).await;
        outcome(name, turn, &writes)
    }

    /// The tools that flags allow by their paths from here.
    fn allowed_below(&self) -> Vec<String> {
        let below = |path: &String| {
            let rest = path.strip_prefix(&self.tool)?.strip_prefix('/')?;
            Some(rest.to_owned())
        };
        self.stem.allow.iter().filter_map(below).collect()
    }
}

/// Asks upwards: the question names the path of its tool, and at the root it belongs to the call that handed the work
/// on.
impl Approver for Branch {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        let question = Question {
            call: self.call,
            tool: format!("{}/{}", self.tool, question.tool),
            ..question
        };
        match self.stem.within.is_root() {
            true => self.ask_at_root(question).boxed(),
            false => self.stem.approver.ask(question),
        }
    }
}

impl Branch {
    async fn ask_at_root(&self, question: Question) -> Answer {
        let stem = &self.stem;
        let mut granted = stem.within.tree.granted.lock().await;
        let (call, tool, effect) = (question.call, question.tool.clone(), question.effect);
        if granted.contains(&tool) && effect != Effect::Irreversible {
            return Answer::ForRun;
        }
        let answer = ask(&*stem.approver, question, &stem.recorder).await;
        stem.recorder.emit(Event::AccessDecided {
            call,
            decision: match answer {
                Answer::Deny => AccessDecision::Deny,
                Answer::Once | Answer::ForRun => AccessDecision::Allow,
            },
            by: DecidedBy::Person,
            pattern: None,
        });
        if answer == Answer::ForRun {
            granted.insert(tool);
        }
        answer
    }
}

/// What the turn above gets of one below.
fn outcome(name: &str, turn: Turn, writes: &Writes) -> Outcome {
    let Event::RunEnded {
        stop,
        reason,
        answer,
        ..
    } = turn.ended
    else {
        return Outcome::error(format_args!("the loop `{name}` did not end"));
    };
    match (stop, answer, reason) {
        (StopReason::Answer, Some(answer), _) => Outcome::text(answer),
        (StopReason::Cancelled, ..) => Outcome::error(CANCELLED),
        (_, _, reason) => {
            let reason = reason.unwrap_or_default();
            let writes = writes.told();
            Outcome::error(format_args!(
                "the loop `{name}` did not answer: {reason}{writes}"
            ))
        }
    }
}

/// Tells people what goes on in a turn below, as output of its call: what the model says on standard output, its calls
/// on standard error.
struct Teller {
    output: OutputSink,
    /// Whether the last line of text is not ended.
    is_open: AtomicBool,
}

impl Teller {
    fn new(output: OutputSink) -> Self {
        Self {
            output,
            is_open: AtomicBool::new(false),
        }
    }

    fn tell(&self, record: &Record) {
        match &record.event {
            Event::TextDelta { text } => {
                self.is_open.store(!text.ends_with('\n'), Ordering::Relaxed);
                (self.output)(Stream::Stdout, text.as_bytes());
            }
            Event::ToolStarted { tool, input, .. } => {
                self.line(&format!("▶ {tool} {}", cut(&input.to_string())));
            }
            Event::ToolCompleted {
                tool,
                is_error: false,
                ..
            } => self.line(&format!("✓ {tool}")),
            Event::ToolCompleted { tool, result, .. } => {
                let why = result.lines().next().unwrap_or_default();
                self.line(&format!("✗ {tool} {}", cut(why)));
            }
            Event::StepCompleted { .. } => self.end_text(),
            _ => {}
        }
    }

    fn line(&self, line: &str) {
        self.end_text();
        (self.output)(Stream::Stderr, format!("{line}\n").as_bytes());
    }

    fn end_text(&self) {
        if self.is_open.swap(false, Ordering::Relaxed) {
            (self.output)(Stream::Stdout, b"\n");
        }
    }
}

/// The first characters of `text`.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
