//! What a test expects of a run, against what came of it.

use super::given::{input_of, is_same};
use super::{Event, Record, StopReason};
use crate::bind::written_out;
use crate::definition::{Expect, ExpectedCall, ExpectedResult, Spanned};
use crate::text::{Span, Text};
use regex::Regex;
use serde_json::Value;

/// The most characters of a text that a miss shows.
const MAX_SHOWN: usize = 200;

/// An expectation that was not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The expectation; the test's header for what no key says.
    pub span: Span,
    /// What came instead.
    pub message: String,
}

/// What came of a run, as far as a test can expect it.
#[derive(Debug, Default)]
pub(super) struct Came {
    calls: Vec<Call>,
    /// Why the run ended; `None` while it goes on.
    stop: Option<StopReason>,
    reason: Option<String>,
    answer: Option<String>,
    iterations: u64,
}

#[derive(Debug)]
struct Call {
    tool: String,
    input: Value,
    result: String,
    is_error: bool,
}

impl Came {
    /// Takes the next record of the run.
    pub fn apply(&mut self, record: &Record) {
        match &record.event {
            Event::ToolStarted { tool, input, .. } => self.calls.push(Call {
                tool: tool.clone(),
                input: input.clone(),
                result: String::new(),
                is_error: false,
            }),
            Event::ToolCompleted {
                call,
                result,
                is_error,
                ..
            } => {
                // Calls are numbered from 1 in the order in which they start.
                let index = usize::try_from(*call).unwrap_or(0).wrapping_sub(1);
                if let Some(call) = self.calls.get_mut(index) {
                    call.result.clone_from(result);
                    call.is_error = *is_error;
                }
            }
            Event::RunEnded {
                stop,
                reason,
                answer,
                iterations,
                ..
            } => {
                self.stop = Some(*stop);
                self.reason.clone_from(reason);
                self.answer.clone_from(answer);
                self.iterations = *iterations;
            }
            _ => {}
        }
    }

    /// What of `expect` was not met, in order of its keys in the format.
    pub fn misses(&self, expect: &Spanned<Expect>) -> Vec<Miss> {
        let mut misses = Vec::new();
        self.check_stop(expect, &mut misses);
        let stopped_otherwise = !misses.is_empty();
        let expect = &expect.value;
        // Where the run ended otherwise than expected, that there is no answer is no news.
        if self.answer.is_some() || !stopped_otherwise {
            self.check_answer(expect, &mut misses);
        }
        if let Some(calls) = expect.calls.spanned() {
            misses.extend(self.check_calls(calls));
        }
        self.check_results(expect.results.get().map_or(&[], Vec::as_slice), &mut misses);
        if let Some(iterations) = expect.iterations.spanned()
            && u64::try_from(iterations.value) != Ok(self.iterations)
        {
            misses.push(Miss {
                span: iterations.span,
                message: format!(
                    "the run had {} iterations, not {}",
                    self.iterations, iterations.value
                ),
            });
        }
        misses
    }

    fn check_stop(&self, expect: &Spanned<Expect>, misses: &mut Vec<Miss>) {
        let wanted = expect.value.stop.spanned();
        let span = wanted.map_or(expect.span, |wanted| wanted.span);
        let wanted = wanted.map_or(StopReason::Answer.as_str(), |wanted| wanted.value.as_str());
        let Some(stop) = self.stop.filter(|stop| stop.as_str() != wanted) else {
            return;
        };
        let why = match (&self.reason, &self.answer) {
            (Some(reason), _) => format!(": {}", shortened(reason)),
            (None, Some(answer)) => format!(": {}", shown(answer)),
            (None, None) => String::new(),
        };
        let message = format!(
            "the run ended in `{}`, not in `{wanted}`{why}",
            stop.as_str()
        );
        misses.push(Miss { span, message });
    }

