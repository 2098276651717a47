//! What the client is shown of a run.
//!
//! A client that draws runs gets the transcript's own events. Any other gets progress and log messages while the run
//! goes on, and at its end a document, if it can show one, and a message.

use super::flight::{Ending, Shown, Verdict};
use super::markdown::{Markdown, stop_words};
use super::merge::Chunks;
use super::progress::Progress;
use super::refusal;
use super::registry::RunOf;
use crate::host::state;
use crate::lsp::foreign::{one_line, without_links};
use crate::lsp::session::{Session, detached};
use crate::lsp::uri;
use crate::run::{Event, RunView, StopReason, TranscriptWriter};
use crate::workspace::DocumentKey;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tower_lsp::ls_types::notification::{LogMessage, ShowMessage};
use tower_lsp::ls_types::*;

/// The time between two lots of chunks: 30 a second (`docs/security.md`, 20).
const CHUNK_INTERVAL: Duration = Duration::from_millis(34);

/// A client that has left more bytes than this unread loses chunks.
const SLOW_CLIENT_BYTES: usize = 1 << 20;

/// How long a client may take to make a token for progress.
const CLIENT_PATIENCE: Duration = Duration::from_secs(10);

/// The most characters of a line in progress.
const MAX_LINE: usize = 80;

/// Who is shown a run.
pub struct Audience {
    pub session: Arc<Session>,
    pub run: String,
    pub uri: Arc<str>,
    pub document: DocumentKey,
    /// The test that it is, by name.
    pub test: Option<String>,
    /// Progress on the client's own token.
    pub client_progress: Option<Arc<Progress>>,
    /// The token of progress that is to be made where the client has none of its own.
    pub progress_token: ProgressToken,
    /// Where the run is written.
    pub transcript: Option<TranscriptWriter<BufWriter<File>>>,
}

/// Shows `records` up to the last, in order. Whoever sends them never waits for the client.
pub async fn present(
    mut audience: Audience,
    mut records: mpsc::UnboundedReceiver<Shown>,
) -> Ending {
    let mut transcript = audience.transcript.take();
    let mut presenter = Presenter::begin(audience).await;
    let mut chunks = Chunks::default();
    let mut due = Instant::now();
    loop {
        let record = tokio::select! {
            biased;
            () = tokio::time::sleep_until(due), if !chunks.is_empty() => {
                presenter.show_chunks(&mut chunks);
                due = Instant::now() + CHUNK_INTERVAL;
                continue;
            }
            record = records.recv() => record,
        };
        let record = match record {
            Some(Shown::Record(record)) => *record,
            Some(Shown::Verdict(verdict)) => {
                presenter.show_chunks(&mut chunks);
                presenter.judge(verdict);
                continue;
            }
            None => {
                // Every run sends `run_ended`; one that does not has failed.
                return Ending {
                    stop: StopReason::Failed,
                    answer: None,
                    verdict: None,
                };
            }
        };
        // A full disk ends the transcript, not the run.
        transcript = transcript.and_then(|mut to| to.write(&record).ok().map(|()| to));
        presenter.view.apply(&record);
        let event = record.event;
        if event.is_chunk() {
            chunks.push(event);
            continue;
        }
        presenter.show_chunks(&mut chunks);
        if let Some(ending) = presenter.show(event).await {
            return ending;
        }
    }
}

struct Presenter {
    audience: Audience,
    progress: Option<Arc<Progress>>,
    /// For a client that draws no runs.
    markdown: Option<Markdown>,
    /// Of the next event that the client gets.
    seq: u64,
    /// Chunks that a slow client lost, and has not been told of.
    lost: u64,
    view: RunView,
    /// What came of the test that it is.
    verdict: Option<Verdict>,
    /// The last line that the calls of this step have printed.
    output: String,
}

impl Presenter {
    async fn begin(audience: Audience) -> Self {
        let session = &audience.session;
        let draws_runs = session.abilities().run_events;
        let progress = match &audience.client_progress {
            Some(progress) => Some(progress.clone()),
            None if draws_runs || !session.abilities().work_done_progress => None,
            None => {
                let token = audience.progress_token.clone();
                let made = session.client.create_work_done_progress(token.clone());
                let made = tokio::time::timeout(CLIENT_PATIENCE, made).await;
                matches!(made, Ok(Ok(())))
                    .then(|| Arc::new(Progress::new(session.outbox.clone(), token)))
            }
        };
        if let Some(progress) = &progress {
            progress.begin(format!("Running {}", uri::file_name(&audience.uri)));
        }
        Self {
            markdown: (!draws_runs).then(Markdown::default),
            audience,
            progress,
            seq: 0,
            lost: 0,
            view: RunView::default(),
            verdict: None,
            output: String::new(),
        }
    }

