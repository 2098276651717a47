//! Lines and characters as LSP counts them.

use super::Span;
use ropey::Rope;

/// How a client counts characters within a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, the protocol's default.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

/// A place between two characters: zero-based line, and character in some [`Encoding`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Zero-based line; lines end at `\n`, `\r\n` or a lone `\r`, nothing else.
    pub line: u32,
    /// Zero-based offset in the line, in units of the encoding.
    pub character: u32,
}

/// Two positions, the end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Range {
    /// The first place.
    pub start: Position,
    /// The place after the last character.
    pub end: Position,
}

/// The position of byte `offset`; an offset past the end is the end, one within a character is its start.
pub fn position_at(rope: &Rope, offset: usize, encoding: Encoding) -> Position {
    let char_index = rope.byte_to_char(offset.min(rope.len_bytes()));
    let line = rope.char_to_line(char_index);
    let line_start = rope.line_to_char(line);
    let character = match encoding {
        Encoding::Utf8 => rope.char_to_byte(char_index) - rope.char_to_byte(line_start),
        Encoding::Utf16 => rope.char_to_utf16_cu(char_index) - rope.char_to_utf16_cu(line_start),
        Encoding::Utf32 => char_index - line_start,
    };
    Position {
        line: line as u32,
        character: character as u32,
    }
}

/// The byte offset of `position`.
///
/// As LSP asks: a character past the end of its line is the end of the line (before its line break), a line past
/// the last is the end of the text, and a place within a character is its start.
pub fn offset_at(rope: &Rope, position: Position, encoding: Encoding) -> usize {
    let line = position.line as usize;
    if line >= rope.len_lines() {
        return rope.len_bytes();
    }
    let start = rope.line_to_char(line);
    let mut end = start + rope.line(line).len_chars();
    while end > start && matches!(rope.char(end - 1), '\n' | '\r') {
        end -= 1;
    }
    let wanted = position.character as usize;
    let char_index = match encoding {
        Encoding::Utf8 => {
            let byte = (rope.char_to_byte(start) + wanted).min(rope.char_to_byte(end));
            rope.byte_to_char(byte)
        }
        Encoding::Utf16 => {
            let unit = (rope.char_to_utf16_cu(start) + wanted).min(rope.char_to_utf16_cu(end));
            rope.utf16_cu_to_char(unit)
        }
        Encoding::Utf32 => (start + wanted).min(end),
    };
    rope.char_to_byte(char_index)
}

/// The positions of both ends of `span`.
pub fn range_of(rope: &Rope, span: Span, encoding: Encoding) -> Range {
    Range {
        start: position_at(rope, span.start, encoding),
        end: position_at(rope, span.end, encoding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_after_wide_characters() {
        // Text before the place, then its column in UTF-8, UTF-16 and UTF-32.
        let cases = [
            ("", [0, 0, 0]),
            ("abc", [3, 3, 3]),
            ("é", [2, 1, 1]),
            ("e\u{301}", [3, 2, 2]),
            ("日本", [6, 2, 2]),
            ("📦", [4, 2, 1]),
            ("👩\u{200d}🚀", [11, 5, 3]),
            ("\t\"é📦\"", [9, 6, 5]),
            ("\u{feff}a", [4, 2, 2]),
        ];
        for (before, columns) in cases {
            let rope = Rope::from_str(&format!("first\n{before}x = 1\nlast"));
            let offset = "first\n".len() + before.len();
            for (encoding, column) in ENCODINGS.into_iter().zip(columns) {
                let position = at(1, column);
                assert_eq!(position_at(&rope, offset, encoding), position, "{before:?}");
                assert_eq!(offset_at(&rope, position, encoding), offset, "{before:?}");
            }
        }
    }

    #[test]
    fn lines_end_where_the_protocol_says() {
        let cases = [
            ("a\nb", 2),
            ("a\r\nb", 2),
            ("a\rb", 2),
            ("a\r\rb", 3),
            ("a\n\rb", 3),
            ("a\r\n", 2),
            ("", 1),
            ("a\u{2028}b\u{2029}c", 1),
            ("a\u{85}b", 1),
            ("a\u{b}b\u{c}c", 1),
        ];
        for (text, lines) in cases {
            let rope = Rope::from_str(text);
            assert_eq!(rope.len_lines(), lines, "{text:?}");
            let end = position_at(&rope, text.len(), Encoding::Utf16);
            assert_eq!(end.line as usize + 1, lines, "{text:?}");
        }
    }

    #[test]
    fn places_that_are_not_there_are_moved_to_one_that_is() {
        let text = "ab\r\ncd\re📦f\n";
        let rope = Rope::from_str(text);
        let cases = [
            // Past the end of a line: before its line break.
            (at(0, 2), [2, 2, 2]),
            (at(0, 3), [2, 2, 2]),
            (at(0, u32::MAX), [2, 2, 2]),
            (at(1, 9), [6, 6, 6]),
            // Within a character: before it.
            (at(2, 2), [8, 8, 12]),
            (at(2, 3), [8, 12, 13]),
            (at(2, 5), [12, 13, 13]),
            // The empty last line, and lines past it: the end.
            (at(3, 0), [14, 14, 14]),
            (at(3, 1), [14, 14, 14]),
            (at(4, 0), [14, 14, 14]),
            (at(u32::MAX, u32::MAX), [14, 14, 14]),
        ];
        for (position, offsets) in cases {
            for (encoding, offset) in ENCODINGS.into_iter().zip(offsets) {
                let found = offset_at(&rope, position, encoding);
                assert_eq!(found, offset, "{position:?} in {encoding:?}");
            }
        }
        for encoding in ENCODINGS {
            assert_eq!(position_at(&rope, 99, encoding), at(3, 0));
            assert_eq!(position_at(&rope, 9, encoding), at(2, 1), "within the box");
        }
    }

    #[test]
    fn every_place_finds_its_way_back() {
        let text = "a = \"é📦e\u{301}\"\r\n\r日本\n\u{2028}x";
        let rope = Rope::from_str(text);
        for encoding in ENCODINGS {
            for (offset, _) in text.char_indices() {
                // Between the two characters of one line break no position lies.
                if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
                    continue;
                }
                let position = position_at(&rope, offset, encoding);
                assert_eq!(offset_at(&rope, position, encoding), offset, "{position:?}");
            }
        }
    }

    #[test]
    fn a_range_has_both_ends() {
        let rope = Rope::from_str("é = 1\n");
        let range = range_of(&rope, Span::new(3, 7), Encoding::Utf16);
        assert_eq!((range.start, range.end), (at(0, 2), at(1, 0)));
    }
}
