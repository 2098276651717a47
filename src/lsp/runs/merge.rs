//! Chunks of text and output that wait to be shown together.

use crate::run::Event;

/// Chunks in the order in which their kinds came; those of one kind and call are one.
#[derive(Debug, Default)]
pub struct Chunks {
    waiting: Vec<Event>,
    /// How many were put in.
    count: u64,
}

impl Chunks {
    /// Adds a chunk; events of other kinds are not for here and are dropped.
    pub fn push(&mut self, chunk: Event) {
        self.count += 1;
        for waiting in &mut self.waiting {
            if append(waiting, &chunk) {
                return;
            }
        }
        self.waiting.push(chunk);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits, and of how many chunks it was made.
    pub fn take(&mut self) -> (Vec<Event>, u64) {
        (
            std::mem::take(&mut self.waiting),
            std::mem::take(&mut self.count),
        )
    }
}

/// Appends `chunk` to `waiting` if both are of one kind and call.
fn append(waiting: &mut Event, chunk: &Event) -> bool {
    use Event::{TextDelta, ThinkingDelta, ToolOutput};
    match (waiting, chunk) {
        (TextDelta { text }, TextDelta { text: more })
        | (ThinkingDelta { text }, ThinkingDelta { text: more }) => {
            text.push_str(more);
            true
        }
        (
            ToolOutput { call, stream, text },
            ToolOutput {
                call: other_call,
                stream: other_stream,
                text: more,
            },
        ) if call == other_call && stream == other_stream => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::Stream::{self, Stderr, Stdout};

    fn text(text: &str) -> Event {
        Event::TextDelta { text: text.into() }
    }

    fn thinking(text: &str) -> Event {
        Event::ThinkingDelta { text: text.into() }
    }

    fn output(call: u64, stream: Stream, text: &str) -> Event {
        let text = text.into();
        Event::ToolOutput { call, stream, text }
    }

    #[test]
    fn chunks_of_one_kind_and_call_become_one() {
        for (chunks, merged) in [
            (vec![], vec![]),
            (vec![text("a"), text("b"), text("c")], vec![text("abc")]),
            (
                vec![text("a"), thinking("x"), text("b")],
                vec![text("ab"), thinking("x")],
            ),
            (
                vec![
                    output(1, Stdout, "a"),
                    output(2, Stdout, "x"),
                    output(1, Stderr, "!"),
                    output(1, Stdout, "b"),
                    output(2, Stdout, "y"),
                ],
                vec![
                    output(1, Stdout, "ab"),
                    output(2, Stdout, "xy"),
                    output(1, Stderr, "!"),
                ],
            ),
        ] {
            let mut waiting = Chunks::default();
            let count = chunks.len() as u64;
            chunks.into_iter().for_each(|chunk| waiting.push(chunk));
            assert_eq!(waiting.take(), (merged, count));
            assert!(waiting.is_empty());
        }
    }
}
