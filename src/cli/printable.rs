//! Foreign text for a terminal.

pub use crate::text::written_out as printable;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(printable_line("a\r\n\tb\u{7}"), "a\\n\\tb\\u{7}");
    }
}
