//! Text of files, models and tools, on its way to a person: shown, never obeyed (`security.md`, 14).

use std::fmt::Write;

/// `text` on one line, at most `max` characters long: control characters, bidirectional controls and what has no width
/// are written out, blanks run together.
pub fn one_line(text: &str, max: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for character in word.chars() {
            if count >= max {
                line.push('…');
                return line;
            }
            push(&mut line, character);
            count += 1;
        }
    }
    line
}

/// `text` with its lines, the same characters written out; from more than `max` characters the middle is left out, and
/// said how long it was.
pub fn whole(text: &str, max: usize) -> String {
    let count = text.chars().count();
    let mut shown = String::new();
    let (head, tail) = match count > max {
        true => (max / 2, max - max / 2),
        false => (count, 0),
    };
    for character in text.chars().take(head) {
        push(&mut shown, character);
    }
    if tail > 0 {
        // Writing to a string does not fail.
        let _ = write!(shown, "…[{} characters left out]…", count - head - tail);
    }
    for character in text.chars().skip(count - tail) {
        push(&mut shown, character);
    }
    shown
}

fn push(line: &mut String, character: char) {
    match character {
        '\n' | '\t' => line.push(character),
        hidden if is_hidden(hidden) => {
            // Writing to a string does not fail.
            let _ = write!(line, "\\u{{{:x}}}", u32::from(hidden));
        }
        shown => line.push(shown),
    }
}

/// Whether a person would not see what `character` does.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` without what a message box would make a link of: the bracket before an address is parted from it.
pub fn without_links(text: &str) -> String {
    text.replace("](", "] (")
}

/// `text` in a fence that it cannot close.
pub fn fenced(text: &str, language: &str) -> String {
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        for (text, expected) in [
            ("", ""),
            ("  two\n word\t", "two word"),
            ("\u{1b}[2J\u{202e}x", "\\u{1b}[2J\\u{202e}x"),
            ("12345678", "12345678"),
            ("123456789", "12345678…"),
            ("äöü äöü äöü", "äöü äöü …"),
        ] {
            assert_eq!(one_line(text, 8), expected);
        }
    }

    #[test]
    fn the_middle_is_left_out_and_said() {
        assert_eq!(whole("one\ntwo", 10), "one\ntwo");
        assert_eq!(whole("0123456789ab", 4), "01…[8 characters left out]…ab");
        assert_eq!(whole("a\u{200b}b", 9), "a\\u{200b}b");
    }

    #[test]
    fn a_fence_holds_any_text() {
        assert_eq!(fenced("a", "json"), "```json\na\n```\n");
        assert_eq!(fenced("```\n", ""), "````\n```\n````\n");
        assert_eq!(fenced("a ````` b", ""), "``````\na ````` b\n``````\n");
    }

    #[test]
    fn no_link_is_left() {
        assert_eq!(without_links("[go](command:x)"), "[go] (command:x)");
    }
}
