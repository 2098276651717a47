//! One run, from what the editor shows to its end.

use super::present::{self, Audience};
use super::progress::Progress;
use super::questions::Questions;
use super::refusal;
use crate::bind::Bound;
use crate::lsp::session::Session;
use crate::lsp::{bindings, convert, trust, uri};
use crate::run::model::{self, Message, client_for, replay};
use crate::run::{
    Event, Record, RecordedRun, StopReason, TestContext, TranscriptWriter, TurnContext,
    TurnRequest, Usage, foreseen, run_test, run_turn,
};
use crate::workspace::Snapshot;
use futures_util::FutureExt;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio_util::sync::CancellationToken;
use tower_lsp::ls_types::{ProgressToken, Range};

/// How long a client that draws no runs is left with the reply before it is told more.
const AFTER_REPLY: Duration = Duration::from_millis(50);

/// A run that is about to start.
pub struct Flight {
    pub session: Arc<Session>,
    /// The definition as the editor shows it.
    pub snapshot: Snapshot,
    pub run: String,
    pub plan: Plan,
    pub cancel: CancellationToken,
    /// Progress on the client's own token.
    pub client_progress: Option<Arc<Progress>>,
    /// The token of its progress, the client's or one to be made.
    pub progress_token: ProgressToken,
    /// Where it is written.
    pub transcript: Option<TranscriptWriter<BufWriter<File>>>,
}

/// What is run.
pub enum Plan {
    /// A turn.
    Turn {
        /// The mode, if one was asked for.
        mode: Option<String>,
        /// The user message, if one was given.
        prompt: Option<String>,
        /// The run that it goes on from, and what was said there.
        after: Option<(String, Vec<Arc<Message>>)>,
        /// A transcript whose replies and results take the place of the model and of tools.
        replay: Option<PathBuf>,
    },
    /// A test of the definition, by name.
    Test(String),
}

/// How a run ended, for who waited for it.
#[derive(Debug)]
pub struct Ending {
    pub stop: StopReason,
    pub answer: Option<String>,
    /// What came of the test that it was.
    pub verdict: Option<Verdict>,
}

/// What came of a test.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub test: String,
    /// What was not as expected, with its place; nothing if the test passed.
    pub misses: Vec<(Range, String)>,
}

/// What is shown of a run, in order.
pub enum Shown {
    Record(Box<Record>),
    /// Before the last record of a test.
    Verdict(Verdict),
}

/// Why a run did not start.
enum NotStarted {
    Cancelled,
    /// For people and, where it is one word, for programs.
    Because(String),
}

impl Flight {
    /// Runs to the end, which is told before this returns.
    pub async fn fly(mut self) -> Ending {
        let start = Instant::now();
        self.session.outbox.after_reply();
        if !self.session.abilities().run_events {
            // eglot reads what comes together with a reply only when more comes.
            tokio::time::sleep(AFTER_REPLY).await;
        }
        tracing::info!(run = self.run, "a run starts");
        let (records, shown) = mpsc::unbounded_channel::<Shown>();
        let transcript = self.transcript.take();
        let presenting = present::present(self.audience(transcript), shown);
        let running = async {
            let turn = AssertUnwindSafe(self.turn(&records)).catch_unwind().await;
            let not_started = match turn {
                Ok(Ok(flown)) => return self.land(flown, &records),
                Ok(Err(not_started)) => not_started,
                Err(_panic) => NotStarted::Because("internal error".into()),
            };
            let last = Record {
                seq: 0,
                t: start.elapsed().as_secs_f64(),
                event: ended_before_it_began(not_started, start),
            };
            let flown = Flown {
                history: Vec::new(),
                last: Some(last),
            };
            self.land(flown, &records);
        };
        let ((), ending) = tokio::join!(running, presenting);
        tracing::info!(run = self.run, stop = ?ending.stop, "a run ended");
        ending
    }

    /// Lets the next turn follow, and then shows that this one has ended: whoever sees that can go on from it.
    fn land(&self, flown: Flown, shown: &UnboundedSender<Shown>) {
        self.session.runs.land(&self.run, flown.history);
        if let Some(last) = flown.last {
            // Nobody is left to miss it when it comes second, after a panic in a turn that had ended.
            let _ = shown.send(Shown::Record(Box::new(last)));
        }
    }

