//! Placeholders: `{{key}}` in arguments, URLs, header values and bodies.

use std::ops::Range;

/// A place where a property of a tool's input is put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// The bytes it takes up, braces included.
    pub range: Range<usize>,
    /// The property that it names.
    pub name: &'a str,
}

/// The placeholders of `text`, in order: `{{`, a name of letters, digits, `_` and `-`, and `}}`, with spaces
/// around the name if wished. Any other `{{` is plain text, so that `docker ps --format "{{.Names}}"` stays what
/// it is.
pub fn placeholders(text: &str) -> Placeholders<'_> {
    Placeholders { text, from: 0 }
}

/// See [`placeholders`].
#[derive(Clone, Debug)]
pub struct Placeholders<'a> {
    text: &'a str,
    /// Where the next can begin.
    from: usize,
}

impl<'a> Iterator for Placeholders<'a> {
    type Item = Placeholder<'a>;

    fn next(&mut self) -> Option<Placeholder<'a>> {
        let text = self.text;
        // One brace is found faster than two.
        while let Some(start) = text[self.from..].find('{').map(|at| self.from + at) {
            let name = match text[start + 1..].starts_with('{') {
                true => name_after(text, start + 2),
                false => None,
            };
            // In `{{{key}}}` the second brace begins the placeholder.
            self.from = name.map_or(start + 1, |(_, end)| end);
            if let Some((name, end)) = name {
                return Some(Placeholder {
                    range: start..end,
                    name,
                });
            }
        }
        None
    }
}

/// The name that stands from byte `start` on, and where its closing braces end.
fn name_after(text: &str, start: usize) -> Option<(&str, usize)> {
    let inner = text[start..].trim_start_matches(' ');
    let name_start = text.len() - inner.len();
    let rest = inner.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let name = &text[name_start..text.len() - rest.len()];
    let rest = rest.trim_start_matches(' ').strip_prefix("}}")?;
    (!name.is_empty()).then_some((name, text.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_in_double_braces_is_a_placeholder() {
        for (text, expected) in [
            ("", vec![]),
            ("{{id}}", vec![(0..6, "id")]),
            ("a{{ id }}b", vec![(1..9, "id")]),
            ("{{a}}{{b-2_c}}", vec![(0..5, "a"), (5..14, "b-2_c")]),
            ("{{größe}}", vec![(0..11, "größe")]),
            ("{{{id}}}", vec![(1..7, "id")]),
            ("{{a {{b}}", vec![(4..9, "b")]),
            ("{{.Names}}", vec![]),
            ("{{}}", vec![]),
            ("{{ }}", vec![]),
            ("{{a b}}", vec![]),
            ("{{a}", vec![]),
            ("{{a\n}}", vec![]),
            ("{a}", vec![]),
            ("{{", vec![]),
            ("{{a", vec![]),
        ] {
            let found: Vec<_> = placeholders(text)
                .map(|placeholder| (placeholder.range, placeholder.name))
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
