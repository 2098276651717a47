//! One run, from what the editor shows to its end.

use super::present::{self, Audience};
use super::progress::Progress;
use super::questions::Questions;
use crate::bind::Bound;
use crate::lsp::session::Session;
use crate::lsp::{bindings, trust, uri};
use crate::run::model::{Message, ModelClient, client_for};
use crate::run::{
    Event, Record, StopReason, TranscriptWriter, TurnContext, TurnRequest, Usage, run_turn,
};
use crate::workspace::Snapshot;
use futures_util::FutureExt;
use std::fs::File;
use std::io::BufWriter;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower_lsp::ls_types::ProgressToken;

/// A run that is about to start.
pub struct Flight {
    pub session: Arc<Session>,
    /// The definition as the editor shows it.
    pub snapshot: Snapshot,
    pub run: String,
    pub mode: Option<String>,
    pub prompt: Option<String>,
    /// What was said before.
    pub history: Vec<Arc<Message>>,
    pub cancel: CancellationToken,
    /// Progress on the client's own token.
    pub client_progress: Option<Arc<Progress>>,
    /// The token of its progress, the client's or one to be made.
    pub progress_token: ProgressToken,
    /// Where it is written.
    pub transcript: Option<TranscriptWriter<BufWriter<File>>>,
}

/// How a run ended, for who waited for it.
#[derive(Debug)]
pub struct Ending {
    pub stop: StopReason,
    pub answer: Option<String>,
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
        let (records, shown) = mpsc::unbounded_channel();
        let transcript = self.transcript.take();
        let presenting = present::present(self.audience(transcript), shown);
        let running = async {
            let turn = AssertUnwindSafe(self.turn(&records)).catch_unwind().await;
            let not_started = match turn {
                Ok(Ok(history)) => return history,
                Ok(Err(not_started)) => not_started,
                Err(_panic) => NotStarted::Because("internal error".into()),
            };
            // Nobody is left to miss it when it comes second, after a panic in a turn that had ended.
            let _ = records.send(Record {
                seq: 0,
                t: start.elapsed().as_secs_f64(),
                event: ended_before_it_began(not_started, start),
            });
            Vec::new()
        };
        let (history, ending) = tokio::join!(running, presenting);
        self.session.runs.land(&self.run, history);
        ending
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
        }
    }

    /// One turn; returns what was said.
    async fn turn(
        &self,
        records: &mpsc::UnboundedSender<Record>,
    ) -> Result<Vec<Arc<Message>>, NotStarted> {
        let (bound, mode, model) = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(NotStarted::Cancelled),
            prepared = self.prepare() => prepared.map_err(NotStarted::Because)?,
        };
        let prompt = match &self.prompt {
            Some(prompt) => prompt.clone(),
            None => match bound.accepted.definition().prompt.text() {
                "" => self.session.configuration.settings().prompt.clone(),
                prompt => Some(prompt.to_owned()),
            }
            .unwrap_or_default(),
        };
        if prompt.trim().is_empty() {
            let reason = "there is no prompt: give one, or write `prompt` into the definition";
            return Err(NotStarted::Because(reason.into()));
        }
        let request = TurnRequest {
            run: self.run.clone(),
            uri: self.snapshot.uri.to_string(),
            mode: Some(mode),
            prompt,
            history: self.history.clone(),
            ..TurnRequest::default()
        };
        let questions = Arc::new(Questions::new(self.session.clone(), self.run.clone()));
        let events = {
            let records = records.clone();
            let questions = questions.clone();
            move |record: &Record| {
                questions.heed(&record.event);
                // The presenter takes records until the last one.
                let _ = records.send(record.clone());
            }
        };
        let context = TurnContext {
            model,
            events: Arc::new(events),
            approver: questions,
            cancel: self.cancel.clone(),
        };
        Ok(run_turn(&bound, request, context).await.history)
    }

    /// Everything up to the first request; returns what to run, in which mode, with which model.
    async fn prepare(&self) -> Result<(Bound, String, Arc<dyn ModelClient>), String> {
        let session = &self.session;
        let family = bindings::load(session, &self.snapshot).await?;
        if !trust::allows(session, &self.snapshot, &family).await {
            return Err(trust::NOT_TRUSTED.into());
        }
        let bound = bindings::bound(session, &self.snapshot, family).await?;
        let settings = session.configuration.settings();
        let usual = settings.mode.as_deref().and_then(|name| bound.mode(name));
        let mode = match &self.mode {
            None => usual.unwrap_or_else(|| bound.initial_mode()),
            Some(name) => bound
                .mode(name)
                .ok_or_else(|| format!("there is no mode `{name}`"))?,
        };
        let model = client_for(&bound, mode).map_err(|error| error.to_string())?;
        let mode = mode.name.clone();
        Ok((bound, mode, model))
    }
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
