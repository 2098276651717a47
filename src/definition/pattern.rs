//! Patterns of tool names: what `access` and `middlewares.tools` list.

use globset::{GlobBuilder, GlobMatcher};

/// A glob over model-facing names.
#[derive(Clone, Debug)]
pub struct Pattern {
    glob: GlobMatcher,
    literal: Option<String>,
}

impl Pattern {
    /// The pattern that `text`, trimmed, is.
    ///
    /// # Errors
    ///
    /// Why it is no glob, for a person.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let glob = GlobBuilder::new(text).backslash_escape(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self {
            glob: glob.compile_matcher(),
            literal: literal(text),
        })
    }

    /// Whether it matches `name`.
    pub fn matches(&self, name: &str) -> bool {
        match &self.literal {
            Some(literal) => literal == name,
            None => self.glob.is_match(name),
        }
    }

    /// The only name that it matches, if it is no more than a name.
    pub fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }
}

/// The one name that the pattern `text`, trimmed, matches; `None` where it can match several or is no glob.
pub fn literal(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text.trim().chars();
    while let Some(character) = rest.next() {
        match character {
            '*' | '?' | '{' | '}' | ']' => return None,
            '\\' => name.push(rest.next()?),
            '[' => {
                // A class of one character, as in `a[*]b`, is that character.
                let only = rest.next().filter(|only| !matches!(only, '!' | '^'))?;
                name.push(only);
                if rest.next() != Some(']') {
                    return None;
                }
            }
            character => name.push(character),
        }
    }
    Some(name)
}

/// The pattern that matches `name` and nothing else.
pub fn escape(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '*' | '?' | '{' | '}' | '[' | ']' | '\\' => {
                pattern.extend(['[', character, ']']);
            }
            character => pattern.push(character),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_without_wildcards_is_a_name() {
        for (text, expected) in [
            ("find_order", Some("find_order")),
            (" find_order ", Some("find_order")),
            ("a.b-c", Some("a.b-c")),
            ("a[*]b", Some("a*b")),
            (r"a\*b", Some("a*b")),
            ("find_*", None),
            ("find_?", None),
            ("{a,b}", None),
            ("[ab]", None),
            ("[!a]", None),
        ] {
            assert_eq!(literal(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_name_as_a_pattern_matches_itself_alone() {
        for name in [
            "find_order",
            "a*b",
            "a?b",
            "[a]",
            "{a,b}",
            r"a\b",
            "!a",
            "größe",
        ] {
            let pattern = Pattern::new(&escape(name)).expect(name);
            assert_eq!(pattern.literal(), Some(name));
            assert!(pattern.glob.is_match(name), "{name}");
            for other in ["a", "axb", "b", "a/b"] {
                assert!(!pattern.glob.is_match(other), "{name} {other}");
            }
        }
    }
}
