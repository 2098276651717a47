//! Characters that are not seen as themselves, and how a person is shown them: text of files, models and tools must
//! not steer a terminal, nor look like other text.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether `character` does something that nobody sees: it steers a terminal, turns the direction of what follows,
/// breaks lines where no line break is seen, or has no width and no script needs it. The joiners of emoji and of
/// Persian are none of these. Of the control characters tab and line feed are taken for what they look like.
pub fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        // Line and paragraph separator, which terminals treat each in its own way.
        '\u{2028}' | '\u{2029}' => true,
        // Zero width space; word joiner, invisible operators, isolates; byte order mark; tags.
        '\u{200b}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

/// Whether `character` has no look of its own at all: what is [hidden](is_hidden), the joiners too, fillers, and what
/// only varies the character before it. For text in which each byte counts, as of a program that is about to run.
pub fn is_unseen(character: char) -> bool {
    is_hidden(character)
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{3164}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0080}'..='\u{e0fff}')
}

/// `text` with its [hidden](is_hidden) characters as `\u{1b}` and the like. A `\r` before a `\n` is a line break.
pub fn written_out(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let line_break = character == '\r' && characters.peek() == Some(&'\n');
        if is_hidden(character) && !line_break {
            write_out(&mut out, character);
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Adds `character` to `out` as its number, `\u{1b}`.
pub fn write_out(out: &mut String, character: char) {
    // Writing to a string does not fail.
    let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
}

/// `text` on one line of at most `longest` characters: blanks run together, what is [hidden](is_hidden) is written out.
pub fn one_line(text: &str, longest: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let between = if count > 0 { Some(' ') } else { None };
        for character in between.into_iter().chain(word.chars()) {
            if count >= longest {
                line.push('…');
                return line;
            }
            if is_hidden(character) {
                write_out(&mut line, character);
            } else {
                line.push(character);
            }
            count += 1;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_written_out() {
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
            assert_eq!(written_out(text), expected);
        }
    }

    #[test]
    fn a_line_is_one_line() {
        for (text, expected) in [
            ("", ""),
            (" \n\t", ""),
            ("  two\n word\t", "two word"),
            ("two\n  words ", "two word…"),
            ("\u{1b}[2J\u{202e}x", "\\u{1b}[2J\\u{202e}x"),
            ("12345678", "12345678"),
            ("123456789", "12345678…"),
            ("äöü äöü äöü", "äöü äöü …"),
        ] {
            assert_eq!(one_line(text, 8), expected, "{text:?}");
        }
    }

    #[test]
    fn whatever_is_hidden_is_unseen() {
        let mut all = ('\0'..=char::MAX).filter(|character| is_hidden(*character));
        assert!(all.all(is_unseen));
        assert!(is_unseen('\u{200d}') && !is_hidden('\u{200d}'));
        assert!(!is_unseen('\n') && !is_unseen('é'));
    }
}
