//! What is to be shown of a run: the fold over its events from which status lines, lenses and progress read.

use super::{Event, LimitReached, Record, RunLimits, StopReason};

/// A run as far as its events tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunView {
    /// What it is doing.
    pub status: RunStatus,
    /// The mode; empty for the base.
    pub mode: String,
    /// The current step; 0 before the first.
    pub step: u64,
    /// Batches that ran, the current one included.
    pub iterations: u64,
    /// Calls that were taken up.
    pub calls: u64,
    /// The limits, once the run has started.
    pub limits: Option<RunLimits>,
    /// Input and output tokens of completed steps.
    pub tokens: u64,
    /// Calls that were taken up and are not over, in call order.
    pub open_calls: Vec<OpenCall>,
    /// Why it ended, where that needs words.
    pub reason: Option<String>,
    /// The limit that ended it.
    pub limit: Option<LimitReached>,
    /// The answer.
    pub answer: Option<String>,
    /// Milliseconds since its start.
    pub elapsed: u64,
    /// Whether a batch of the current step was counted.
    counted: bool,
    /// The last line of the reply's text that has words, and newlines after it.
    tail: String,
}

/// A call that is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// Its number.
    pub call: u64,
    /// Its tool.
    pub tool: String,
    /// Whether a person is being asked about it.
    pub asked: bool,
}

/// What a run is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunStatus {
    /// It has not begun.
    #[default]
    Starting,
    /// The model is replying.
    Replying,
    /// Calls are running.
    Calling,
    /// A person is being asked.
    Asking,
    /// It is over.
    Ended(StopReason),
}

impl RunView {
    /// Takes the next record of the run.
    pub fn apply(&mut self, record: &Record) {
        self.elapsed = (record.t * 1_000.0) as u64;
        match &record.event {
            Event::RunStarted { mode, limits, .. } => {
                self.mode.clone_from(mode);
                self.limits = Some(*limits);
            }
            Event::StepStarted { step } => {
                self.step = *step;
                self.status = RunStatus::Replying;
                self.counted = false;
                self.tail.clear();
            }
            Event::TextDelta { text } => self.add_text(text),
            Event::ToolStarted { call, tool, .. } => {
                self.iterations += u64::from(!std::mem::replace(&mut self.counted, true));
                self.calls += 1;
                self.open_calls.push(OpenCall {
                    call: *call,
                    tool: tool.clone(),
                    asked: false,
                });
                self.settle();
            }
            Event::AccessAsked { call, .. } => self.set_asked(*call, true),
            Event::AccessDecided { call, .. } => self.set_asked(*call, false),
            Event::ToolCompleted { call, .. } => {
                self.open_calls.retain(|open| open.call != *call);
                self.settle();
            }
            Event::StepCompleted { usage, .. } => self.tokens += usage.total(),
            Event::RunEnded {
                stop,
                reason,
                limit,
                answer,
                iterations,
                calls,
                usage,
                ms,
            } => {
                self.status = RunStatus::Ended(*stop);
                self.reason.clone_from(reason);
                self.limit.clone_from(limit);
                self.answer.clone_from(answer);
                self.iterations = *iterations;
                self.calls = *calls;
                self.tokens = usage.total();
                self.elapsed = *ms;
                self.open_calls.clear();
            }
            Event::ThinkingDelta { .. }
            | Event::ToolOutput { .. }
            | Event::Retry { .. }
            | Event::Dropped { .. } => {}
        }
    }

    /// The counters in one line: `3/8 iterations · 5/20 calls · 1.2k tokens · 2.4 s`.
    pub fn summary(&self) -> String {
        self.summary_at(self.elapsed)
    }