    fn show_chunks(&mut self, chunks: &mut Chunks) {
        let (events, count) = chunks.take();
        if self.audience.session.outbox.backlog() > SLOW_CLIENT_BYTES {
            self.lost += count;
            return;
        }
        for event in events {
            self.send(&event);
            if let Event::ToolOutput { text, .. } = &event
                && let Some(line) = text.lines().rfind(|line| !line.trim().is_empty())
            {
                self.output = one_line(line, MAX_LINE);
            }
            self.report();
        }
    }

    /// Shows what is no chunk; returns how the run ended when it did.
    async fn show(&mut self, event: Event) -> Option<Ending> {
        // Before the client hears of it: it may ask for the lenses at once.
        if matches!(event, Event::RunStarted { .. } | Event::RunEnded { .. }) {
            self.remember();
        }
        self.send(&event);
        if let Some(markdown) = &mut self.markdown {
            markdown.add(&event);
            if let Some(line) = log_line(&event) {
                let message = format!("{}: {line}", self.audience.run);
                self.audience
                    .session
                    .outbox
                    .notify::<LogMessage>(LogMessageParams {
                        typ: MessageType::INFO,
                        message,
                    });
            }
        }
        match event {
            Event::StepStarted { .. } | Event::ToolStarted { .. } => {
                self.output.clear();
                self.report();
            }
            Event::RunEnded {
                stop,
                reason,
                answer,
                ..
            } => {
                self.end(stop, reason.as_deref(), answer.as_deref()).await;
                let verdict = self.verdict.take();
                return Some(Ending {
                    stop,
                    answer,
                    verdict,
                });
            }
            _ => {}
        }
        None
    }

    /// Takes what came of the test that it is, before it ends.
    fn judge(&mut self, verdict: Verdict) {
        let session = &self.audience.session;
        if session.abilities().run_events {
            let params = json!({
                "run": self.audience.run,
                "test": verdict.test,
                "passed": verdict.misses.is_empty(),
                "misses": misses(&verdict),
            });
            session.outbox.notify_value("loopls/testEnded", params);
        }
        self.verdict = Some(verdict);
    }

    /// Sends an event to a client that draws runs.
    fn send(&mut self, event: &Event) {
        if !self.audience.session.abilities().run_events {
            return;
        }
        if self.lost > 0 {
            let chunks = std::mem::take(&mut self.lost);
            self.send(&Event::Dropped { chunks });
        }
        let params = json!({ "run": self.audience.run, "seq": self.seq, "event": event });
        self.seq += 1;
        self.audience
            .session
            .outbox
            .notify_value("loopls/runEvent", params);
    }

    fn report(&self) {
        let Some(progress) = &self.progress else {
            return;
        };
        let view = &self.view;
        let tools = view.open_calls.iter().map(|call| one_line(&call.tool, 40));
        let tools = tools.collect::<Vec<_>>().join(", ");
        let line = match self.output.as_str() {
            "" => one_line(view.last_line(), MAX_LINE),
            output => output.to_owned(),
        };
        let parts = [format!("step {}", view.step), tools, line];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        progress.report(parts.join(" · "));
    }

    /// Lets the lenses show how far the run came.
    fn remember(&self) {
        let session = &self.audience.session;
        let of = match &self.audience.test {
            Some(test) => RunOf::Test(test.clone()),
            None => RunOf::Mode(self.view.mode.clone()),
        };
        let words = self.view.stop().map(|stop| {
            let words = self.words(stop);
            format!("{words} · {}", self.view.summary())
        });
        session
            .runs
            .remember(&self.audience.document, of, &self.audience.run, words);
        if session.abilities().code_lens_refresh {
            let session = session.clone();
            detached(async move { session.client.code_lens_refresh().await });
        }
    }

