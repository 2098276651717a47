//! Variables of the environment in a text: `${NAME}`.

use std::ops::Range;

/// A place where a variable's value is put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// The bytes it takes up, braces included.
    pub range: Range<usize>,
    /// The variable that it names.
    pub name: &'a str,
}

/// The variables of `text`, in order: `${`, a name of letters, digits and `_` that begins with no digit, and `}`. Any
/// other `$` is plain text.
pub fn variables(text: &str) -> Vec<Variable<'_>> {
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
            found.push(Variable {
                range: start..from,
                name,
            });
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
            ("é${_}", vec![(2..6, "_")]),
        ] {
            let found = variables(text);
            let found: Vec<_> = found
                .into_iter()
                .map(|found| (found.range, found.name))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
