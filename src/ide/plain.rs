//! Foreign text where there is no markup: titles, outlines, hints.

/// `text` on one line of at most `longest` characters, without anything that is not seen.
pub fn one_line(text: &str, longest: usize) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        let between = if line.is_empty() { None } else { Some(' ') };
        for character in between.into_iter().chain(word.chars()) {
            if is_hidden(character) {
                continue;
            }
            if length == longest {
                line.push('…');
                return line;
            }
            line.push(character);
            length += 1;
        }
    }
    line
}

/// Whether a character is not seen, and can make text look like other text: those that turn the direction of writing,
/// and those without width but for the two that join or part letters.
pub fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        for (text, expected) in [
            ("", ""),
            (" \n\t", ""),
            ("two\n  words ", "two word…"),
            ("one\n  two ", "one two"),
            ("12345678", "12345678"),
            ("123456789", "12345678…"),
            ("a\u{202e}b\u{1b}c", "ab c"),
        ] {
            assert_eq!(one_line(text, 8), expected, "{text:?}");
        }
    }
}
