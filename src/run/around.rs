//! What is done around the calls of a loop: its middlewares, the first outermost (`docs/format.md`, `[[middlewares]]`).
//!
//! They are within the call: its timeout counts all attempts and the waits between them, and its result is what comes
//! out of the outermost.

use super::Event;
use super::transcript::Recorder;
use crate::bind::{
    CallContext, LogFile, Middleware, MiddlewareKind, Outcome, PreparedCall, Secrets, Tool,
    ToolInfo,
};
use crate::definition::Milliseconds;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use regex::bytes::Regex;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// What stands in the place of what a `redact` replaced.
const REDACTED: &[u8] = b"[redacted]";
/// What begins the bytes of a failure.
const ERROR: &[u8] = b"error: ";
/// How far from bytes that a source dropped a line may end that is left out with them: what is left of it may be a part
/// of what would have been replaced.
const LONGEST_PART: usize = 4 << 10;
/// The longest wait between two attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The most characters of why an attempt failed that are told.
const MOST_CHARACTERS: usize = 300;

/// What is put around the calls of one tool.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    layers: Vec<MiddlewareKind>,
}

impl Around {
    /// Those of `middlewares` that are for `tool`.
    pub fn of(middlewares: &[Middleware], tool: &ToolInfo) -> Self {
        let layers = middlewares.iter();
        let layers = layers.filter(|middleware| middleware.applies_to(tool));
        Self {
            layers: layers.map(|middleware| middleware.kind.clone()).collect(),
        }
    }

    /// Whether a call may be made again, for which its input is needed.
    pub fn retries(&self) -> bool {
        let mut layers = self.layers.iter();
        layers.any(|layer| matches!(layer, MiddlewareKind::Retry { .. }))
    }

    /// Whether results are changed, so that nobody may see output before it is.
    pub fn redacts(&self) -> bool {
        self.redactions().next().is_some()
    }

    fn redactions(&self) -> impl Iterator<Item = &Regex> {
        let layers = self.layers.iter();
        let patterns = layers.map(|layer| match layer {
            MiddlewareKind::Redact(patterns) => patterns.as_slice(),
            MiddlewareKind::Log(_) | MiddlewareKind::Retry { .. } => &[],
        });
        patterns.flatten()
    }
}

/// A call with what is around it.
pub(super) struct CallAround {
    pub around: Arc<Around>,
    pub tool: Arc<dyn Tool>,
    /// What further attempts are made of; `None` where there is to be but one.
    pub input: Option<Value>,
    /// The first attempt.
    pub prepared: Box<dyn PreparedCall>,
    pub context: CallContext,
    /// Its number, its run and the name of its loop, for those who are told of it.
    pub number: u64,
    pub run: String,
    pub in_loop: String,
    pub recorder: Arc<Recorder>,
}

impl CallAround {
    /// Makes the call. A given result passes what redacts alone: nothing happens of which there could be a log, and it is
    /// what it is however often one asks.
    pub async fn run(self) -> Outcome {
        let Self { around, .. } = &self;
        if around.layers.is_empty() {
            return self.prepared.run(self.context).await;
        }
        let around = around.clone();
        if self.prepared.is_given() {
            let secrets = self.recorder.secrets().clone();
            let outcome = self.prepared.run(self.context).await;
            let patterns = around.redactions();
            return patterns.fold(outcome, |outcome, pattern| {
                redact(outcome, std::slice::from_ref(pattern), &secrets)
            });
        }
        let mut making = Making {
            attempts: 0,
            next: Some(self.prepared),
            around,
            tool: self.tool,
            input: self.input,
            context: self.context,
            number: self.number,
            run: self.run,
            in_loop: self.in_loop,
            recorder: self.recorder,
        };
        making.through(0).await
    }
}

/// A call that is being made.
struct Making {
    around: Arc<Around>,
    tool: Arc<dyn Tool>,
    input: Option<Value>,
    context: CallContext,
    number: u64,
    run: String,
    in_loop: String,
    recorder: Arc<Recorder>,
    /// How often the tool was started.
    attempts: u32,
    /// The attempt that is ready.
    next: Option<Box<dyn PreparedCall>>,
}