    fn audience(&self, transcript: Option<TranscriptWriter<BufWriter<File>>>) -> Audience {
        Audience {
            transcript,
            document: uri::key(&self.snapshot.uri),
            session: self.session.clone(),
            run: self.run.clone(),
            client_progress: self.client_progress.clone(),
            progress_token: self.progress_token.clone(),
            uri: self.snapshot.uri.clone(),
            test: match &self.plan {
                Plan::Test(name) => Some(name.clone()),
                Plan::Turn { .. } => None,
            },
        }
    }

    /// What was planned; returns what was said.
    async fn turn(&self, shown: &UnboundedSender<Shown>) -> Result<Flown, NotStarted> {
        let replay = match &self.plan {
            Plan::Turn { replay, .. } => replay.as_deref().map(recorded).transpose(),
            Plan::Test(_) => Ok(None),
        };
        let replay = replay.map_err(NotStarted::Because)?;
        let bound = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(NotStarted::Cancelled),
            bound = self.bound(replay.as_ref()) => bound.map_err(NotStarted::Because)?,
        };
        let analysis = bound.accepted.analysis();
        bindings::tell_notices(&self.session, &self.snapshot, analysis, &bound.notices);
        let servers = bound.servers.clone();
        let history = match &self.plan {
            Plan::Test(name) => self.test(&bound, name, shown).await,
            Plan::Turn {
                mode,
                prompt,
                after,
                replay: _,
            } => {
                let asked = Asked {
                    mode: mode.as_deref(),
                    prompt: prompt.as_deref(),
                    after: after.as_ref(),
                };
                self.one_turn(bound, asked, replay, shown).await
            }
        };
        servers.end().await;
        history.map_err(NotStarted::Because)
    }

    /// The tools of the definition as the editor shows it, for what was planned.
    async fn bound(&self, replayed: Option<&RecordedRun>) -> Result<Bound, String> {
        let session = &self.session;
        let family = bindings::load(session, &self.snapshot).await?;
        if !trust::allows(session, &self.snapshot, &family).await {
            return Err(trust::NOT_TRUSTED.into());
        }
        let foreseen = match (&self.plan, replayed) {
            (Plan::Test(name), _) => foreseen(family.accepted.definition(), name),
            (Plan::Turn { mode, .. }, Some(run)) => {
                let mode = mode.as_deref().unwrap_or(&run.mode);
                Some(model::foreseen(run, mode))
            }
            (Plan::Turn { .. }, None) => None,
        };
        bindings::bound(session, &self.snapshot, family, foreseen).await
    }

    async fn one_turn(
        &self,
        bound: Bound,
        asked: Asked<'_>,
        recorded: Option<RecordedRun>,
        shown: &UnboundedSender<Shown>,
    ) -> Result<Flown, String> {
        let settings = self.session.configuration.settings();
        let recorded_mode = recorded.as_ref().map(|run| run.mode.as_str());
        let usual = recorded_mode
            .or(settings.mode.as_deref())
            .and_then(|name| bound.mode(name));
        let mode = match asked.mode {
            None => usual.unwrap_or_else(|| bound.initial_mode()),
            Some(name) => bound
                .mode(name)
                .ok_or_else(|| format!("there is no mode `{name}`"))?,
        };
        let own = Some(bound.accepted.definition().prompt.text());
        let prompts = [
            asked.prompt,
            recorded.as_ref().map(|run| run.prompt.as_str()),
            own,
            settings.prompt.as_deref(),
        ];
        // One that was given counts also if it is blank: whoever gave it hears so.
        let given = |prompt: &&str| asked.prompt.is_some() || !prompt.trim().is_empty();
        let prompt = prompts
            .into_iter()
            .flatten()
            .find(given)
            .unwrap_or_default();
        if prompt.trim().is_empty() {
            return Err(refusal::NO_PROMPT.into());
        }
        let (after, history) = asked.after.cloned().unzip();
        let request = TurnRequest {
            run: self.run.clone(),
            uri: self.snapshot.uri.to_string(),
            mode: Some(mode.name.clone()),
            after,
            prompt: prompt.to_owned(),
            history: history.unwrap_or_default(),
            ..TurnRequest::default()
        };
        let (bound, model) = match recorded {
            Some(run) => replay(&bound, run, &[]),
            None => {
                let model = client_for(&bound, mode).map_err(|error| error.to_string())?;
                (bound, model)
            }
        };
        let questions = Arc::new(Questions::new(self.session.clone(), self.run.clone()));
        let heeding = questions.clone();
        let (events, last) = all_but_the_last(shown, move |event| heeding.heed(event));
        let context = TurnContext {
            model,
            events,
            approver: questions,
            cancel: self.cancel.clone(),
        };
        let history = run_turn(&bound, request, context).await.history;
        Ok(Flown {
            history,
            last: last.take(),
        })
    }

    async fn test(
        &self,
        bound: &Bound,
        name: &str,
        shown: &UnboundedSender<Shown>,
    ) -> Result<Flown, String> {
        let (events, last) = all_but_the_last(shown, |_| {});
        let context = TestContext {
            run: self.run.clone(),
            uri: self.snapshot.uri.to_string(),
            allow: Vec::new(),
            // Who runs one test by its name has seen what it is; loops below are another matter.
            live: false,
            events,
            cancel: self.cancel.clone(),
        };
        let outcome = run_test(bound, name, context)
            .await
            .map_err(|error| error.to_string())?;
        let rope = &bound.accepted.analysis().rope;
        let encoding = self.session.abilities().encoding;
        let misses = outcome.misses.into_iter().map(|miss| {
            let range = convert::range_out(rope, miss.span, encoding);
            (range, miss.message)
        });
        let _ = shown.send(Shown::Verdict(Verdict {
            test: name.to_owned(),
            misses: misses.collect(),
        }));
        Ok(Flown {
            history: outcome.turn.history,
            last: last.take(),
        })
    }
}

