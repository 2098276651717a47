//! A run as a person sees it.
//!
//! The answer goes to standard output and the rest to standard error. On a terminal, where both are seen, text goes to
//! standard output as it arrives; anywhere else only the answer does, once it is known to be the answer.

use super::live::{Line, Live};
use super::status::StatusLine;
use super::summary::summary;
use crate::cli::output::{DIM, ERROR, WARNING};
use crate::cli::printable::{printable, printable_line};
use crate::definition::Effect;
use crate::run::{AccessDecision, DecidedBy, Event, Record, RunView, StopReason};
use clap::builder::styling::{AnsiColor, Style};
use std::fmt::Write as _;
use std::io::{self, Write};

const CALL: Style = AnsiColor::Cyan.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

/// Characters of an input, and of a line of a result, that are shown.
const MOST_CHARACTERS: usize = 300;
/// Lines of a result that are shown.
const MOST_LINES: usize = 12;

/// Draws the records of one run.
pub struct Screen {
    out: Box<dyn Write + Send>,
    /// Gets styles; strips them itself where they are not wanted.
    err: Box<dyn Write + Send>,
    /// Whether text goes to `out` as it arrives.
    streaming: bool,
    /// Whether somebody can be asked about calls.
    attended: bool,
    /// The text of the step so far; what is held back where nothing is streamed.
    text: String,
    /// The stream whose line is not ended.
    open: Option<Stream>,
    /// What the last line tells.
    view: RunView,
    /// What calls in flight write.
    live: Live,
    /// Calls that were asked about: number, tool and effect.
    asked: Vec<(u64, String, String)>,
    /// The line that says what goes on; none where nobody watches.
    status: Option<StatusLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Out,
    Err,
}

impl Screen {
    /// Draws on `out` and `err`.
    pub fn new(
        out: Box<dyn Write + Send>,
        err: Box<dyn Write + Send>,
        streaming: bool,
        attended: bool,
    ) -> Self {
        Self {
            out,
            err,
            streaming,
            attended,
            text: String::new(),
            open: None,
            view: RunView::default(),
            live: Live::default(),
            asked: Vec::new(),
            status: None,
        }
    }

    /// The same with a line at the bottom that says what goes on.
    pub fn with_status(self) -> Self {
        Self {
            status: Some(StatusLine::new()),
            ..self
        }
    }

    /// Whether there is such a line.
    pub fn has_status(&self) -> bool {
        self.status.is_some()
    }

    /// Brings the line at the bottom up to date; to be called when nothing else was drawn for a while. It stands on a line of
    /// its own.
    pub fn show_status(&mut self) {
        let Some(status) = self.status.as_mut().filter(|_| self.open.is_none()) else {
            return;
        };
        if let Some(line) = status.draw(&self.view) {
            let _ = self.err.write_all(line.as_bytes());
            let _ = self.err.flush();
        }
    }

    /// Draws what happened.
    ///
    /// # Errors
    ///
    /// `out` cannot be written. That `err` cannot is no error: the answer may still be wanted.
    pub fn show(&mut self, record: &Record) -> io::Result<()> {
        self.view.apply(record);
        self.live.take(record);
        self.show_live(record.t)?;
        match &record.event {
            Event::StepStarted { .. } => {
                self.text.clear();
                Ok(())
            }
            Event::TextDelta { text } => self.text(text),
            Event::ThinkingDelta { text } => {
                self.piece(Stream::Err, &format!("{DIM}{}{DIM:#}", printable(text)))
            }
            Event::ToolStarted { call, tool, input } => {
                let tool = printable_line(tool);
                let input = cut(&printable_line(&input.to_string()));
                self.line(&format!(
                    "{CALL}▶ {tool}{CALL:#} {input} {DIM}#{call}{DIM:#}"
                ))
            }
            Event::AccessAsked {
                call, tool, effect, ..
            } => {
                self.asked.push((*call, tool.clone(), effect.clone()));
                Ok(())
            }
            Event::AccessDecided {
                call,
                decision: AccessDecision::Deny,
                by: DecidedBy::Person,
                ..
            } if !self.attended => self.nobody_was_asked(*call),
            Event::ToolCompleted {
                call,
                tool,
                is_error,
                result,
                omitted,
                ms,
                ..
            } => {
                let (mark, style) = if *is_error {
                    ("✗", ERROR)
                } else {
                    ("✓", GOOD)
                };
                let mut lines = format!(
                    "{style}{mark} {}{style:#} {DIM}#{call} · {}{DIM:#}",
                    printable_line(tool),
                    time(*ms)
                );
                if *omitted > 0 {
                    // Writing to a string does not fail.
                    let _ = write!(lines, "{DIM} · {omitted} bytes cut{DIM:#}");
                }
                for line in bounded_lines(result) {
                    let _ = write!(lines, "\n  {line}");
                }
                self.line(&lines)
            }
            Event::Retry {
                call,
                after_ms,
                reason,
            } => {
                let reason = printable_line(reason);
                let call = call.map_or(String::new(), |call| format!(" {DIM}#{call}{DIM:#}"));
                self.line(&format!(
                    "{WARNING}retry{WARNING:#}{call} in {}: {reason}",
                    time(*after_ms)
                ))
            }
            Event::Dropped { chunks } => {
                self.line(&format!("{DIM}… {chunks} pieces of output lost{DIM:#}"))
            }
            Event::RunEnded { stop, answer, .. } => self.ended(*stop, answer.as_deref()),
            Event::RunStarted { .. }
            | Event::AccessDecided { .. }
            | Event::ToolOutput { .. }
            | Event::StepCompleted { .. } => Ok(()),
        }
    }

