//! Foreign text in Markdown: whatever a file says, it is shown as text and never as markup.

/// `text` as inline code, whatever backticks and line breaks it holds.
pub fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A pipe would end the cell of a table, a backtick or a space at the border would be taken for the fence's.
    let text = text.replace('|', "\u{2502}");
    match text.as_str() {
        "" => "` `".into(),
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
            character => escaped.push(character),
        }
    }
    escaped
}

/// `text` in a fenced block of the language `language`.
pub fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}
