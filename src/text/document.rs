//! A text that is being edited.

use super::{Encoding, Range, offset_at};
use ropey::Rope;

/// One step of an edit, as a client reports it.
#[derive(Clone, Debug)]
pub struct Change {
    /// What is replaced; `None` replaces the whole text.
    pub range: Option<Range>,
    /// What stands there afterwards.
    pub text: String,
}

/// A text with the version that its editor gave it.
#[derive(Clone, Debug)]
pub struct Document {
    rope: Rope,
    version: i32,
}

impl Document {
    /// A document with the given text.
    pub fn new(text: &str, version: i32) -> Self {
        Self {
            rope: Rope::from_str(text),
            version,
        }
    }

    /// Applies `changes` in order, each against the text that the one before it left, and takes `version`.
    pub fn apply(&mut self, changes: &[Change], encoding: Encoding, version: i32) {
        for change in changes {
            match change.range {
                None => self.rope = Rope::from_str(&change.text),
                Some(range) => {
                    let start = offset_at(&self.rope, range.start, encoding);
                    let end = offset_at(&self.rope, range.end, encoding).max(start);
                    let start = self.rope.byte_to_char(start);
                    let end = self.rope.byte_to_char(end);
                    self.rope.remove(start..end);
                    self.rope.insert(start, &change.text);
                }
            }
        }
        self.version = version;
    }

    /// The text; cheap to clone.
    pub fn rope(&self) -> &Rope {
        &self.rope
    }

    /// The version of the last change.
    pub fn version(&self) -> i32 {
        self.version
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Position;

    fn whole(text: &str) -> Change {
        Change {
            range: None,
            text: text.to_owned(),
        }
    }

    fn part(from: (u32, u32), to: (u32, u32), text: &str) -> Change {
        let at = |(line, character)| Position { line, character };
        Change {
            range: Some(Range {
                start: at(from),
                end: at(to),
            }),
            text: text.to_owned(),
        }
    }

    /// Holds that `changes`, in one notification, make `after` of `before`.
    fn check(before: &str, changes: &[Change], after: &str) {
        let mut document = Document::new(before, 1);
        document.apply(changes, Encoding::Utf16, 7);
        assert_eq!(document.rope().to_string(), after, "{before:?} {changes:?}");
        assert_eq!(document.version(), 7);
    }

    #[test]
    fn changes_replace_insert_and_delete() {
        check(
            "a = 1\nb = 2\n",
            &[part((1, 4), (1, 5), "3")],
            "a = 1\nb = 3\n",
        );
        check("a = 1\n", &[part((0, 5), (0, 5), "0")], "a = 10\n");
        check("a = 1\nb = 2\n", &[part((0, 0), (1, 0), "")], "b = 2\n");
        check("a", &[whole("b")], "b");
        check("a", &[], "a");
        check("", &[part((0, 0), (0, 0), "a\n")], "a\n");
    }

    #[test]
    fn each_change_is_against_what_the_one_before_left() {
        let changes = [
            part((0, 0), (0, 0), "x\n"),
            part((1, 0), (1, 1), "b"),
            whole("c = 📦\r\nd"),
            part((0, 6), (1, 0), "\n"),
            part((1, 1), (1, 1), "!"),
        ];
        check("a", &changes[..1], "x\na");
        check("a", &changes[..2], "x\nb");
        check("a", &changes, "c = 📦\nd!");
    }

    #[test]
    fn columns_are_those_of_the_encoding() {
        let text = "x = \"📦\" # box";
        for (encoding, column) in [
            (Encoding::Utf8, 9),
            (Encoding::Utf16, 7),
            (Encoding::Utf32, 6),
        ] {
            let mut document = Document::new(text, 1);
            document.apply(&[part((0, column), (0, column), "es")], encoding, 2);
            assert_eq!(document.rope().to_string(), "x = \"📦es\" # box");
        }
    }

    #[test]
    fn places_that_are_not_there_lose_no_text() {
        // Past the end of the line, past the end, and backwards.
        check("a\r\nb", &[part((0, 9), (0, 9), "!")], "a!\r\nb");
        check("a\n", &[part((9, 9), (9, 9), "b")], "a\nb");
        check("abc", &[part((0, 2), (0, 1), "-")], "ab-c");
        // Half of a surrogate pair is none of it.
        check("📦b", &[part((0, 1), (0, 2), "")], "b");
        check("a📦", &[part((0, 0), (0, 2), "")], "📦");
    }

    #[test]
    fn line_breaks_can_be_cut_in_two() {
        let changes = [part((0, 1), (1, 0), "\r"), part((1, 0), (1, 0), "\n")];
        check("a\r\nb", &changes[..1], "a\rb");
        check("a\r\nb", &changes, "a\r\nb");
    }

    #[test]
    fn many_edits_leave_the_text_that_a_string_would_have() {
        let mut document = Document::new("", 0);
        let mut expected = String::new();
        for step in 0..500_u32 {
            let piece = ["é", "📦", "\n", "\r\n", "a = 1", "\r"][step as usize % 6];
            let at = expected
                .char_indices()
                .nth(step as usize * 7 % 97)
                .map_or(0, |(at, _)| at);
            let position = super::super::position_at(document.rope(), at, Encoding::Utf16);
            // A place within a line break is none.
            let at = offset_at(document.rope(), position, Encoding::Utf16);
            expected.insert_str(at, piece);
            let place = (position.line, position.character);
            document.apply(&[part(place, place, piece)], Encoding::Utf16, step as i32);
        }
        assert_eq!(document.rope().to_string(), expected);
    }
}
