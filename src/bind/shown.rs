//! What a person is shown of a call before it happens.

use crate::text::{is_unseen, write_out};

/// The longest argument that is shown whole, in characters.
const ARGUMENT: usize = 300;

/// The most that is shown of standard input, in characters.
const STDIN: usize = 1_000;

/// The most that is shown of a whole call, in characters.
const CALL: usize = 4_000;

/// The argument vector as one would type it into a shell, with what goes to standard input after `<<<`.
pub fn command_line<'a>(arguments: impl Iterator<Item = &'a str>, stdin: Option<&str>) -> String {
    let mut shown = String::new();
    for argument in arguments {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(&quoted(&written_out(&without_middle(argument, ARGUMENT))));
    }
    if let Some(stdin) = stdin {
        shown.push_str(" <<< ");
        shown.push_str(&quoted(&written_out(&without_middle(stdin, STDIN))));
    }
    without_middle(&shown, CALL)
}

/// `text` with every character written out that is not seen as itself: control characters, those that turn the
/// direction of what follows, and those without a width.
pub fn written_out(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if is_unseen(c) => write_out(&mut written, c),
            c => written.push(c),
        }
    }
    written
}

/// `text` if it has at most `limit` characters; else its ends, with how many are missing between them.
fn without_middle(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit {
        return text.to_owned();
    }
    let half = limit / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(length - half).collect();
    format!("{head}…[{} characters]…{tail}", length - 2 * half)
}

/// `text` in single quotes, unless a shell would take it for one word as it is.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        for (arguments, stdin, expected) in [
            (
                &["/bin/git", "log", "-n", "5"][..],
                None,
                "/bin/git log -n 5",
            ),
            (
                &["/bin/echo", "", "a b", "it's", "$HOME"],
                None,
                r"/bin/echo '' 'a b' 'it'\''s' '$HOME'",
            ),
            (
                &["/bin/sh"],
                Some("rm -rf x\n"),
                r"/bin/sh <<< 'rm -rf x\n'",
            ),
            (
                &["x", "a\u{1b}[2Jb", "\u{202e}txt.exe", "a\u{200b}b\u{7}"],
                None,
                r"x 'a\u{1b}[2Jb' '\u{202e}txt.exe' 'a\u{200b}b\u{7}'",
            ),
        ] {
            assert_eq!(command_line(arguments.iter().copied(), stdin), expected);
        }
    }

    #[test]
    fn of_a_long_one_the_middle_is_cut_and_counted() {
        let long = format!("a{}z", "é".repeat(1_000));
        let shown = command_line(["x", &long].into_iter(), None);
        assert!(shown.starts_with("x 'aé"), "{shown}");
        assert!(shown.contains("é…[702 characters]…é"), "{shown}");
        assert!(shown.ends_with("éz'"), "{shown}");

        let many = vec!["word"; 10_000];
        assert!(command_line(many.into_iter(), None).chars().count() < CALL + 40);
    }
}
