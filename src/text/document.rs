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
