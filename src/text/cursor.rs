//! Positions of many places of one text.

use super::{Encoding, Position};

/// Finds the positions of places that come in order of the text, each from the one before: all of them in one walk.
#[derive(Clone, Debug)]
pub struct PositionCursor<'t> {
    text: &'t str,
    encoding: Encoding,
    offset: usize,
    position: Position,
}

impl<'t> PositionCursor<'t> {
    /// A cursor at the beginning of `text`.
    pub fn new(text: &'t str, encoding: Encoding) -> Self {
        Self {
            text,
            encoding,
            offset: 0,
            position: Position::default(),
        }
    }

    /// The position of byte `offset`, as [`position_at`](super::position_at) has it. Places before the last one asked
    /// for take a new walk.
    pub fn at(&mut self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        if offset < self.offset {
            *self = Self::new(self.text, self.encoding);
        }
        let bytes = self.text.as_bytes();
        for (at, character) in self.text[self.offset..offset].char_indices() {
            let next = bytes.get(self.offset + at + 1);
            match character {
                // The line ends behind the second of two.
                '\r' if next == Some(&b'\n') => self.position.character += 1,
                '\n' | '\r' => {
                    self.position.line += 1;
                    self.position.character = 0;
                }
                other => {
                    self.position.character += match self.encoding {
                        Encoding::Utf8 => other.len_utf8() as u32,
                        Encoding::Utf16 => other.len_utf16() as u32,
                        Encoding::Utf32 => 1,
                    }
                }
            }
        }
        self.offset = offset;
        self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::position_at;
    use proptest::prelude::*;
    use ropey::Rope;

    proptest! {
        #[test]
        fn every_place_is_where_the_rope_has_it(
            text in "[a=\"é日📦\r\n\u{2028}]{0,40}",
            mut offsets in prop::collection::vec(0usize..80, 0..20),
            in_order: bool,
        ) {
            if in_order {
                offsets.sort_unstable();
            }
            let rope = Rope::from_str(&text);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let mut cursor = PositionCursor::new(&text, encoding);
                for &offset in &offsets {
                    prop_assert_eq!(cursor.at(offset), position_at(&rope, offset, encoding));
                }
            }
        }
    }
}
