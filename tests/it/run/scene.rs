//! A run with fakes, and what is left of it.

use super::fake::{FakeModel, FakePerson, FakeTool, Reply};
use loopls::bind::{Bound, BoundMode, Keys, Middleware, Secrets, Tool};
use loopls::check::{Accepted, Analysis};
use loopls::definition::{Nowhere, Spanned, resolve};
use loopls::run::access::{Answer, Approver};
use loopls::run::model::{Message, ModelClient};
use loopls::run::{
    Event, Record, RecordedRun, StopReason, TranscriptWriter, Turn, TurnContext, TurnRequest,
    run_turn,
};
use loopls::text::Text;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A run to be: a definition, tools, a model, a person.
pub struct Scene {
    top: String,
    provider: String,
    tables: String,
    tools: Vec<Arc<dyn Tool>>,
    pub model: Arc<dyn ModelClient>,
    pub person: Arc<dyn Approver>,
    pub mode: Option<String>,
    pub history: Vec<Arc<Message>>,
    pub yes: bool,
    pub allow: Vec<String>,
    pub cancel: CancellationToken,
    pub prompt: String,
    secrets: Arc<Secrets>,
    /// Called with the compact form of each event; what it is for is cancelling at one.
    pub at: Option<(String, CancellationToken)>,
}

impl Scene {
    /// A run of a definition with `tables` behind its model, in which the model replies as told.
    pub fn new(tables: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            top: String::new(),
            provider: "scripted".into(),
            tables: tables.into(),
            tools: Vec::new(),
            model: FakeModel::new(replies),
            person: Arc::new(FakePerson::default()),
            mode: None,
            history: Vec::new(),
            yes: false,
            allow: Vec::new(),
            cancel: CancellationToken::new(),
            prompt: "go".into(),
            secrets: Arc::default(),
            at: None,
        }
    }

    /// Top-level keys.
    pub fn top(mut self, top: &str) -> Self {
        self.top = top.into();
        self
    }

    /// Has the definition name this provider.
    pub fn provider(mut self, provider: &str) -> Self {
        self.provider = provider.into();
        self
    }

    pub fn tools(mut self, tools: impl IntoIterator<Item = FakeTool>) -> Self {
        self.tools = tools
            .into_iter()
            .map(|tool| Arc::new(tool) as Arc<dyn Tool>)
            .collect();
        self
    }

    /// Has a person who thinks for `thinks` milliseconds and gives these answers.
    pub fn answers<const N: usize>(self, thinks: u64, answers: [Answer; N]) -> Self {
        self.asking(thinks, answers).0
    }

    /// The same, and the person to ask about the questions.
    pub fn asking<const N: usize>(
        mut self,
        thinks: u64,
        answers: [Answer; N],
    ) -> (Self, Arc<FakePerson>) {
        let person = Arc::new(FakePerson {
            answers: Mutex::new(answers.into()),
            questions: Mutex::default(),
            thinks,
        });
        self.person = person.clone();
        (self, person)
    }

    /// Has one secret.
    pub fn secret(mut self, name: &str, value: &str) -> Self {
        self.secrets = Arc::new(Secrets::new([(name, value)]));
        self
    }

    pub fn prompt(mut self, prompt: &str) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Lets calls of the tool `name` run without asking.
    pub fn allowing(mut self, name: &str) -> Self {
        self.allow.push(name.into());
        self
    }

    /// Cancels the run when the event that reads `line` happens.
    pub fn cancel_at(mut self, line: &str) -> Self {
        self.at = Some((line.into(), self.cancel.clone()));
        self
    }

    pub fn text(&self) -> String {
        let Self {
            top,
            provider,
            tables,
            ..
        } = self;
        format!(
            "name = \"test\"\n{top}\n[model]\nprovider = \"{provider}\"\nname = \"m\"\n{tables}\n"
        )
    }

    pub fn bound(&self) -> Bound {
        let mut bound = bound(&self.text(), self.tools.clone());
        bound.secrets = self.secrets.clone();
        bound
    }

    /// Runs it, and holds what holds for every run.
    pub async fn run(self) -> Ran {
        let bound = self.bound();
        self.run_bound(&bound).await
    }

    pub async fn run_bound(self, bound: &Bound) -> Ran {
        let records: Arc<Mutex<Vec<Record>>> = Arc::default();
        let seen = records.clone();
        let at = self.at;
        let request = TurnRequest {
            run: "run-1".into(),
            uri: "file:///test.loop.toml".into(),
            mode: self.mode,
            prompt: self.prompt,
            history: self.history,
            yes: self.yes,
            allow: self.allow,
            ..TurnRequest::default()
        };
        let context = TurnContext {
            model: self.model,
            events: Arc::new(move |record| {
                seen.lock().unwrap().push(record.clone());
                if let Some((line, cancel)) = &at
                    && *line == line_of(&record.event)
                {
                    cancel.cancel();
                }
            }),
            approver: self.person,
            cancel: self.cancel,
        };
        let before = request.history.len();
        let turn = run_turn(bound, request, context).await;
        let records = std::mem::take(&mut *records.lock().unwrap());
        let ran = Ran { records, turn };
        ran.hold_invariants(before);
        ran
    }
}

