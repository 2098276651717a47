//! Foreign text for a terminal.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with the characters written out that would steer a terminal, turn the direction of a line or not show at
/// all: control characters other than tab and line breaks (`\n`, `\r\n`), bidirectional controls, and invisible ones
/// that no script needs (the joiners of emoji and of Persian stay). They become `\u{1b}` and the like.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_written_out) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let line_break = character == '\r' && characters.peek() == Some(&'\n');
        if is_written_out(character) && !line_break {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// `text` as one line: [`printable`], and line breaks and tabs written out too.
pub fn printable_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '\r' => {}
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out
}

/// Whether a terminal must not get `character` as it is.
pub fn is_written_out(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        // Line and paragraph separator, which terminals treat each in its own way.
        '\u{2028}' | '\u{2029}' => true,
        // Zero width space, word joiner and the invisible operators, byte order mark, tags.
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        for (text, expected) in [
            ("plain\n\ttext, é, 日本", "plain\n\ttext, é, 日本"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("a\u{202e}b\u{2069}", "a\\u{202e}b\\u{2069}"),
            ("a\r\nb", "a\r\nb"),
            ("over\rwritten", "over\\u{d}written"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("tag\u{e0041}", "tag\\u{e0041}"),
        ] {
            assert_eq!(printable(text), expected);
        }
        assert_eq!(printable_line("a\r\n\tb\u{7}"), "a\\n\\tb\\u{7}");
    }
}
