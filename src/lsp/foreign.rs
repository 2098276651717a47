//! Text of files, models and tools, on its way to a person: shown, never obeyed (`docs/security.md`, 14).

pub use crate::text::one_line;
use crate::text::written_out;

/// `text` with its lines, the same characters written out; from more than `max` characters the middle is left out, and
/// said how long it was.
pub fn whole(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return written_out(text).into_owned();
    }
    let (head, tail) = (max / 2, max - max / 2);
    let border = |nth| {
        text.char_indices()
            .nth(nth)
            .map_or(text.len(), |(at, _)| at)
    };
    format!(
        "{}…[{} characters left out]…{}",
        written_out(&text[..border(head)]),
        count - max,
        written_out(&text[border(count - tail)..])
    )
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
