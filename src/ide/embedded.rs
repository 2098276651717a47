//! What stands within strings: placeholders and variables, and where either means something.

use std::ops::Range;

/// Whether `{{key}}` is replaced in the string to which `path` leads, indexes left out.
pub fn takes_placeholders(path: &[&str]) -> bool {
    matches!(
        path,
        ["tools", "command" | "stdin"]
            | ["tools", "http", "url"]
            | ["tools", "http", "headers", _]
            | ["tools", "http", "body", ..]
    )
}

/// Whether `${NAME}` is replaced in the string to which `path` leads.
pub fn takes_variables(path: &[&str]) -> bool {
    matches!(
        path,
        ["tools", "env", _]
            | ["tools", "http" | "mcp", "url"]
            | ["tools", "http" | "mcp", "headers", _]
    )
}

/// Whether the string to which `path` leads is the name of an environment variable.
pub fn is_variable(path: &[&str]) -> bool {
    matches!(
        path,
        ["secrets"] | ["model", "api_key_env"] | ["modes", "model", "api_key_env"]
    )
}

/// The `${NAME}`s of `text`, each with its bytes; any other `$` is plain text.
pub fn variables(text: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        from = start + 2;
        let inner = &text[from..];
        let rest = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let name = &inner[..inner.len() - rest.len()];
        let is_name = name.starts_with(|c: char| !c.is_ascii_digit());
        if is_name && rest.starts_with('}') {
            from += name.len() + 1;
            found.push((start..from, name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stand_in_braces_behind_a_dollar() {
        for (text, expected) in [
            ("Bearer ${TOKEN}", vec![(7..15, "TOKEN")]),
            ("${A}${B_2}", vec![(0..4, "A"), (4..10, "B_2")]),
            ("${${A}}", vec![(2..6, "A")]),
            ("$A ${} ${1} ${a b} ${a-b} ${A", vec![]),
        ] {
            assert_eq!(variables(text), expected, "{text}");
        }
    }
}
