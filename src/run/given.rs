//! Results that are given instead of running tools, by a test or by a record (`docs/security.md`, 11).
//!
//! A layer around the tools of a bound loop, and of those below it, whose tools have the path of the calls that lead to
//! them for a name. A call with a given result is checked like any other and then answered with that. Of the rest `read`
//! runs, `write` runs where it is allowed by name, `irreversible` never does.

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
    /// Whether loops below may ask a real model.
    live: bool,
    refused: Mutex<Vec<Refused>>,
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
    pub why: Why,
}

/// Why a call may not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// For what it does to the world.
    Effect(Effect),
    /// It hands work to a loop whose model is a real one.
    Model,
}

impl std::fmt::Display for Why {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Effect(effect) => formatter.write_str(effect.as_str()),
            Self::Model => formatter.write_str("asks a real model"),
        }
    }
}

impl Entry {
    /// Whether it is given for a call of `tool` with `input`.
    pub fn fits(&self, tool: &str, input: &Value) -> bool {
        let wanted = self.input.as_ref();
        self.tool == tool && wanted.is_none_or(|wanted| is_same(wanted, input))
    }
}

impl Given {
    /// These results; calls of the tools in `allow` run without, and loops below ask real models if `live`.
    pub fn new(entries: Vec<Entry>, allow: Vec<String>, live: bool) -> Arc<Self> {
        Arc::new(Self {
            entries: Mutex::new(entries),
            allow,
            live,
            refused: Mutex::default(),
        })
    }

    /// `bound` with this layer around every tool.
    pub fn around(self: &Arc<Self>, bound: &Bound) -> Bound {
        self.around_below(bound, "")
    }

    /// The same where `path` leads to the loop: empty, or ending in a slash.
    fn around_below(self: &Arc<Self>, bound: &Bound, path: &str) -> Bound {
        let mut bound = bound.clone();
        for tool in bound.modes.iter_mut().flat_map(|mode| &mut mode.tools) {
            *tool = Arc::new(Layer {
                name: format!("{path}{}", tool.info().name),
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
        let fits = |entry: &Entry| entry.fits(tool, input);
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

    /// Why a call of `tool`, whose path is `name`, may not run without a given result.
    fn forbids(&self, name: &str, tool: &dyn Tool) -> Option<Why> {
        let effect = tool.info().effect;
        let may = match effect {
            Effect::Read => true,
            Effect::Write => self.allow.iter().any(|allowed| allowed == name),
            Effect::Irreversible => false,
        };
        match tool.subloop() {
            _ if !may => Some(Why::Effect(effect)),
            Some(child) if !self.live && !is_scripted(child) => Some(Why::Model),
            _ => None,
        }
    }

    fn refuse(&self, tool: String, why: Why) {
        lock(&self.refused).push(Refused { tool, why });
    }
}

fn is_scripted(bound: &Bound) -> bool {
    let model = model_of(bound, bound.initial_mode());
    model.is_some_and(|model| model.provider.text() == SCRIPTED)
}

/// Nobody is there to be asked: the call is denied, and counts as refused.
impl Approver for Given {
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        self.refuse(question.tool, Why::Effect(question.effect));
        std::future::ready(Answer::Deny).boxed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Layer {
    /// The path of the tool.
    name: String,
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

    fn is_slow_to_prepare(&self, bytes: usize) -> bool {
        self.inner.is_slow_to_prepare(bytes)
    }

    fn prepare(&self, input: &Value) -> Result<Box<dyn PreparedCall>, InputProblem> {
        let prepared = self.inner.prepare(input)?;
        let name = self.name.clone();
        let given = self.given.clone();
        if let Some(outcome) = given.take(&name, input) {
            return Ok(Box::new(GivenCall(outcome)));
        }
        Ok(match given.forbids(&name, &*self.inner) {
            Some(why) => Box::new(RefusedCall { name, why, given }),
            None if self.inner.subloop().is_some() => Box::new(CallBelow {
                prepared,
                below: Below { name, given },
            }),
            None => prepared,
        })
    }
}

/// A call that returns a given result.
struct GivenCall(Outcome);

impl PreparedCall for GivenCall {
    fn shown(&self) -> String {
        "a given result; nothing is started".into()
    }

    fn is_given(&self) -> bool {
        true
    }

    fn run(self: Box<Self>, _context: CallContext) -> BoxFuture<'static, Outcome> {
        std::future::ready(self.0).boxed()
    }
}

/// A call that may not run.
struct RefusedCall {
    name: String,
    why: Why,
    given: Arc<Given>,
}

impl PreparedCall for RefusedCall {
    fn shown(&self) -> String {
        "no result is given; nothing is started".into()
    }

    fn is_given(&self) -> bool {
        true
    }

    fn run(self: Box<Self>, _context: CallContext) -> BoxFuture<'static, Outcome> {
        let Self { name, why, given } = *self;
        let outcome = Outcome::error(format_args!(
            "not run: no result is given for this call of `{name}` ({why})"
        ));
        given.refuse(name, why);
        std::future::ready(outcome).boxed()
    }
}

/// A call that hands work to a loop, around whose tools the layer lies too.
struct CallBelow {
    prepared: Box<dyn PreparedCall>,
    below: Below,
}

impl PreparedCall for CallBelow {
    fn shown(&self) -> String {
        self.prepared.shown()
    }

    fn run(self: Box<Self>, mut context: CallContext) -> BoxFuture<'static, Outcome> {
        let Self { prepared, below } = *self;
        context.subloops = Arc::new(LayerBelow {
            inner: context.subloops,
            below,
        });
        prepared.run(context)
    }
}

/// The call below which a loop runs.
struct Below {
    name: String,
    given: Arc<Given>,
}

struct LayerBelow {
    inner: Arc<dyn Subloop>,
    below: Below,
}

impl Subloop for LayerBelow {
    fn run(
        &self,
        child: Arc<Bound>,
        message: String,
        context: CallContext,
    ) -> BoxFuture<'static, Outcome> {
        let Below { name, given } = &self.below;
        let child = given.around_below(&child, &format!("{name}/"));
        self.inner.run(Arc::new(child), message, context)
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
                    NodeKind::String(text) | NodeKind::Datetime(text) => text.to_string(),
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
