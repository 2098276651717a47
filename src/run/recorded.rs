//! A run as its transcript has it: what was said, for a next turn, and what came of each step, for a replay.

use super::model::{Call, CallResult, Message, Reply};
use super::{Event, RECORD_VERSION, Record, StopReason, Usage};
use crate::definition::RESERVED_TOOL_NAME;
use serde_json::Value;
use std::io::{self, BufRead};
use std::sync::Arc;

/// A run, read from its transcript.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// Its id.
    pub run: String,
    /// The definition.
    pub uri: String,
    /// The test that was run, by name.
    pub test: Option<String>,
    /// The run on whose history it follows.
    pub after: Option<String>,
    /// Its mode; empty for the base.
    pub mode: String,
    /// What was said to the loop.
    pub prompt: String,
    pub(super) steps: Vec<Step>,
    /// How it ended; `None` where the transcript breaks off.
    pub(super) end: Option<End>,
}

/// A step that was completed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Step {
    pub usage: Usage,
    pub stop_reason: String,
    pub reply: Reply,
    /// In call order. Fewer than the reply asks for where the calls did not run.
    pub calls: Vec<RecordedCall>,
}

/// A call that ran, or was answered with an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RecordedCall {
    pub number: u64,
    pub tool: String,
    pub input: Value,
    /// What the model got, and whether it was an error; `None` if it never came.
    pub result: Option<(String, bool)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct End {
    pub stop: StopReason,
    pub reason: Option<String>,
    pub answer: Option<String>,
}

/// Why a text is no transcript.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It begins with something else than the start of a run.
    #[error("it is no transcript: it does not begin with `run_started`")]
    NoRun,
    /// It was written by a later loopls.
    #[error("it is a transcript of version {0}, and this loopls reads version {RECORD_VERSION}")]
    Version(u32),
    /// A line is no event.
    #[error("line {line} is no event of a run: {problem}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: serde_json::Error,
    },
}

impl RecordedRun {
    /// Reads a transcript. One that breaks off, even within a line, is read as far as it goes.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is none.
    pub fn read(mut transcript: impl BufRead) -> Result<Self, TranscriptError> {
        let mut line = String::new();
        transcript.read_line(&mut line)?;
        let mut run = Self::begin(&line)?;
        let mut calls = Vec::new();
        for number in 2.. {
            line.clear();
            if transcript.read_line(&mut line)? == 0 {
                break;
            }
            match serde_json::from_str::<Record>(&line) {
                Ok(record) => run.add(record.event, &mut calls),
                Err(_) if !line.ends_with('\n') || line.trim().is_empty() => {}
                Err(problem) => {
                    let line = number;
                    return Err(TranscriptError::Line { line, problem });
                }
            }
        }
        Ok(run)
    }

    /// The run that begins with `line`, the first of its transcript.
    ///
    /// # Errors
    ///
    /// It is no such line.
    pub fn begin(line: &str) -> Result<Self, TranscriptError> {
        // What version it is stands first, for a later one may look otherwise behind that.
        #[derive(serde::Deserialize)]
        struct Versioned {
            r#type: String,
            version: u32,
        }
        let head: Versioned = serde_json::from_str(line).map_err(|_| TranscriptError::NoRun)?;
        if head.r#type != "run_started" {
            return Err(TranscriptError::NoRun);
        }
        if head.version > RECORD_VERSION {
            return Err(TranscriptError::Version(head.version));
        }
        let record: Record = serde_json::from_str(line)
            .map_err(|problem| TranscriptError::Line { line: 1, problem })?;
        match record.event {
            Event::RunStarted {
                run,
                uri,
                test,
                after,
                mode,
                prompt,
                ..
            } => Ok(Self {
                run,
                uri,
                test,
                after,
                mode,
                prompt,
                steps: Vec::new(),
                end: None,
            }),
            _ => Err(TranscriptError::NoRun),
        }
    }

    /// Takes the next event; `calls` are those of the current step.
    fn add(&mut self, event: Event, calls: &mut Vec<RecordedCall>) {
        match event {
            Event::StepStarted { .. } => calls.clear(),
            Event::ToolStarted { call, tool, input } => calls.push(RecordedCall {
                number: call,
                tool,
                input,
                result: None,
            }),
            Event::ToolCompleted {
                call,
                is_error,
                result,
                ..
            } => {
                let open = calls.iter_mut().find(|open| open.number == call);
                if let Some(open) = open {
                    open.result = Some((result, is_error));
                }
            }
            Event::StepCompleted {
                usage,
                stop_reason,
                reply,
                ..
            } => self.steps.push(Step {
                usage,
                stop_reason,
                reply: reply_of(&reply),
                calls: std::mem::take(calls),
            }),
            Event::RunEnded {
                stop,
                reason,
                answer,
                ..
            } => {
                self.end = Some(End {
                    stop,
                    reason,
                    answer,
                });
            }
            _ => {}
        }
    }

    /// What was said in this run alone, as a next turn continues it: the same that a turn itself returns.
    pub fn history(&self) -> Vec<Arc<Message>> {
        let mut history = vec![Message::User(self.prompt.clone())];
        for step in &self.steps {
            match step.results() {
                Some(results) if !results.is_empty() => {
                    history.push(Message::Assistant(step.reply.clone()));
                    history.push(Message::Results(results));
                }
                // Calls that did not run are no part of what was said.
                _ => {
                    let text = self.text_of(step);
                    if !text.trim().is_empty() {
                        history.push(Message::Assistant(Reply {
                            text,
                            ..Reply::default()
                        }));
                    }
                }
            }
        }
        history.into_iter().map(Arc::new).collect()
    }

    /// The text of a step without results. A structured answer comes as a call, and is what was said.
    fn text_of(&self, step: &Step) -> String {
        let answer = self.end.as_ref().and_then(|end| end.answer.as_ref());
        let is_answer = |call: &Call| call.tool.trim() == RESERVED_TOOL_NAME;
        match answer {
            Some(answer) if step.reply.calls.iter().any(is_answer) => answer.clone(),
            // One that the provider saw to is said in compact JSON, however it was written.
            Some(answer) if is_same_json(answer, &step.reply.text) => answer.clone(),
            _ => step.reply.text.clone(),
        }
    }
}

impl Step {
    /// The results of the reply's calls, in order; `None` where any is missing.
    fn results(&self) -> Option<Vec<CallResult>> {
        if self.calls.len() != self.reply.calls.len() {
            return None;
        }
        let calls = self.reply.calls.iter().zip(&self.calls);
        calls
            .map(|(call, recorded)| {
                let (text, is_error) = recorded.result.clone()?;
                Some(CallResult {
                    id: call.id.clone(),
                    tool: call.tool.clone(),
                    text,
                    is_error,
                })
            })
            .collect()
    }
}

fn is_same_json(answer: &str, text: &str) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    answer != text && parsed(answer).is_some_and(|answer| parsed(text) == Some(answer))
}

/// The reply that `value`, the `reply` of a `step_completed`, tells.
fn reply_of(value: &Value) -> Reply {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = value["calls"].as_array().into_iter().flatten();
    Reply {
        text: text(&value["text"]),
        calls: calls
            .map(|call| Call {
                id: text(&call["id"]),
                tool: text(&call["tool"]),
                input: text(&call["input"]),
            })
            .collect(),
        // What cannot be understood is left out, like everything that is not there.
        verbatim: serde_json::from_value(value["verbatim"].clone()).ok(),
    }
}
