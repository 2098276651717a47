//! A run as a Markdown document, for clients that draw no runs.

use super::refusal;
use crate::lsp::foreign::{fenced, one_line};
use crate::run::{Event, StopReason};
use std::fmt::Write;

/// The most bytes that are kept; what comes later is left out, but the end.
const MAX_BYTES: usize = 4 << 20;

/// The document, as it grows.
#[derive(Debug, Default)]
pub struct Markdown {
    text: String,
    is_cut: bool,
}

impl Markdown {
    /// Adds what happened.
    pub fn add(&mut self, event: &Event) {
        let mut part = String::new();
        // Writing to a string does not fail.
        let _ = write_event(&mut part, event);
        let is_end = matches!(event, Event::RunEnded { .. });
        if self.text.len() + part.len() <= MAX_BYTES || is_end {
            self.text.push_str(&part);
        } else if !std::mem::replace(&mut self.is_cut, true) {
            self.text.push_str("\n(More is left out here.)\n");
        }
    }

    /// The document so far.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn write_event(out: &mut String, event: &Event) -> std::fmt::Result {
    match event {
        Event::RunStarted {
            r#loop,
            run,
            mode,
            model,
            prompt,
            ..
        } => {
            writeln!(out, "# {}\n", code(r#loop))?;
            writeln!(out, "- Run: {}", code(run))?;
            if !mode.is_empty() {
                writeln!(out, "- Mode: {}", code(mode))?;
            }
            writeln!(
                out,
                "- Model: {} {}\n",
                code(&model.provider),
                code(&model.name)
            )?;
            writeln!(out, "Prompt:\n\n{}", fenced(prompt, "text"))
        }
        Event::StepStarted { step } => writeln!(out, "## Step {step}\n"),
        Event::ToolStarted { call, tool, input } => {
            writeln!(out, "### Call {call}: {}\n", code(tool))?;
            writeln!(out, "{}", fenced(&format!("{input:#}"), "json"))
        }
        Event::AccessDecided {
            call, decision, by, ..
        } => {
            writeln!(out, "Call {call} was decided: {decision:?}, by {by:?}.\n")
        }
        Event::ToolCompleted {
            call,
            tool,
            is_error,
            result,
            ms,
            ..
        } => {
            let what = if *is_error { "failed" } else { "returned" };
            writeln!(out, "Call {call}, {}, {what} after {ms} ms:\n", code(tool))?;
            writeln!(out, "{}", fenced(result, "text"))
        }
        Event::StepCompleted { reply, .. } => match reply["text"].as_str() {
            Some(text) if !text.is_empty() => {
                writeln!(out, "The model said:\n\n{}", fenced(text, "text"))
            }
            _ => Ok(()),
        },
        Event::Retry {
            after_ms, reason, ..
        } => {
            writeln!(out, "Sent again after {after_ms} ms: {}\n", code(reason))
        }
        Event::RunEnded {
            stop,
            reason,
            answer,
            iterations,
            calls,
            usage,
            ms,
            ..
        } => {
            writeln!(out, "## Ended: {}\n", stop_words(*stop))?;
            if let Some(reason) = reason {
                writeln!(out, "{}", fenced(refusal::in_words(reason), "text"))?;
            }
            if let Some(answer) = answer {
                writeln!(out, "{}", fenced(answer, "text"))?;
            }
            writeln!(
                out,
                "{iterations} iterations, {calls} calls, {} tokens in, {} out, {ms} ms",
                usage.input, usage.output
            )
        }
        Event::TextDelta { .. }
        | Event::ThinkingDelta { .. }
        | Event::ToolOutput { .. }
        | Event::AccessAsked { .. }
        | Event::Dropped { .. } => Ok(()),
    }
}

/// `text` as code within a line, which no backtick in it ends.
fn code(text: &str) -> String {
    format!("`{}`", one_line(text, 200).replace('`', "ˋ"))
}

/// How a run ended, in words: only an answer sounds like success.
pub fn stop_words(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Answer => "answer",
        StopReason::Limit => "stopped at a limit",
        StopReason::Cancelled => "cancelled",
        StopReason::Refusal => "the model refused",
        StopReason::MaxTokens => "the reply was cut",
        StopReason::Failed => "failed",
    }
}
