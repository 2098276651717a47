//! A line at the bottom of a terminal that says what a run is doing, for as long as nothing else is shown.

use crate::cli::printable::printable_line;
use crate::run::{RunStatus, RunView};
use std::time::Instant;

/// The narrowest terminal that it is drawn on.
const FEWEST_COLUMNS: usize = 20;

/// What is drawn of it, and when the run began.
#[derive(Debug)]
pub struct StatusLine {
    began: Instant,
    /// The characters that stand on the terminal's last line.
    drawn: usize,
}

impl StatusLine {
    /// None is drawn.
    pub fn new() -> Self {
        Self {
            began: Instant::now(),
            drawn: 0,
        }
    }

    /// What is to be written to draw the line anew.
    pub fn draw(&mut self, view: &RunView) -> Option<String> {
        let elapsed = self.began.elapsed().as_millis() as u64;
        let text = text(view, elapsed, columns())?;
        let clear = self.clear().unwrap_or_default();
        self.drawn = text.chars().count();
        Some(clear + &text)
    }

    /// What is to be written to remove it; nothing where none is drawn. No escape sequence, so that it works on every
    /// terminal.
    pub fn clear(&mut self) -> Option<String> {
        match std::mem::take(&mut self.drawn) {
            0 => None,
            drawn => Some(format!("\r{}\r", " ".repeat(drawn))),
        }
    }
}

/// What a run is doing and what it came to so far, on one line of a terminal of `columns`; nothing before its start, after
/// its end, and while a person reads a question.
fn text(view: &RunView, elapsed: u64, columns: usize) -> Option<String> {
    let doing = match view.status {
        RunStatus::Starting | RunStatus::Asking | RunStatus::Ended(_) => return None,
        RunStatus::Replying => "the model replies".to_owned(),
        RunStatus::Calling if view.open_calls.is_empty() => "the model replies".to_owned(),
        RunStatus::Calling => {
            let tools = view.open_calls.iter();
            let tools: Vec<_> = tools.map(|call| printable_line(&call.tool)).collect();
            tools.join(", ")
        }
    };
    if columns < FEWEST_COLUMNS {
        return None;
    }
    let counters = view.summary_at(elapsed);
    let line = format!("… {counters} · {doing}");
    // One column stays free: some terminals go to the next line at the last one. A character takes two columns at the most.
    let room = columns - 1;
    if width(&line) <= room {
        return Some(line);
    }
    let mut used = 1;
    let fits = line.chars().take_while(|character| {
        used += columns_of(*character);
        used <= room
    });
    Some(fits.chain(['…']).collect())
}

fn width(line: &str) -> usize {
    line.chars().map(columns_of).sum()
}

/// The most columns that a terminal may need for a character.
fn columns_of(character: char) -> usize {
    match character {
        '\0'..='\u{2ff}' | '…' => 1,
        _ => 2,
    }
}

/// The columns of the terminal that standard error is.
#[cfg(unix)]
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    match size {
        Ok(size) if size.ws_col > 0 => usize::from(size.ws_col),
        _ => 80,
    }
}

#[cfg(not(unix))]
fn columns() -> usize {
    80
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Event, Record, StopReason};
    use serde_json::Value;

    fn view(events: impl IntoIterator<Item = Event>) -> RunView {
        let mut view = RunView::default();
        for (seq, event) in (0..).zip(events) {
            view.apply(&Record { seq, t: 0.0, event });
        }
        view
    }

    fn started(call: u64, tool: &str) -> Event {
        Event::ToolStarted {
            call,
            tool: tool.into(),
            input: Value::Null,
        }
    }

    #[test]
    fn what_the_run_is_doing_and_what_it_came_to() {
        let step = || Event::StepStarted { step: 1 };
        let asked = Event::AccessAsked {
            call: 1,
            tool: "find".into(),
            effect: "write".into(),
            shown: String::new(),
        };
        let ended = Event::RunEnded {
            stop: StopReason::Answer,
            reason: None,
            limit: None,
            answer: None,
            iterations: 0,
            calls: 0,
            usage: crate::run::Usage::default(),
            ms: 0,
        };
        for (events, expected) in [
            (vec![], None),
            (
                vec![step()],
                Some("… 0 iterations · 0 calls · 2.4 s · the model replies"),
            ),
            (
                vec![step(), started(1, "find"), started(2, "track\u{1b}")],
                Some("… 1 iterations · 2 calls · 2.4 s · find, track\\u{1b}"),
            ),
            (vec![step(), started(1, "find"), asked], None),
            (vec![step(), ended], None),
        ] {
            assert_eq!(text(&view(events), 2_450, 80).as_deref(), expected);
        }
    }

    #[test]
    fn it_never_reaches_the_last_column() {
        let view = view([Event::StepStarted { step: 1 }, started(1, &"調".repeat(30))]);
        for columns in 0..120 {
            let text = text(&view, 0, columns);
            assert_eq!(text.is_some(), columns >= FEWEST_COLUMNS);
            assert!(text.is_none_or(|text| width(&text) < columns), "{columns}");
        }
    }

    #[test]
    fn what_was_drawn_is_removed_once() {
        let mut line = StatusLine::new();
        assert_eq!(line.clear(), None);
        let view = view([Event::StepStarted { step: 1 }]);
        let drawn = line.draw(&view).unwrap();
        let blank = " ".repeat(drawn.chars().count());
        assert_eq!(line.draw(&view).unwrap().matches('\r').count(), 2);
        assert_eq!(line.clear(), Some(format!("\r{blank}\r")));
        assert_eq!(line.clear(), None);
    }
}
