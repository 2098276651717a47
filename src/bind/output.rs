//! What a call brought, in bounded memory.

use super::{Outcome, RESULT_BYTES};
use std::collections::VecDeque;

/// How much is held of what a call brings: the hard bound, and what secrets and repairs at its edges may need.
pub const CALL_BYTES: usize = RESULT_BYTES + 64 * 1024;

/// The first and the last bytes of a stream, and how many were dropped between them. However much is pushed,
/// at most the capacity is held.
pub struct Output {
    head: Vec<u8>,
    head_capacity: usize,
    dropped: u64,
    tail: VecDeque<u8>,
    tail_capacity: usize,
}

impl Output {
    /// Holds up to `capacity` bytes, half of them from the beginning.
    pub fn new(capacity: usize) -> Self {
        Self {
            head: Vec::new(),
            head_capacity: capacity / 2,
            dropped: 0,
            tail: VecDeque::new(),
            tail_capacity: capacity - capacity / 2,
        }
    }

    /// Whether nothing was pushed.
    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.tail.is_empty() && self.dropped == 0
    }

    /// The last byte.
    pub fn last(&self) -> Option<u8> {
        self.tail.back().or(self.head.last()).copied()
    }

    /// Adds `bytes`.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.head_capacity.saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let skip = rest.len().saturating_sub(self.tail_capacity);
        let excess = (self.tail.len() + rest.len() - skip).saturating_sub(self.tail_capacity);
        self.tail.drain(..excess);
        self.tail.extend(&rest[skip..]);
        self.dropped += (skip + excess) as u64;
    }

    /// Adds what `other` holds, and counts what it dropped.
    pub fn append(&mut self, other: Output) {
        self.push(&other.head);
        if other.dropped > 0 {
            // What comes after a gap belongs behind this one's gap, and what the tail held stands before it.
            self.head_capacity = self.head.len();
            self.dropped += other.dropped + self.tail.len() as u64;
            self.tail.clear();
        }
        let (front, back) = other.tail.as_slices();
        self.push(front);
        self.push(back);
    }

    /// The bytes, where among them the dropped ones would stand, and how many those are.
    pub fn finish(self) -> (Vec<u8>, usize, u64) {
        let mut bytes = self.head;
        let dropped_at = bytes.len();
        let (front, back) = self.tail.as_slices();
        bytes.extend_from_slice(front);
        bytes.extend_from_slice(back);
        (bytes, dropped_at, self.dropped)
    }
}

/// The outcome of a call that worked: what it brought, as it is.
pub fn success(output: Output) -> Outcome {
    match output.is_empty() {
        true => Outcome::text("(no output)"),
        false => outcome(output, false),
    }
}

/// The outcome of a call that failed: what it brought and `how` it failed, a line each; nothing of how where that is
/// empty.
pub fn failure(outputs: impl IntoIterator<Item = Output>, how: &str) -> Outcome {
    let mut all = Output::new(CALL_BYTES);
    all.push(b"error: ");
    for output in outputs {
        let unfinished = !how.is_empty() && output.last().is_some_and(|last| last != b'\n');
        all.append(output);
        if unfinished {
            all.push(b"\n");
        }
    }
    all.push(how.as_bytes());
    outcome(all, true)
}

fn outcome(output: Output, is_error: bool) -> Outcome {
    let (bytes, dropped_at, dropped) = output.finish();
    Outcome {
        bytes,
        dropped_at,
        dropped,
        is_error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(capacity: usize, pushed: &[&str]) -> Output {
        let mut output = Output::new(capacity);
        for text in pushed {
            output.push(text.as_bytes());
        }
        output
    }

    fn finished(output: Output) -> (String, usize, u64) {
        let (bytes, at, dropped) = output.finish();
        (String::from_utf8(bytes).unwrap(), at, dropped)
    }

    #[test]
    fn head_and_tail_are_kept() {
        for (pushed, expected) in [
            (&[][..], ("", 0, 0)),
            (&["ab"], ("ab", 2, 0)),
            (&["abc", "defg"], ("abcdefg", 3, 0)),
            (&["abc", "defg", "h"], ("abcefgh", 3, 1)),
            (&["abcdefghij"], ("abcghij", 3, 3)),
            (&["a", "bcdefghijklm", "n"], ("abcklmn", 3, 7)),
        ] {
            let (text, at, dropped) = finished(output(7, pushed));
            assert_eq!((text.as_str(), at, dropped), expected, "{pushed:?}");
            let total: usize = pushed.iter().map(|text| text.len()).sum();
            assert_eq!(text.len() + dropped as usize, total);
        }
    }

    #[test]
    fn appending_keeps_count_of_what_is_missing() {
        for (first, second, expected) in [
            ("ab", "cd", ("abcd", 4, 0)),
            // The second has a gap (`abcdefghij` keeps `abc` and `ghij`), which becomes the gap of both.
            ("xy", "abcdefghij", ("xyabcghij", 5, 3)),
            ("0123456", "abcdefghij", ("01234ghij", 5, 8)),
            ("0123456789ABCDEF", "ab", ("01234CDEFab", 5, 7)),
        ] {
            let mut joined = output(11, &[first]);
            joined.append(output(7, &[second]));
            let (text, at, dropped) = finished(joined);
            assert_eq!((text.as_str(), at, dropped), expected, "{first} {second}");
            assert_eq!(text.len() + dropped as usize, first.len() + second.len());
        }
    }
}