    /// Shows what calls in flight wrote and what is due at `t`, in seconds of the run.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn show_live(&mut self, t: f64) -> io::Result<()> {
        for (call, line) in self.live.due(t) {
            let line = match line {
                Line::Text(line) => cut(&printable(&line)),
                Line::LeftOut(1) => "… 1 line".to_owned(),
                Line::LeftOut(count) => format!("… {count} lines"),
            };
            self.line(&format!("{DIM}  #{call} │ {line}{DIM:#}"))?;
        }
        Ok(())
    }

    /// When [`show_live`](Self::show_live) has something to show.
    pub fn next_live(&self) -> Option<f64> {
        self.live.next()
    }

    /// Shows `text`, which ends its own line or waits for the person to end it.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        self.write(Stream::Err, text)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.text.push_str(text);
        match self.streaming {
            true => self.piece(Stream::Out, &printable(text)),
            false => Ok(()),
        }
    }

    /// Shows text that is not the answer, or not yet known to be.
    fn release_text(&mut self) -> io::Result<()> {
        if self.streaming || self.text.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.text);
        self.piece(Stream::Err, &printable(&text))
    }

    fn nobody_was_asked(&mut self, call: u64) -> io::Result<()> {
        let Some((_, tool, effect)) = self.asked.iter().rfind(|(asked, ..)| *asked == call) else {
            return Ok(());
        };
        let tool = printable_line(tool);
        let flags = match *effect == Effect::Irreversible.as_str() {
            true => format!("--allow {tool}"),
            false => format!("--allow {tool} or --yes"),
        };
        let effect = printable_line(effect);
        self.line(&format!(
            "{WARNING}denied{WARNING:#}: nobody could be asked about {tool} ({effect}); {flags} lets it run"
        ))
    }

    fn ended(&mut self, stop: StopReason, answer: Option<&str>) -> io::Result<()> {
        match answer.filter(|_| stop == StopReason::Answer) {
            Some(answer) if self.streaming => {
                if answer != self.text {
                    self.end_line()?;
                    self.piece(Stream::Out, &printable(answer))?;
                }
                self.end_line()?;
            }
            Some(answer) => {
                if answer != self.text {
                    self.release_text()?;
                }
                self.end_line()?;
                // Whoever reads a pipe or a file gets the answer as it is.
                self.piece(Stream::Out, answer)?;
                self.end_line()?;
            }
            None => self.release_text()?,
        }
        self.text.clear();
        let (mark, style) = match stop {
            StopReason::Answer => ("✓", GOOD),
            _ => ("✗", ERROR),
        };
        self.line(&format!(
            "{style}{mark} {}{style:#}",
            printable_line(&summary(&self.view))
        ))
    }

    /// A line on standard error, after what was held back.
    fn line(&mut self, line: &str) -> io::Result<()> {
        self.release_text()?;
        self.end_line()?;
        self.write(Stream::Err, &format!("{line}\n"))
    }

    /// A piece of a stream's text, which the next one continues.
    fn piece(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        if self.open.is_some_and(|open| open != stream) {
            self.end_line()?;
        }
        self.write(stream, text)?;
        if !text.is_empty() {
            self.open = (!text.ends_with('\n')).then_some(stream);
        }
        Ok(())
    }

    fn end_line(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some(stream) => self.write(stream, "\n"),
            None => Ok(()),
        }
    }

    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        if let Some(clear) = self.status.as_mut().and_then(StatusLine::clear) {
            let _ = self.err.write_all(clear.as_bytes());
            let _ = self.err.flush();
        }
        match stream {
            Stream::Out => {
                self.out.write_all(text.as_bytes())?;
                self.out.flush()
            }
            Stream::Err => {
                let _ = self.err.write_all(text.as_bytes());
                let _ = self.err.flush();
                Ok(())
            }
        }
    }
}

/// The first lines of a result, each cut, and how many more there are.
fn bounded_lines(result: &str) -> Vec<String> {
    let total = result.lines().count();
    let mut lines: Vec<String> = result.lines().take(MOST_LINES).map(bounded_line).collect();
    if total > MOST_LINES {
        lines.push(format!("{DIM}… {} more lines{DIM:#}", total - MOST_LINES));
    }
    lines
}

/// A line, cut before it is written out: written out it may be many times as long.
fn bounded_line(line: &str) -> String {
    match line.char_indices().nth(MOST_CHARACTERS) {
        None => printable(line).into_owned(),
        Some((end, _)) => {
            let more = line[end..].chars().count();
            let shown = printable(&line[..end]);
            format!("{shown}{DIM}… {more} more characters{DIM:#}")
        }
    }
}

/// The first characters of `text`, and how many more there are.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}{DIM}… {more} more characters{DIM:#}", &text[..end])
        }
    }
}

/// `12 ms`, `2.4 s`.
fn time(milliseconds: u64) -> String {
    match milliseconds {
        ..1_000 => format!("{milliseconds} ms"),
        _ => format!("{:.1} s", milliseconds as f64 / 1e3),
    }
}

#[cfg(test)]
mod tests;