/// A run that is over, but for saying so.
struct Flown {
    history: History,
    last: Option<Record>,
}

/// A record that is held back.
#[derive(Clone, Default)]
struct Held(Arc<Mutex<Option<Record>>>);

impl Held {
    fn hold(&self, record: &Record) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(record.clone());
    }

    fn take(&self) -> Option<Record> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.take()
    }
}

/// Takes the records of a turn.
type Events = Arc<dyn Fn(&Record) + Send + Sync>;

/// What shows every record but the last, each after `heed` has seen its event; and that last one.
fn all_but_the_last(
    shown: &UnboundedSender<Shown>,
    heed: impl Fn(&Event) + Send + Sync + 'static,
) -> (Events, Held) {
    let (shown, last) = (shown.clone(), Held::default());
    let held = last.clone();
    let events = move |record: &Record| {
        heed(&record.event);
        match record.event {
            Event::RunEnded { .. } => held.hold(record),
            // The presenter takes records until the last one.
            _ => drop(shown.send(Shown::Record(Box::new(record.clone())))),
        }
    };
    (Arc::new(events), last)
}

/// What was said.
type History = Vec<Arc<Message>>;

/// What whoever runs a turn asked for.
#[derive(Clone, Copy)]
struct Asked<'a> {
    mode: Option<&'a str>,
    prompt: Option<&'a str>,
    after: Option<&'a (String, History)>,
}

/// The run whose transcript is at `path`.
fn recorded(path: &Path) -> Result<RecordedRun, String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    RecordedRun::read(BufReader::new(file)).map_err(|error| unreadable(&error))
}

fn ended_before_it_began(not_started: NotStarted, start: Instant) -> Event {
    let (stop, reason) = match not_started {
        NotStarted::Cancelled => (StopReason::Cancelled, None),
        NotStarted::Because(reason) => (StopReason::Failed, Some(reason)),
    };
    Event::RunEnded {
        stop,
        reason,
        limit: None,
        answer: None,
        iterations: 0,
        calls: 0,
        usage: Usage::default(),
        ms: start.elapsed().as_millis() as u64,
    }
}