impl Making {
    /// Makes the call through the layers from number `layer` on.
    fn through(&mut self, layer: usize) -> BoxFuture<'_, Outcome> {
        let around = self.around.clone();
        async move {
            match around.layers.get(layer) {
                None => self.start().await,
                Some(MiddlewareKind::Redact(patterns)) => {
                    let outcome = self.through(layer + 1).await;
                    redact(outcome, patterns, self.recorder.secrets())
                }
                Some(MiddlewareKind::Retry { attempts, backoff }) => {
                    self.retry(layer, *attempts, *backoff).await
                }
                Some(MiddlewareKind::Log(log)) => self.log(layer, log.clone()).await,
            }
        }
        .boxed()
    }

    /// Starts the tool.
    async fn start(&mut self) -> Outcome {
        let next = match (self.next.take(), &self.input) {
            (Some(next), _) => next,
            (None, None) => return Outcome::error("it cannot be made again"),
            (None, Some(input)) => {
                let (tool, input) = (self.tool.clone(), input.clone());
                // The check takes the time it takes.
                let prepared = tokio::task::spawn_blocking(move || tool.prepare(&input)).await;
                match prepared {
                    Ok(Ok(prepared)) => prepared,
                    Ok(Err(problem)) => return Outcome::error(problem),
                    Err(_) => return Outcome::error("the tool crashed"),
                }
            }
        };
        self.attempts += 1;
        next.run(self.context.clone()).await
    }

    async fn retry(&mut self, layer: usize, attempts: u32, backoff: Milliseconds) -> Outcome {
        let mut wait = Duration::from_millis(backoff.try_into().unwrap_or(0)).min(LONGEST_WAIT);
        for attempt in 1.. {
            let outcome = self.through(layer + 1).await;
            let is_last = attempt >= attempts || self.input.is_none();
            if !outcome.is_error || is_last || self.context.cancel.is_cancelled() {
                return outcome;
            }
            self.recorder.emit(Event::Retry {
                call: Some(self.number),
                after_ms: wait.as_millis() as u64,
                reason: format!(
                    "attempt {attempt} of {attempts} failed: {}",
                    self.reason(&outcome)
                ),
            });
            tokio::select! {
                biased;
                () = self.context.cancel.cancelled() => return outcome,
                () = tokio::time::sleep(wait) => {}
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        unreachable!("the last attempt returns")
    }

    /// Why an attempt failed, in one line that holds nothing that some layer would replace.
    fn reason(&self, outcome: &Outcome) -> String {
        let text = outcome.bytes.strip_prefix(ERROR).unwrap_or(&outcome.bytes);
        let text = self.recorder.secrets().hide_bytes(text.to_vec());
        let patterns = self.around.redactions();
        let text = patterns.fold(text, |text, pattern| replace(&text, pattern).into_owned());
        let text = String::from_utf8_lossy(&text);
        // The first line may be a heading of what was printed; the last says how it ended.
        let line = text.lines().rfind(|line| !line.trim().is_empty());
        line.unwrap_or_default()
            .chars()
            .take(MOST_CHARACTERS)
            .collect()
    }

    /// A call that cannot be logged is not made.
    async fn log(&mut self, layer: usize, log: Arc<LogFile>) -> Outcome {
        let opened = log.clone();
        if let Err(error) = aside(move || opened.prepare()).await {
            return Outcome::error(format_args!("not run: its log cannot be written: {error}"));
        }
        let (before, start) = (self.attempts, Instant::now());
        let time = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let outcome = self.through(layer + 1).await;
        let info = self.tool.info();
        // No input and no result: a log is kept longer than what was said is anybody's business (`docs/security.md`, 15).
        let mut line = json!({
            "time": time.as_millis() as f64 / 1e3,
            "run": self.run,
            "loop": self.in_loop,
            "call": self.number,
            "tool": info.name,
            "effect": info.effect.as_str(),
            "attempts": self.attempts - before,
            "is_error": outcome.is_error,
            "bytes": outcome.bytes.len() as u64 + outcome.dropped,
            "ms": start.elapsed().as_millis() as u64,
        });
        self.recorder.secrets().hide_value(&mut line);
        // It was made, and what came of it is true whether or not that is logged; the next one is not made.
        let _ = aside(move || log.append(&line)).await;
        outcome
    }
}

/// Does something with files where nobody waits for them.
async fn aside(act: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    let done = tokio::task::spawn_blocking(act).await;
    done.unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// `outcome` with what `patterns` match replaced. Secrets go first: a pattern could leave a part of one.
fn redact(outcome: Outcome, patterns: &[Regex], secrets: &Secrets) -> Outcome {
    let Outcome {
        mut bytes,
        dropped_at,
        mut dropped,
        is_error,
    } = outcome;
    let prefix = match is_error && bytes.starts_with(ERROR) {
        true => ERROR.len(),
        false => 0,
    };
    let mut after = bytes.split_off(dropped_at.clamp(prefix, bytes.len().max(prefix)));
    let mut before = bytes.split_off(prefix);
    if dropped > 0 {
        let kept = before.len() + after.len();
        before.truncate(before.len() - last_part(&before));
        after.drain(..first_part(&after));
        dropped += (kept - before.len() - after.len()) as u64;
    } else {
        // Nothing is missing between the two, so what is to be replaced may lie in both.
        before.append(&mut after);
    }
    let [before, after] = [before, after].map(|side| {
        let side = secrets.hide_bytes(side);
        let mut patterns = patterns.iter();
        patterns
            .by_ref()
            .fold(side, |side, pattern| replace(&side, pattern).into_owned())
    });
    bytes.extend(before);
    let dropped_at = bytes.len();
    bytes.extend(after);
    Outcome {
        bytes,
        dropped_at,
        dropped,
        is_error,
    }
}

fn replace<'a>(bytes: &'a [u8], pattern: &Regex) -> Cow<'a, [u8]> {
    pattern.replace_all(bytes, |found: &regex::bytes::Captures<'_>| {
        match &found[0] {
            // Nothing was found, here and everywhere.
            [] => &[][..],
            _ => REDACTED,
        }
    })
}

