//! The output of calls in flight, for a person who waits: a call that is over soon shows its result alone.

use crate::run::{Event, Record};
use std::collections::{BTreeMap, VecDeque};

/// How long a call runs before what it writes is shown, in seconds; and how long a person has for what is shown at a time.
const PATIENCE: f64 = 0.5;

/// The most lines of one call that are shown at a time. A terminal that scrolls faster than that shows nothing.
const MOST_LINES: usize = 20;

/// What is shown of a call in flight.
#[derive(Debug, PartialEq)]
pub enum Line {
    /// A line that it wrote.
    Text(String),
    /// So many lines that are not shown.
    LeftOut(u64),
}

/// The output of the calls in flight, by number.
#[derive(Debug, Default)]
pub struct Live(BTreeMap<u64, Output>);

#[derive(Debug)]
struct Output {
    /// When the next lines are shown, in seconds of the run.
    due: f64,
    /// How many more may be shown before `full_until` is over.
    room: usize,
    full_until: f64,
    /// The last lines that were not shown yet, and how many there were before them.
    lines: VecDeque<String>,
    left_out: u64,
    /// The beginning of a line: of standard output, and of standard error.
    open: [String; 2],
}

impl Live {
    /// Takes the next record.
    pub fn take(&mut self, record: &Record) {
        match &record.event {
            Event::ToolStarted { call, .. } => {
                let output = Output {
                    due: record.t + PATIENCE,
                    room: 0,
                    full_until: 0.0,
                    lines: VecDeque::new(),
                    left_out: 0,
                    open: Default::default(),
                };
                self.0.insert(*call, output);
            }
            Event::ToolOutput { call, stream, text } => {
                if let Some(output) = self.0.get_mut(call) {
                    output.add(*stream as usize, text);
                }
            }
            Event::ToolCompleted { call, .. } => drop(self.0.remove(call)),
            _ => {}
        }
    }

    /// The lines that are to be shown at `t`, in seconds of the run, each with the number of its call.
    pub fn due(&mut self, t: f64) -> Vec<(u64, Line)> {
        let calls = self.0.iter_mut().filter(|(_, output)| output.due <= t);
        let lines = calls.flat_map(|(call, output)| {
            let lines = output.show(t).into_iter();
            lines.map(|line| (*call, line))
        });
        lines.collect()
    }

    /// When the next lines are to be shown, if there are any.
    pub fn next(&self) -> Option<f64> {
        let waiting = self.0.values().filter(|output| !output.lines.is_empty());
        waiting.map(|output| output.due).reduce(f64::min)
    }
}

impl Output {
    /// What there is room for at `t`.
    fn show(&mut self, t: f64) -> Vec<Line> {
        if t >= self.full_until {
            self.full_until = t + PATIENCE;
            self.room = MOST_LINES;
        }
        let count = self.lines.len().min(self.room);
        self.room -= count;
        if self.room == 0 {
            self.due = self.full_until;
        }
        let left_out = match count {
            0 => 0,
            _ => std::mem::take(&mut self.left_out),
        };
        let left_out = (left_out > 0).then_some(Line::LeftOut(left_out));
        let lines = self.lines.drain(..count).map(Line::Text);
        left_out.into_iter().chain(lines).collect()
    }

    fn add(&mut self, stream: usize, text: &str) {
        let open = &mut self.open[stream];
        for part in text.split_inclusive('\n') {
            open.push_str(part);
            if let Some(line) = open.strip_suffix('\n') {
                let line = line.strip_suffix('\r').unwrap_or(line);
                // What a program writes over what it wrote is all that is to be seen of the line.
                let line = line.rsplit('\r').next().unwrap_or(line);
                self.lines.push_back(line.to_owned());
                open.clear();
                if self.lines.len() > MOST_LINES {
                    self.lines.pop_front();
                    self.left_out += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::Stream;
    use serde_json::json;

    fn record(t: f64, event: Event) -> Record {
        Record { seq: 0, t, event }
    }

    fn started(call: u64) -> Event {
        Event::ToolStarted {
            call,
            tool: "t".into(),
            input: json!({}),
        }
    }

    fn output(call: u64, stream: Stream, text: &str) -> Event {
        Event::ToolOutput {
            call,
            stream,
            text: text.into(),
        }
    }

    #[test]
    fn lines_are_shown_once_a_call_takes_its_time() {
        use Stream::{Stderr, Stdout};
        let mut live = Live::default();
        live.take(&record(1.0, started(1)));
        live.take(&record(1.25, started(2)));
        assert_eq!(live.next(), None, "there is nothing to show");
        live.take(&record(1.25, output(1, Stdout, "one\ntw")));
        live.take(&record(1.25, output(1, Stderr, "10 %\r20 %\r\n")));
        live.take(&record(1.25, output(2, Stdout, "other\n")));
        assert_eq!(live.next(), Some(1.5));
        assert_eq!(live.due(1.4), []);
        let text = |line: &str| Line::Text(line.into());
        assert_eq!(live.due(1.5), [(1, text("one")), (1, text("20 %"))]);
        assert_eq!(live.next(), Some(1.75), "for the other call");
        live.take(&record(1.6, output(1, Stdout, "o\n")));
        assert_eq!(live.due(1.6), [(1, text("two"))]);
    }

    #[test]
    fn no_more_is_shown_than_can_be_read() {
        let mut live = Live::default();
        live.take(&record(0.0, started(1)));
        let numbers = |numbers: std::ops::RangeInclusive<u32>| -> String {
            numbers.map(|number| format!("{number}\n")).collect()
        };
        let shown = |live: &mut Live, t: f64| -> Vec<String> {
            let lines = live.due(t).into_iter();
            let lines = lines.map(|(_, line)| match line {
                Line::Text(text) => text,
                Line::LeftOut(count) => format!("… {count}"),
            });
            lines.collect()
        };
        live.take(&record(0.1, output(1, Stream::Stdout, &numbers(1..=1_000))));
        let lines = shown(&mut live, 0.5);
        let last: Vec<String> = (981..=1_000).map(|number| number.to_string()).collect();
        assert_eq!((&*lines[0], &lines[1..]), ("… 980", &last[..]));
        // There is no more room for half a second, and then what came meanwhile is shown.
        live.take(&record(0.6, output(1, Stream::Stdout, &numbers(1..=2))));
        assert_eq!(shown(&mut live, 0.6), [""; 0]);
        assert_eq!(live.next(), Some(1.0));
        assert_eq!(shown(&mut live, 1.0), ["1", "2"]);
        live.take(&record(1.1, output(1, Stream::Stdout, &numbers(3..=3))));
        assert_eq!(shown(&mut live, 1.1), ["3"]);
    }

    #[test]
    fn a_call_that_is_over_shows_nothing_more() {
        let mut live = Live::default();
        live.take(&record(0.0, started(1)));
        live.take(&record(0.1, output(1, Stream::Stdout, "one\n")));
        let completed = Event::ToolCompleted {
            call: 1,
            tool: "t".into(),
            is_error: false,
            result: "one\n".into(),
            bytes: 4,
            omitted: 0,
            ms: 100,
        };
        live.take(&record(0.1, completed));
        live.take(&record(0.2, output(1, Stream::Stdout, "late\n")));
        assert_eq!((live.next(), live.due(9.0)), (None, vec![]));
    }
}
