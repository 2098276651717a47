//! Results that are given instead of running tools, by a test or by a record (`security.md`, 11).
//!
//! A layer around the tools of a bound loop. A call with a given result is checked like any other and then answered
//! with that. Of the rest `read` runs, `write` runs where it is allowed by name, `irreversible` never does. The same holds
//! in loops below, where names are paths: `research/find`.

use super::access::{Answer, Approver, Question};
use super::model::{SCRIPTED, model_of};
use crate::bind::{
    Bound, CallContext, InputProblem, Outcome, PreparedCall, Subloop, Tool, ToolInfo,
};
use crate::definition::{Effect, GivenResult};
use crate::syntax::{Node, NodeKind};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Given results, and what became of the calls that have none.
#[derive(Default)]
pub(super) struct Given {
    entries: Mutex<Vec<Entry>>,
    /// Tools with the effect `write` that run where no result is given.
    allow: Vec<String>,
    refused: Mutex<Vec<Refused>>,
    /// Whether a loop below may ask a real model.
    live: bool,
}

/// One given result.
pub(super) struct Entry {
    /// The model-facing name, trimmed.
    pub tool: String,
    /// The input for which it is given; any if `None`.
    pub input: Option<Value>,
    /// What the model gets.
    pub result: String,
    pub is_error: bool,
    /// Whether a call got it.
    pub used: bool,
}

/// A call that had no given result and did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub tool: String,
    pub effect: Effect,
}

impl Given {
    pub fn new(entries: Vec<Entry>, allow: Vec<String>, live: bool) -> Arc<Self> {
        Arc::new(Self {
            entries: Mutex::new(entries),
            allow,
            refused: Mutex::default(),
            live,
        })
    }

    /// `bound` with this layer around every tool.
    pub fn around(self: &Arc<Self>, bound: &Bound) -> Bound {
        self.around_below("", bound)
    }

    /// The same of a loop whose tools have paths that begin with `prefix`.
    fn around_below(self: &Arc<Self>, prefix: &str, bound: &Bound) -> Bound {
        let mut bound = bound.clone();
        for tool in bound.modes.iter_mut().flat_map(|mode| &mut mode.tools) {
            *tool = Arc::new(Layer {
                path: format!("{prefix}{}", tool.info().name),
                inner: tool.clone(),
                given: self.clone(),
            });
        }
        bound
    }

    /// The calls that did not run, in order.
    pub fn refused(&self) -> Vec<Refused> {
        lock(&self.refused).clone()
    }

    /// The result for a call: of the entries that fit each once in order, then the last of them.
    fn take(&self, tool: &str, input: &Value) -> Option<Outcome> {
        let mut entries = lock(&self.entries);
        let fits = |entry: &Entry| {
            entry.tool == tool
                && entry
                    .input
                    .as_ref()
                    .is_none_or(|wanted| is_same(wanted, input))
        };
        let fresh = entries.iter().position(|entry| !entry.used && fits(entry));
        let index = fresh.or_else(|| entries.iter().rposition(fits))?;
        let entry = &mut entries[index];
        entry.used = true;
        Some(match entry.is_error {
            false => Outcome::text(entry.result.as_str()),
            true => {
                let text = &entry.result;
                Outcome::error(text.strip_prefix("error: ").unwrap_or(text))
            }
        })
    }

    fn refuse(&self, tool: String, effect: Effect) {
        lock(&self.refused).push(Refused { tool, effect });
    }
}

/// Nobody is there to be asked: the call is denied, and counts as refused.
impl Approver for Given {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        self.refuse(question.tool, question.effect);
        std::future::ready(Answer::Deny).boxed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Layer {
    /// The tool's name, behind those of the tools that hand work on to its loop.
    path: String,
    inner: Arc<dyn Tool>,
    given: Arc<Given>,
}

impl Tool for Layer {
    fn info(&self) -> &ToolInfo {
        self.inner.info()
    }

    fn subloop(&self) -> Option<&Arc<Bound>> {
        self.inner.subloop()
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        let prepared = self.inner.prepare(input)?;
        let effect = self.info().effect;
        let result = match self.given.take(&self.path, input) {
            Some(outcome) => Ok(outcome),
            None if self.may_run() => {
                return Ok(Box::new(RealCall {
                    prefix: format!("{}/", self.path),
                    prepared,
                    given: self.given.clone(),
                }));
            }
            None => Err(self.given.clone()),
        };
        Ok(Box::new(GivenCall {
            tool: self.path.clone(),
            effect,
            result,
        }))
    }
}

impl Layer {
    /// Whether a call without a given result may run.
    fn may_run(&self) -> bool {
        let is_allowed = || self.given.allow.contains(&self.path);
        match self.info().effect {
            Effect::Read => self.given.live || !self.asks_real_model() || is_allowed(),
            Effect::Write => is_allowed(),
            Effect::Irreversible => false,
        }
    }