    /// The same `elapsed` milliseconds after its start. Without tokens where nobody counted any: not every model does.
    pub fn summary_at(&self, elapsed: u64) -> String {
        let of = |count: u64, max: Option<u64>| match max {
            Some(max) => format!("{count}/{max}"),
            None => count.to_string(),
        };
        let tokens = match self.tokens {
            0 => String::new(),
            tokens => format!("{} tokens · ", short_count(tokens)),
        };
        format!(
            "{} iterations · {} calls · {tokens}{}",
            of(self.iterations, self.limits.map(|limits| limits.iterations)),
            of(self.calls, self.limits.map(|limits| limits.calls)),
            short_time(elapsed)
        )
    }

    /// How the run ended; `None` while it goes on.
    pub fn stop(&self) -> Option<StopReason> {
        match self.status {
            RunStatus::Ended(stop) => Some(stop),
            _ => None,
        }
    }

    /// The last line of the current reply's text, as far as it came.
    pub fn last_line(&self) -> &str {
        self.tail.trim_end_matches('\n')
    }

    fn add_text(&mut self, text: &str) {
        self.tail.push_str(text);
        if let Some(before) = self.last_line().rfind('\n') {
            self.tail.drain(..=before);
        }
    }

    fn set_asked(&mut self, call: u64, asked: bool) {
        for open in self.open_calls.iter_mut().filter(|open| open.call == call) {
            open.asked = asked;
        }
        self.settle();
    }

    /// The status that the open calls make.
    fn settle(&mut self) {
        self.status = match self.open_calls.iter().any(|open| open.asked) {
            true => RunStatus::Asking,
            false => RunStatus::Calling,
        };
    }
}

/// `950`, `1.2k`, `12k`, `1.2M`; cut, not rounded.
fn short_count(count: u64) -> String {
    let (unit, suffix) = match count {
        0..1_000 => return count.to_string(),
        1_000..1_000_000 => (1_000, "k"),
        1_000_000.. => (1_000_000, "M"),
    };
    match (count / unit, count % unit / (unit / 10)) {
        (whole @ ..10, tenth @ 1..) => format!("{whole}.{tenth}{suffix}"),
        (whole, _) => format!("{whole}{suffix}"),
    }
}

/// `2.4 s`, `1 min 05 s`; cut, not rounded.
fn short_time(milliseconds: u64) -> String {
    match milliseconds / 1_000 {
        seconds @ ..60 => format!("{seconds}.{} s", milliseconds % 1_000 / 100),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_in_one_line() {
        let limits = RunLimits {
            iterations: 8,
            calls: 20,
            parallel: 8,
            result_bytes: 0,
            tokens: 0,
            time: None,
        };
        for (tokens, elapsed, expected) in [
            (0, 0, "3/8 iterations · 5/20 calls · 0.0 s"),
            (
                999,
                2_450,
                "3/8 iterations · 5/20 calls · 999 tokens · 2.4 s",
            ),
            (
                1_000,
                59_999,
                "3/8 iterations · 5/20 calls · 1k tokens · 59.9 s",
            ),
            (
                1_234,
                60_000,
                "3/8 iterations · 5/20 calls · 1.2k tokens · 1 min 00 s",
            ),
            (
                12_900,
                65_000,
                "3/8 iterations · 5/20 calls · 12k tokens · 1 min 05 s",
            ),
            (
                3_450_000,
                3_600_000,
                "3/8 iterations · 5/20 calls · 3.4M tokens · 60 min 00 s",
            ),
        ] {
            let view = RunView {
                iterations: 3,
                calls: 5,
                limits: Some(limits),
                tokens,
                elapsed,
                ..RunView::default()
            };
            assert_eq!(view.summary(), expected);
        }
    }

    #[test]
    fn the_last_line_is_the_last_with_words() {
        let mut view = RunView::default();
        for (text, expected) in [
            ("one", "one"),
            (" and", "one and"),
            ("\n", "one and"),
            ("\n", "one and"),
            ("two\nthr", "thr"),
            ("ee\n", "three"),
        ] {
            view.add_text(text);
            assert_eq!(view.last_line(), expected);
        }
    }
}