    /// How it ended, in words: a test by whether it passed, unless it did not get that far.
    fn words(&self, stop: StopReason) -> String {
        match &self.verdict {
            Some(verdict) if stop != StopReason::Cancelled => {
                let passed = match verdict.misses.is_empty() {
                    true => "passed",
                    false => "did not pass",
                };
                format!("{} {passed}", one_line(&verdict.test, 80))
            }
            _ => stop_words(stop).to_owned(),
        }
    }

    async fn end(&self, stop: StopReason, reason: Option<&str>, answer: Option<&str>) {
        let words = self.words(stop);
        if let Some(progress) = &self.progress {
            progress.end(&words);
        }
        let Some(markdown) = &self.markdown else {
            return;
        };
        let session = &self.audience.session;
        let kept = self.keep(markdown).await;
        let path = kept.as_ref().map(|path| format!("\n{}", path.display()));
        let miss = self.verdict.as_ref().and_then(|it| it.misses.first());
        let miss = miss.map(|(range, miss)| format!("line {}: {miss}", range.start.line + 1));
        let said = miss
            .as_deref()
            .or(answer)
            .or(reason.map(refusal::in_words))
            .map(|text| format!(": {}", one_line(text, 200)));
        let message = format!(
            "{}: {words}{}{}",
            uri::file_name(&self.audience.uri),
            said.unwrap_or_default(),
            path.unwrap_or_default(),
        );
        session.outbox.notify::<ShowMessage>(ShowMessageParams {
            typ: match (stop, &self.verdict) {
                (StopReason::Cancelled, _) => MessageType::WARNING,
                (_, Some(verdict)) if verdict.misses.is_empty() => MessageType::INFO,
                (StopReason::Answer, None) => MessageType::INFO,
                _ => MessageType::ERROR,
            },
            message: without_links(&message),
        });
        if let Some(path) = kept.filter(|_| session.abilities().show_document)
            && let Some(uri) = Uri::from_file_path(path)
        {
            let session = session.clone();
            // Whether and when it is shown does not concern the run.
            detached(async move {
                let document = ShowDocumentParams {
                    uri,
                    external: None,
                    take_focus: Some(false),
                    selection: None,
                };
                session.client.show_document(document).await
            });
        }
    }

    /// Writes the run as a document; returns where.
    async fn keep(&self, markdown: &Markdown) -> Option<PathBuf> {
        let folder = self.audience.session.machine.state_folder.clone()?;
        let text = markdown.text().to_owned();
        let kept = tokio::task::spawn_blocking(move || {
            let (path, mut file) = state::create(&folder.join(state::RUNS), "md").ok()?;
            file.write_all(text.as_bytes()).ok()?;
            Some(path)
        });
        kept.await.ok()?
    }
}

/// What a test missed, for the client.
pub fn misses(verdict: &Verdict) -> Value {
    let misses = verdict.misses.iter();
    let misses = misses.map(|(range, message)| json!({ "range": range, "message": message }));
    misses.collect()
}

/// What the log of a client that draws no runs says about an event.
fn log_line(event: &Event) -> Option<String> {
    match event {
        Event::RunStarted { r#loop, mode, .. } if mode.is_empty() => {
            Some(format!("{} starts", one_line(r#loop, 80)))
        }
        Event::RunStarted { r#loop, mode, .. } => Some(format!(
            "{} starts in {}",
            one_line(r#loop, 80),
            one_line(mode, 80)
        )),
        Event::ToolStarted { call, tool, input } => Some(format!(
            "call {call}: {} {}",
            one_line(tool, 80),
            one_line(&input.to_string(), 200)
        )),
        Event::ToolCompleted {
            call,
            is_error,
            result,
            ms,
            ..
        } => {
            let what = if *is_error { "failed" } else { "returned" };
            Some(format!(
                "call {call} {what} after {ms} ms: {}",
                one_line(result, 200)
            ))
        }
        Event::StepCompleted { step, reply, .. } => match reply["text"].as_str() {
            Some(text) if !text.trim().is_empty() => {
                Some(format!("step {step}: {}", one_line(text, 200)))
            }
            _ => None,
        },
        Event::Retry {
            after_ms, reason, ..
        } => Some(format!(
            "sent again after {after_ms} ms: {}",
            one_line(reason, 200)
        )),
        Event::RunEnded { stop, .. } => Some(format!("ended: {}", stop_words(*stop))),
        _ => None,
    }
}
