//! Foreign text in Markdown: whatever a file says, it is shown as text and never as markup.

use crate::text::is_hidden;

/// `text` as inline code, whatever backticks and line breaks it holds.
pub fn code(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            character if character.is_control() => shown.push(' '),
            // In code too it would end the cell of a table.
            '|' => shown.push('\u{2502}'),
            character if is_hidden(character) => shown.extend(character.escape_unicode()),
            character => shown.push(character),
        }
    }
    let fence = "`".repeat(longest_run(&shown) + 1);
    match shown.as_str() {
        "" => "` `".into(),
        // A backtick at the border would be taken for the fence's, and one space there is taken away.
        text if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) => {
            format!("{fence} {text} {fence}")
        }
        text => format!("{fence}{text}{fence}"),
    }
}

/// `text` as plain Markdown text: line breaks stay, every character that could be markup is escaped.
pub fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | '#' | '+'
            | '-' | '.' | '!' | '|' | '~' | '=' | ':' | '&' | '$' | '@' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\n' => escaped.push('\n'),
            character if character.is_control() => escaped.push(' '),
            character if is_hidden(character) => escaped.extend(character.escape_unicode()),
            character => escaped.push(character),
        }
    }
    escaped
}

/// `text` in a fenced block of the language `language`.
pub fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// How many names a list shows.
const SHOWN: usize = 40;

/// `names`, which are Markdown, in one line; of very many the first ones.
pub fn list(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).cloned();
    let more = names.len().saturating_sub(SHOWN);
    let more = (more > 0).then(|| format!("and {more} more"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}
