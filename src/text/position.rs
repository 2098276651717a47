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
