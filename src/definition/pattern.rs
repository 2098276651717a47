//! Patterns of tool names: what `access` and `middlewares.tools` list.

use globset::{GlobBuilder, GlobMatcher};

/// A glob over model-facing names.
#[derive(Clone, Debug)]
pub struct Pattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// No more than a name.
    Literal(String),
    /// `name*`, which is what nearly all others are, and needs no regular expression.
    Prefix(String),
    /// With wildcards.
    Glob(GlobMatcher),
}

impl Pattern {
    /// The pattern that `text`, trimmed, is.
    ///
    /// # Errors
    ///
    /// Why it is no glob, for a person.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(name) = literal(text) {
            return Ok(Self(Kind::Literal(name)));
        }
        if let Some(prefix) = text.strip_suffix('*').and_then(literal) {
            return Ok(Self(Kind::Prefix(prefix)));
        }
        let glob = GlobBuilder::new(text).backslash_escape(true).build();
        let glob = glob.map_err(|error| error.kind().to_string())?;
        Ok(Self(Kind::Glob(glob.compile_matcher())))
    }

    /// Whether it matches `name`.
    pub fn matches(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Literal(literal) => literal == name,
            Kind::Prefix(prefix) => name.starts_with(prefix.as_str()),
            Kind::Glob(glob) => glob.is_match(name),
        }
    }

    /// The only name that it matches, if it is no more than a name.
    pub fn literal(&self) -> Option<&str> {
        match &self.0 {
            Kind::Literal(name) => Some(name),
            Kind::Prefix(_) | Kind::Glob(_) => None,
        }
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
    fn patterns_match_names() {
        for (text, matching, others) in [
            (
                "find_*",
                &["find_", "find_order"][..],
                &["find", "a_find_b"][..],
            ),
            ("*", &["", "a", "a/b"], &[]),
            ("**", &["", "a/b"], &[]),
            (r"a\**", &["a*", "a*b"], &["a", "ab"]),
            ("{a,b}?", &["ax", "by"], &["a", "cx"]),
            ("[!a]", &["b"], &["a", "bb"]),
            (" a ", &["a"], &["A", " a "]),
        ] {
            let pattern = Pattern::new(text).expect(text);
            assert!(matching.iter().all(|name| pattern.matches(name)), "{text}");
            assert!(!others.iter().any(|name| pattern.matches(name)), "{text}");
        }
        for text in ["[a", "[*", "{a", "a\\"] {
            assert!(Pattern::new(text).is_err(), "{text}");
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
            let text = escape(name);
            assert_eq!(literal(&text).as_deref(), Some(name));
            // The run reads patterns as globs, and sees the same.
            let glob = GlobBuilder::new(&text).backslash_escape(true).build();
            let glob = glob.expect(name).compile_matcher();
            assert!(glob.is_match(name), "{name}");
            for other in ["a", "axb", "b", "a/b"] {
                assert!(!glob.is_match(other), "{name} {other}");
            }
        }
    }
}