    fn check_answer(&self, expect: &Expect, misses: &mut Vec<Miss>) {
        let answer = self.answer.as_deref();
        type Meets = fn(&str, &str) -> bool;
        let mut check = |wanted: Option<&Spanned<Text>>, otherwise: &str, meets: Meets| {
            let Some(wanted) = wanted else { return };
            let message = match answer {
                None => "there is no answer".to_owned(),
                Some(answer) if meets(answer, &wanted.value) => return,
                Some(answer) => {
                    let wanted = shown(&wanted.value);
                    format!("the answer is {}, {otherwise} {wanted}", shown(answer))
                }
            };
            let span = wanted.span;
            misses.push(Miss { span, message });
        };
        check(expect.answer.spanned(), "not", |answer, wanted| {
            answer == wanted
        });
        check(
            expect.contains.spanned(),
            "which does not contain",
            |answer, wanted| answer.contains(wanted),
        );
        check(
            expect.matches.spanned(),
            "which does not match",
            |answer, wanted| {
                // An accepted definition has no pattern that is none.
                Regex::new(wanted).is_ok_and(|pattern| pattern.is_match(answer))
            },
        );
    }

    /// The first difference between the calls that came and those that are expected.
    fn check_calls(&self, expected: &Spanned<Vec<ExpectedCall>>) -> Option<Miss> {
        for (index, wanted) in expected.value.iter().enumerate() {
            let input = wanted.input.get().map(input_of);
            let number = index + 1;
            let tool = wanted.tool.text().trim();
            let came = self.calls.get(index);
            let fits = |call: &Call| {
                let input = input.as_ref();
                call.tool == tool && input.is_none_or(|input| is_same(input, &call.input))
            };
            if came.is_some_and(fits) {
                continue;
            }
            let expected = match &input {
                Some(input) => call_shown(tool, input),
                None => format!("`{tool}`"),
            };
            let message = match came {
                None => format!("call {number} did not come: expected {expected}"),
                Some(call) => format!("call {number} was {}, not {expected}", call.shown()),
            };
            let span = wanted.span;
            return Some(Miss { span, message });
        }
        let more = self.calls.get(expected.value.len())?;
        Some(Miss {
            span: expected.span,
            message: format!(
                "call {} was {}, and {} expected",
                expected.value.len() + 1,
                more.shown(),
                match expected.value.len() {
                    0 => "none was".to_owned(),
                    1 => "only 1 was".to_owned(),
                    count => format!("only {count} were"),
                }
            ),
        })
    }

    /// Every expected result that does not come behind the one before it.
    fn check_results(&self, expected: &[ExpectedResult], misses: &mut Vec<Miss>) {
        let mut rest = self.calls.as_slice();
        for wanted in expected {
            if let Some(index) = rest.iter().position(|call| call.meets(wanted)) {
                rest = &rest[index + 1..];
                continue;
            }
            let tool = wanted.tool.text().trim();
            let message = match rest.iter().find(|call| call.tool == tool) {
                None => format!("no further result of `{tool}` came"),
                Some(call) => {
                    let kind = if call.is_error { "error" } else { "result" };
                    let result = shown(&call.result);
                    let otherwise = call.otherwise(wanted);
                    format!("the {kind} of `{tool}` is {result}, {otherwise}")
                }
            };
            let span = wanted.span;
            misses.push(Miss { span, message });
        }
    }
}

impl Call {
    fn meets(&self, wanted: &ExpectedResult) -> bool {
        let contains = wanted.contains.get();
        let is_error = wanted.is_error.get();
        self.tool == wanted.tool.text().trim()
            && contains.is_none_or(|part| self.result.contains(part.as_str()))
            && is_error.is_none_or(|is_error| *is_error == self.is_error)
    }

    /// What of `wanted` its result does not meet.
    fn otherwise(&self, wanted: &ExpectedResult) -> String {
        match wanted.is_error.get() {
            Some(true) if !self.is_error => "which is no error".to_owned(),
            Some(false) if self.is_error => "and no error was expected".to_owned(),
            _ => {
                let part = wanted.contains.text();
                format!("which does not contain {}", shown(part))
            }
        }
    }

    fn shown(&self) -> String {
        call_shown(&self.tool, &self.input)
    }
}

fn call_shown(tool: &str, input: &Value) -> String {
    format!("`{tool}` with {}", shortened(&input.to_string()))
}

/// `text` in backticks, on one line and not too long.
fn shown(text: &str) -> String {
    format!("`{}`", shortened(&written_out(text)))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
