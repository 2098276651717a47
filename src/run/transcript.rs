//! Events become records: numbered and timed in one place, and written as JSON Lines.

use super::{Event, Record};
use crate::bind::Secrets;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::Instant;

/// The size from which on a transcript takes no more chunks (`docs/security.md`, 20).
const MAX_TRANSCRIPT_BYTES: u64 = 256 << 20;

/// Numbers and times the events of one run and hands them on, in order, whichever thread they come from.
pub(super) struct Recorder {
    start: Instant,
    events: Arc<dyn Fn(&Record) + Send + Sync>,
    secrets: Arc<Secrets>,
    next: Mutex<Next>,
}

#[derive(Default)]
struct Next {
    seq: u64,
    ended: bool,
}

impl Recorder {
    /// A recorder whose run starts now, and whose events hold no secrets.
    pub fn new(events: Arc<dyn Fn(&Record) + Send + Sync>, secrets: Arc<Secrets>) -> Self {
        Self {
            start: Instant::now(),
            events,
            secrets,
            next: Mutex::default(),
        }
    }

    /// When the run started.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// What no event holds.
    pub fn secrets(&self) -> &Arc<Secrets> {
        &self.secrets
    }

    /// Hands `event` on and gives it back, so that large parts of it need not be copied. What comes after
    /// `RunEnded` (the output of a tool that would not end) is dropped.
    pub fn emit(&self, mut event: Event) -> Event {
        if !self.secrets.is_empty() {
            hide(&mut event, &self.secrets);
        }
        // The state is whole after every statement below, so a reader that panicked did it no harm.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if next.ended {
            return event;
        }
        next.ended = matches!(event, Event::RunEnded { .. });
        let record = Record {
            seq: next.seq,
            t: self.start.elapsed().as_micros() as f64 / 1e6,
            event,
        };
        next.seq += 1;
        (self.events)(&record);
        record.event
    }
}

/// Hides `secrets` in what `event` says. Chunks and results were treated where they came from: a secret may be divided
/// among chunks, and a result is cut by what it comes to without them.
fn hide(event: &mut Event, secrets: &Secrets) {
    match event {
        Event::RunStarted { uri, prompt, .. } => {
            secrets.hide_in(uri);
            secrets.hide_in(prompt);
        }
        Event::ToolStarted { tool, input, .. } => {
            secrets.hide_in(tool);
            secrets.hide_value(input);
        }
        Event::AccessAsked { shown, .. } => secrets.hide_in(shown),
        Event::ToolCompleted { tool, .. } => secrets.hide_in(tool),
        Event::StepCompleted { reply, .. } => secrets.hide_value(reply),
        Event::Retry { reason, .. } => secrets.hide_in(reason),
        Event::RunEnded { reason, answer, .. } => {
            let texts = [reason, answer].into_iter().flatten();
            texts.for_each(|text| secrets.hide_in(text));
        }
        Event::StepStarted { .. }
        | Event::TextDelta { .. }
        | Event::ThinkingDelta { .. }
        | Event::AccessDecided { .. }
        | Event::ToolOutput { .. }
        | Event::Dropped { .. } => {}
    }
}

/// Writes records as JSON Lines: a transcript.
pub struct TranscriptWriter<W> {
    writer: W,
    written: u64,
}

impl<W: Write> TranscriptWriter<W> {
    /// A transcript on `writer`, which should be buffered.
    pub fn new(writer: W) -> Self {
        Self { writer, written: 0 }
    }

    /// Writes one line. Each step that is completed is flushed, so that a run that is killed leaves what it came to. Past
    /// 256 MiB chunks of text and output are left out.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        if self.written > MAX_TRANSCRIPT_BYTES && record.event.is_chunk() {
            return Ok(());
        }
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.writer.write_all(&line)?;
        self.written += line.len() as u64;
        match record.event {
            Event::StepCompleted { .. } | Event::RunEnded { .. } => self.writer.flush(),
            _ => Ok(()),
        }
    }

    /// The writer.
    pub fn into_inner(self) -> W {
        self.writer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_transcript_takes_no_more_chunks_but_every_other_event() {
        let mut transcript = TranscriptWriter::new(Vec::new());
        let write = |transcript: &mut TranscriptWriter<Vec<u8>>, event: Event| {
            let record = Record {
                seq: 0,
                t: 0.5,
                event,
            };
            transcript.write(&record).unwrap();
        };
        write(&mut transcript, Event::StepStarted { step: 1 });
        write(&mut transcript, Event::TextDelta { text: "a".into() });
        transcript.written = MAX_TRANSCRIPT_BYTES + 1;
        write(&mut transcript, Event::TextDelta { text: "b".into() });
        write(&mut transcript, Event::StepStarted { step: 2 });
        assert_eq!(
            String::from_utf8(transcript.into_inner()).unwrap(),
            "{\"seq\":0,\"t\":0.5,\"type\":\"step_started\",\"step\":1}\n\
             {\"seq\":0,\"t\":0.5,\"type\":\"text_delta\",\"text\":\"a\"}\n\
             {\"seq\":0,\"t\":0.5,\"type\":\"step_started\",\"step\":2}\n"
        );
    }
}