/// Binds `text` to `tools` in every mode.
pub fn bound(text: &str, tools: Vec<Arc<dyn Tool>>) -> Bound {
    let analysis = Arc::new(Analysis::new(ropey::Rope::from_str(text)));
    let accepted = Accepted::new(analysis, &Nowhere)
        .unwrap_or_else(|rejected| panic!("{:#?}\n{text}", rejected.0));
    let place = |file: &Spanned<Text>| Ok(PathBuf::from(file.value.as_str()));
    let middlewares = Middleware::all(accepted.definition(), place).unwrap();
    let modes = resolve(accepted.definition())
        .into_iter()
        .map(|mode| BoundMode {
            name: mode.name.into(),
            limits: mode.limits,
            tools: tools.clone(),
            system: String::new(),
            effort: mode.effort,
        })
        .collect();
    Bound {
        modes,
        notices: Vec::new(),
        servers: Arc::default(),
        middlewares: Arc::new(middlewares),
        secrets: Arc::default(),
        accepted,
        session_id: Uuid::from_u128(1),
        loop_id: Uuid::from_u128(2),
        keys: Keys::default(),
    }
}

/// What is left of a run.
pub struct Ran {
    pub records: Vec<Record>,
    pub turn: Turn,
}

impl Ran {
    /// The events, one line each, without the first.
    pub fn lines(&self) -> Vec<String> {
        self.records[1..]
            .iter()
            .map(|record| line_of(&record.event))
            .collect()
    }

    /// The lines that begin with one of these words.
    pub fn lines_of(&self, words: &[&str]) -> Vec<String> {
        let mut lines = self.lines();
        lines.retain(|line| words.iter().any(|word| line.starts_with(word)));
        lines
    }

    /// The transcript.
    pub fn transcript(&self) -> Vec<u8> {
        let mut transcript = TranscriptWriter::new(Vec::new());
        for record in &self.records {
            transcript.write(record).unwrap();
        }
        transcript.into_inner()
    }

    /// Why it ended.
    pub fn stop(&self) -> StopReason {
        let Event::RunEnded { stop, .. } = self.turn.ended else {
            panic!("{:?}", self.turn.ended);
        };
        stop
    }

    /// The last line.
    pub fn ended(&self) -> String {
        line_of(&self.turn.ended)
    }

    /// The results of the last batch, in the order in which the model gets them.
    pub fn results(&self) -> Vec<String> {
        let mut messages = self.turn.history.iter().rev();
        let results = messages.find_map(|message| match &**message {
            Message::Results(results) => Some(results),
            _ => None,
        });
        let results = results.expect("there is a batch").iter();
        results
            .map(|result| format!("{} {}: {}", result.id, result.tool, result.text))
            .collect()
    }

    /// How many steps were completed.
    pub fn steps_completed(&self) -> usize {
        self.records
            .iter()
            .filter(|record| matches!(record.event, Event::StepCompleted { .. }))
            .count()
    }

