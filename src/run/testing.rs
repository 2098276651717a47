//! `[[tests]]`: a run whose replies and results may be given, and which is held against what is expected of it.

use super::Record;
use super::expectation::{Came, Miss};
use super::given::{Entry, Given, Refused, Why};
use super::model::{ClientError, SCRIPTED, Scripted, client_for, input_of, script_of};
use super::turn::{Turn, TurnContext, TurnRequest, run_turn};
use crate::bind::{Bound, Foreseen, ForeseenCall};
use crate::definition::{Definition, Effect, Test, resolve};
use crate::text::Text;
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// How a test is to be run.
pub struct TestContext {
    /// Names the run in every event.
    pub run: String,
    /// Where the definition is, for the transcript.
    pub uri: String,
    /// Tools with the effect `write` whose calls run where no result is given, by exact name.
    pub allow: Vec<String>,
    /// Whether loops below may ask a real model; the loop itself asks its own wherever the test has no script.
    pub live: bool,
    /// Gets every record, in order, as it happens; must not block.
    pub events: Arc<dyn Fn(&Record) + Send + Sync>,
    /// Ends the test when cancelled.
    pub cancel: CancellationToken,
}

/// What came of a test.
#[derive(Debug)]
pub struct TestOutcome {
    /// The run.
    pub turn: Turn,
    /// What was not as expected; nothing if the test passed.
    pub misses: Vec<Miss>,
}

impl TestOutcome {
    /// Whether everything was as expected.
    pub fn passed(&self) -> bool {
        self.misses.is_empty()
    }
}

/// Why a test cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TestError {
    /// The definition has no such test.
    #[error("there is no test `{0}`")]
    Unknown(String),
    /// Neither the test nor the definition says what to say to the loop.
    #[error("there is no prompt: write `prompt` into the test or the definition")]
    NoPrompt,
    /// There is no client of the model that a test without a script needs.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Whether a run of `test` asks a real model: it has no script, and its model is not the scripted one. Whoever runs
/// tests without being told which leaves those out.
pub fn is_live(definition: &Definition, test: &Test) -> bool {
    let mode = mode_of(definition, test);
    let modes = resolve(definition);
    let mode = modes.iter().find(|resolved| resolved.name == mode);
    let model = mode.and_then(|mode| mode.model);
    let is_scripted = model.is_some_and(|model| model.provider.text() == SCRIPTED);
    test.script.is_missing() && !is_scripted
}

/// The calls that the test called `name` makes, where its model's side stands in the definition; to bind for it.
pub fn foreseen(definition: &Definition, name: &str) -> Option<Foreseen> {
    let mut tests = definition.tests.iter();
    let test = tests.find(|test| test.name.text() == name)?;
    let mode = mode_of(definition, test);
    let script = match test.script.get() {
        Some(script) => script,
        None => {
            let modes = resolve(definition);
            let model = modes.iter().find(|resolved| resolved.name == mode)?.model?;
            script_of(definition, model)?
        }
    };
    let entries: Vec<Entry> = test.results.iter().map(Entry::from).collect();
    let calls = script.iter().flat_map(|reply| &reply.calls);
    let calls = calls.map(|call| {
        let tool = call.tool.text().trim().to_owned();
        // What is no JSON never comes as far as its tool.
        let is_given = input_of(call).is_none_or(|input| {
            let mut entries = entries.iter();
            entries.any(|entry| entry.fits(&tool, &input))
        });
        ForeseenCall { tool, is_given }
    });
    Some(Foreseen {
        mode: mode.to_owned(),
        calls: calls.collect(),
    })
}

/// The name of the mode that `test` runs in.
fn mode_of<'a>(definition: &'a Definition, test: &'a Test) -> &'a str {
    let own = test.mode.get();
    own.map_or(definition.initial_mode.text(), Text::as_str)
}

/// Runs the test called `name` of the definition that `bound` was made from. With a script the model says that; with
/// none it is the real one, whoever pays for it ([`is_live`]). Results that the test gives take the place of running
/// the tool; of the other calls `read` runs, `write` runs where the context allows it, `irreversible` never does, and
/// a call that did not run for this is a miss.
///
/// # Errors
///
/// The test cannot be run; nothing was started and no event sent.
pub async fn run_test(
    bound: &Bound,
    name: &str,
    context: TestContext,
) -> Result<TestOutcome, TestError> {
    let definition = bound.accepted.definition();
    let test = definition
        .tests
        .iter()
        .find(|test| test.name.text() == name);
    let test = test.ok_or_else(|| TestError::Unknown(name.to_owned()))?;
    let prompt = test.prompt.get().or(definition.prompt.get());
    let prompt = prompt
        .filter(|prompt| !prompt.trim().is_empty())
        .ok_or(TestError::NoPrompt)?;
    let mode = test.mode.get().and_then(|name| bound.mode(name));
    let mode = mode.unwrap_or_else(|| bound.initial_mode());
    let model = match test.script.get() {
        Some(script) => Arc::new(Scripted::new(script)),
        None => client_for(bound, mode)?,
    };
    let request = TurnRequest {
        run: context.run,
        uri: context.uri,
        mode: Some(mode.name.clone()),
        test: Some(name.to_owned()),
        prompt: prompt.to_string(),
        allow: context.allow.clone(),
        ..TurnRequest::default()
    };
    let entries = test.results.iter().map(Entry::from).collect();
    let given = Given::new(entries, context.allow, context.live);
    let came: Arc<Mutex<Came>> = Arc::default();
    let events = {
        let came = came.clone();
        move |record: &Record| {
            came.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .apply(record);
            (context.events)(record);
        }
    };
    let turn_context = TurnContext {
        model,
        events: Arc::new(events),
        approver: given.clone(),
        cancel: context.cancel,
    };
    let turn = run_turn(&given.around(bound), request, turn_context).await;
    let refused = given.refused();
    let misses = refused.iter().map(|refused| Miss {
        span: test.span,
        message: not_given(refused),
    });
    let mut misses: Vec<_> = misses.collect();
    if let Some(expect) = test.expect.spanned() {
        let came = came.lock().unwrap_or_else(PoisonError::into_inner);
        misses.extend(came.misses(expect));
    }
    Ok(TestOutcome { turn, misses })
}

fn not_given(refused: &Refused) -> String {
    let Refused { tool, why } = refused;
    let what = format!("`{tool}` ({why}) was reached without a given result and did not run");
    match why {
        Why::Effect(Effect::Irreversible) => format!("{what}; add one to the test's `results`"),
        Why::Effect(_) => {
            format!("{what}; add one to the test's `results`, or allow `{tool}` by name")
        }
        Why::Model => format!("{what}; add one to the test's `results`, or run the test live"),
    }
}
