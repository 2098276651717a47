//! Markdown for clients that show it, and the same text for those that do not.

use tower_lsp::ls_types::{MarkupContent, MarkupKind};

/// `markdown` as the client takes it.
pub fn content(markdown: String, takes_markdown: bool) -> MarkupContent {
    match takes_markdown {
        true => MarkupContent {
            kind: MarkupKind::Markdown,
            value: markdown,
        },
        false => MarkupContent {
            kind: MarkupKind::PlainText,
            value: plain(&markdown),
        },
    }
}

/// What a person would read of `markdown`, which is as `ide` writes it: fences, emphasis, code marks, escapes and the
/// rules of tables go, everything else stays.
pub fn plain(markdown: &str) -> String {
    let mut plain = String::with_capacity(markdown.len());
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let mark = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => {
                fence = None;
                continue;
            }
            Some(_) => plain.push_str(line),
            // What follows an opening fence holds no backtick; else it is code within a line.
            None if mark.len() >= 3 && !line[mark.len()..].contains('`') => {
                fence = Some(mark);
                continue;
            }
            None if is_rule(line) => continue,
            None => push_inline(&mut plain, line),
        }
        plain.push('\n');
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Whether `line` is a rule, or parts the head of a table from its rows.
fn is_rule(line: &str) -> bool {
    line.contains("---") && line.chars().all(|c| "|-: ".contains(c))
}

fn push_inline(plain: &mut String, line: &str) {
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let marks = rest.len() - rest.trim_start_matches('`').len();
        let after = &rest[marks..];
        let code = (marks > 0).then(|| closing(after, marks)).flatten();
        if let Some(end) = code {
            let code = &after[..end];
            let padded = code.len() > 2 && code.starts_with(' ') && code.ends_with(' ');
            plain.push_str(if padded { &code[1..end - 1] } else { code });
            rest = &after[end + marks..];
        } else if let Some(after) = rest.strip_prefix("**") {
            rest = after;
        } else if let Some(escaped) = rest
            .strip_prefix('\\')
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()))
        {
            plain.push_str(&escaped[..1]);
            rest = &escaped[1..];
        } else {
            plain.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
}

/// Where the run of exactly `marks` backticks begins in `text` that closes the code before it.
fn closing(text: &str, marks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == marks {
            return Some(start);
        }
        at = start + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::plain;
    use crate::ide::markdown::{code, fenced, text};

    #[test]
    fn what_is_left_is_what_a_person_reads() {
        for (markdown, expected) in [
            (
                "**`calls`** — integer\n\nmost calls",
                "calls — integer\n\nmost calls",
            ),
            ("| a | b |\n|---|---:|\n| 1 | 2 |", "| a | b |\n| 1 | 2 |"),
            ("one\n\n---\n\ntwo", "one\n\n\ntwo"),
            ("a ** b `x` 5 \\* 3 \\", "a  b x 5 * 3 \\"),
            ("lone ` mark", "lone ` mark"),
        ] {
            assert_eq!(plain(markdown), expected);
        }
    }

    #[test]
    fn foreign_text_comes_through_whole() {
        for foreign in [
            "a*b_c",
            "`tick`",
            "``",
            "x | y",
            "[go](command:x)",
            "\\",
            "é **b**",
        ] {
            // Within a table a bar would begin a cell, and code has none.
            let barred = foreign.replace('|', "\u{2502}");
            assert_eq!(plain(&code(foreign)), barred, "{foreign}");
            assert_eq!(plain(&text(foreign)), foreign, "{foreign}");
            assert_eq!(plain(&fenced("toml", foreign)), foreign, "{foreign}");
        }
    }
}