/// The bytes of the unfinished line at the end.
fn last_part(bytes: &[u8]) -> usize {
    let near = bytes.iter().rev().take(LONGEST_PART);
    near.take_while(|byte| **byte != b'\n').count()
}

/// The bytes of the line at the start whose beginning is missing.
fn first_part(bytes: &[u8]) -> usize {
    let near = bytes.iter().take(LONGEST_PART);
    near.take_while(|byte| **byte != b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(outcome: Outcome, patterns: &[&str]) -> Outcome {
        let patterns: Vec<_> = patterns.iter().map(|it| Regex::new(it).unwrap()).collect();
        redact(outcome, &patterns, &Secrets::new([("KEY", "abcd-1234")]))
    }

    #[test]
    fn what_fits_is_replaced_and_nothing_else() {
        for (text, patterns, expected) in [
            (
                "card 4000123412341234.",
                &["[0-9]{16}"][..],
                "card [redacted].",
            ),
            ("a b", &["a", "b"], "[redacted] [redacted]"),
            ("abc", &["x*"], "abc"),
            ("plain", &[], "plain"),
            ("$1", &["(.)1"], "[redacted]"),
            // Secrets go before any pattern could leave a part of one.
            ("<abcd-1234>", &["[0-9]+"], "<[KEY]>"),
        ] {
            let outcome = redacted(Outcome::text(text), patterns);
            assert_eq!(
                String::from_utf8(outcome.bytes).unwrap(),
                expected,
                "{text}"
            );
        }
        let outcome = redacted(Outcome::text(b"\xff4\xff".to_vec()), &["4"]);
        assert_eq!(outcome.bytes, b"\xff[redacted]\xff");
        // A failure begins with the word for it, whatever the patterns are.
        let outcome = redacted(Outcome::error("an error"), &["error"]);
        assert_eq!(outcome.bytes, b"error: an [redacted]");
    }

    #[test]
    fn a_line_that_a_gap_cuts_goes_with_the_gap() {
        let outcome = Outcome {
            bytes: b"one\ncard 4000123412341234 paid\ntwo".to_vec(),
            dropped_at: 17,
            dropped: 100,
            is_error: false,
        };
        let outcome = redacted(outcome, &["[0-9]{16}"]);
        assert_eq!(outcome.bytes, b"one\n\ntwo");
        assert_eq!((outcome.dropped_at, outcome.dropped), (4, 126));
        // Where nothing was dropped there is no gap.
        let outcome = Outcome {
            bytes: b"card 4000123412341234 paid".to_vec(),
            dropped_at: 10,
            dropped: 0,
            is_error: false,
        };
        assert_eq!(
            redacted(outcome, &["[0-9]{16}"]).bytes,
            b"card [redacted] paid"
        );
    }
}