    /// What holds for every run, before which `before` messages were said.
    fn hold_invariants(&self, before: usize) {
        let events: Vec<_> = self.records.iter().map(|record| &record.event).collect();
        for (index, record) in self.records.iter().enumerate() {
            assert_eq!(record.seq, index as u64);
            let json = serde_json::to_string(record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&json).unwrap(), *record);
        }
        assert!(matches!(events[0], Event::RunStarted { .. }));
        assert_eq!(**events.last().unwrap(), self.turn.ended);
        assert!(matches!(self.turn.ended, Event::RunEnded { .. }));

        let recorded = RecordedRun::read(self.transcript().as_slice()).unwrap();
        assert_eq!(
            recorded.history(),
            self.turn.history[before..],
            "a transcript tells what a turn returns"
        );

        let (mut started, mut completed) = (HashMap::new(), HashMap::new());
        let mut first_completed = None;
        for event in events {
            match event {
                Event::StepStarted { .. } => first_completed = None,
                Event::ToolStarted { call, tool, .. } => {
                    assert_eq!(
                        first_completed, None,
                        "{call} started after a call completed"
                    );
                    assert_eq!(
                        *call,
                        started.len() as u64 + 1,
                        "calls are numbered in order"
                    );
                    started.insert(*call, tool.clone());
                }
                Event::ToolCompleted { call, tool, .. } => {
                    first_completed = first_completed.or(Some(*call));
                    assert_eq!(completed.insert(*call, tool.clone()), None, "{call} twice");
                }
                _ => {}
            }
        }
        assert_eq!(started, completed, "every call that starts completes once");

        let mut history = self.turn.history.iter().peekable();
        while let Some(message) = history.next() {
            let Message::Assistant(reply) = &**message else {
                continue;
            };
            if reply.calls.is_empty() {
                continue;
            }
            let Some(Message::Results(results)) = history.peek().map(|message| &***message) else {
                panic!("calls without results: {reply:?}");
            };
            let called: Vec<_> = reply
                .calls
                .iter()
                .map(|call| (&call.id, &call.tool))
                .collect();
            let answered: Vec<_> = results
                .iter()
                .map(|result| (&result.id, &result.tool))
                .collect();
            assert_eq!(called, answered, "one result for each call, in call order");
        }
    }
}

/// An event in one line.
pub fn line_of(event: &Event) -> String {
    match event {
        Event::RunStarted { mode, .. } => format!("run {mode}"),
        Event::StepStarted { step } => format!("step {step}"),
        Event::TextDelta { text } => format!("text {text}"),
        Event::ThinkingDelta { text } => format!("thinking {text}"),
        Event::ToolStarted { call, tool, input } => format!("started {call} {tool} {input}"),
        Event::AccessAsked {
            call,
            tool,
            effect,
            shown,
        } => {
            format!("asked {call} {tool} ({effect}): {shown}")
        }
        Event::AccessDecided {
            call,
            decision,
            by,
            pattern,
        } => {
            let pattern = pattern.as_ref().map(|pattern| format!(" `{pattern}`"));
            format!(
                "{} {call} by {}{}",
                word(decision),
                word(by),
                pattern.unwrap_or_default()
            )
        }
        Event::ToolOutput { call, stream, text } => {
            format!("output {call} {}: {text}", word(stream))
        }
        Event::ToolCompleted {
            call, tool, result, ..
        } => format!("completed {call} {tool}: {result}"),
        Event::StepCompleted {
            step, stop_reason, ..
        } => format!("step {step} done: {stop_reason}"),
        Event::Retry {
            call,
            after_ms,
            reason,
        } => {
            let call = call.map(|call| format!("{call} "));
            let call = call.unwrap_or_default();
            format!("retry {call}after {after_ms}: {reason}")
        }
        Event::Dropped { chunks } => format!("dropped {chunks}"),
        Event::RunEnded {
            stop,
            reason,
            answer,
            iterations,
            calls,
            ..
        } => {
            let text = answer.as_ref().or(reason.as_ref());
            let text = text.map(|text| format!(": {text}")).unwrap_or_default();
            format!("ended {} after {iterations}/{calls}{text}", word(stop))
        }
    }
}

/// The word that stands for a value in a transcript.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value).unwrap() {
        Value::String(word) => word,
        other => panic!("{other} is no word"),
    }
}