    /// Whether a call hands work to a loop whose model is not the embedded one.
    fn asks_real_model(&self) -> bool {
        self.subloop().is_some_and(|below| {
            let model = model_of(below, below.initial_mode());
            model.is_none_or(|model| model.provider.text() != SCRIPTED)
        })
    }
}

/// A call that is made, with the layer around every tool of a loop that it hands work to.
struct RealCall {
    prefix: String,
    prepared: Box<dyn PreparedCall>,
    given: Arc<Given>,
}

impl PreparedCall for RealCall {
    fn shown(&self) -> String {
        self.prepared.shown()
    }

    fn run(self: Box<Self>, mut context: CallContext) -> BoxFuture<'static, Outcome> {
        let Self {
            prefix,
            prepared,
            given,
        } = *self;
        context.subloops = Arc::new(Below {
            prefix,
            given,
            subloops: context.subloops,
        });
        prepared.run(context)
    }
}

/// Runs loops below with the layer around their tools.
struct Below {
    prefix: String,
    given: Arc<Given>,
    subloops: Arc<dyn Subloop>,
}

impl Subloop for Below {
    fn run(
        &self,
        child: Arc<Bound>,
        message: String,
        context: CallContext,
    ) -> BoxFuture<'static, Outcome> {
        let child = self.given.around_below(&self.prefix, &child);
        self.subloops.run(Arc::new(child), message, context)
    }
}

/// A call that does nothing.
struct GivenCall {
    tool: String,
    effect: Effect,
    /// What it returns; else who is told that it was refused.
    result: Result<Outcome, Arc<Given>>,
}

impl PreparedCall for GivenCall {
    fn shown(&self) -> String {
        "a given result; nothing is started".into()
    }

    fn is_given(&self) -> bool {
        true
    }

    fn run(self: Box<Self>, _context: CallContext) -> BoxFuture<'static, Outcome> {
        let Self {
            tool,
            effect,
            result,
        } = *self;
        let outcome = result.unwrap_or_else(|given| {
            let outcome = Outcome::error(format_args!(
                "not run: no result is given for this call of `{tool}`, whose effect is {}",
                effect.as_str()
            ));
            given.refuse(tool, effect);
            outcome
        });
        std::future::ready(outcome).boxed()
    }
}

impl From<&GivenResult> for Entry {
    fn from(given: &GivenResult) -> Self {
        Self {
            tool: given.tool.text().trim().to_owned(),
            input: given.input.get().map(input_of),
            result: given
                .result
                .get()
                .map_or_else(String::new, |node| match &node.kind {
                    NodeKind::String(text) | NodeKind::Datetime(text) => text.clone(),
                    _ => node.to_json().to_string(),
                }),
            is_error: given.error.get().copied().unwrap_or_default(),
            used: false,
        }
    }
}

/// The input that a definition means: a table, or a string that goes out as raw text, which the engine reads as JSON
/// where it is some.
pub(super) fn input_of(node: &Node) -> Value {
    match &node.kind {
        NodeKind::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        NodeKind::String(text) => {
            serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str()))
        }
        _ => node.to_json(),
    }
}

/// Whether two values are the same JSON: keys in any order, numbers by what they come to.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.as_f64() == other.as_f64() && (one.is_f64() || other.is_f64()))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(key, value)| other.get(key).is_some_and(|other| is_same(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(input: Option<Value>, result: &str) -> Entry {
        Entry {
            tool: "get".into(),
            input,
            result: result.into(),
            is_error: false,
            used: false,
        }
    }

    #[test]
    fn of_several_that_fit_each_comes_once_and_then_the_last() {
        let given = Given::new(
            vec![
                entry(Some(json!({ "n": 1 })), "one"),
                entry(None, "any"),
                entry(Some(json!({ "n": 1 })), "one again"),
            ],
            Vec::new(),
            false,
        );
        let take = |input: Value| {
            let outcome = given.take("get", &input);
            outcome.map(|outcome| String::from_utf8(outcome.bytes).unwrap())
        };
        for (n, expected) in [
            (2, "any"),
            (2, "any"),
            (1, "one"),
            (1, "one again"),
            (1, "one again"),
            (3, "any"),
        ] {
            assert_eq!(take(json!({ "n": n })).as_deref(), Some(expected), "{n}");
        }
        assert_eq!(given.take("put", &json!({})), None);
    }

    #[test]
    fn json_is_compared_by_value() {
        for (one, other, expected) in [
            (json!(1), json!(1.0), true),
            (json!(1), json!(2.0), false),
            (json!(u64::MAX), json!(u64::MAX - 1), false),
            (
                json!({ "a": 1, "b": [2] }),
                json!({ "b": [2.0], "a": 1 }),
                true,
            ),
            (json!({ "a": 1 }), json!({ "a": 1, "b": 2 }), false),
            (json!([1, 2]), json!([1]), false),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(is_same(&one, &other), expected, "{one} {other}");
            assert_eq!(is_same(&other, &one), expected, "{other} {one}");
        }
    }
}
