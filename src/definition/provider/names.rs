//! What a name may look like, and the nearest name that does.

/// What a name may look like. A letter is one of ASCII, a digit too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameRule {
    /// What it may hold beside letters and digits; `_` is always among it, for that is what replaces anything else.
    pub punctuation: &'static [char],
    /// What it may begin with.
    pub first: First,
    /// The most characters; the fewest is one.
    pub longest: usize,
}

/// What a name may begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// Whatever it may hold.
    Any,
    /// A letter or `_`.
    LetterOrUnderscore,
}

impl NameRule {
    fn may_hold(&self, character: char) -> bool {
        character.is_ascii_alphanumeric() || self.punctuation.contains(&character)
    }

    fn may_begin_with(&self, character: char) -> bool {
        match self.first {
            First::Any => true,
            First::LetterOrUnderscore => character.is_ascii_alphabetic() || character == '_',
        }
    }

    /// Whether `name` is such a name.
    pub fn takes(&self, name: &str) -> bool {
        self.broken_by(name).is_empty()
    }

    /// What `name` goes against, each as a clause that follows "a name"; empty for a name that fits.
    pub fn broken_by(&self, name: &str) -> Vec<String> {
        let mut broken = Vec::new();
        let Some(first) = name.chars().next() else {
            return vec!["has at least one character".into()];
        };
        if !name.chars().all(|character| self.may_hold(character)) {
            let punctuation: Vec<String> =
                self.punctuation.iter().map(|c| format!("`{c}`")).collect();
            let (last, others) = punctuation
                .split_last()
                .map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
            let digits = std::iter::once("digits").chain(others.iter().map(String::as_str));
            let listed: Vec<&str> = std::iter::once("ASCII letters").chain(digits).collect();
            broken.push(format!("holds only {} and {last}", listed.join(", ")));
        } else if !self.may_begin_with(first) {
            broken.push("begins with a letter or `_`".into());
        }
        let length = name.chars().count();
        if length > self.longest {
            broken.push(format!(
                "has at most {} characters (this one has {length})",
                self.longest
            ));
        }
        broken
    }

    /// The name that `name` becomes: `_` for what it may not hold, before what it may not begin with, and cut.
    pub fn fit(&self, name: &str) -> String {
        let held = name.chars().map(|c| if self.may_hold(c) { c } else { '_' });
        let held: String = held.collect();
        let prefix = match held.chars().next() {
            Some(first) if self.may_begin_with(first) => "",
            _ => "_",
        };
        prefix
            .chars()
            .chain(held.chars())
            .take(self.longest)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: NameRule = NameRule {
        punctuation: &['_', '-'],
        first: First::Any,
        longest: 8,
    };
    const DOTTED: NameRule = NameRule {
        punctuation: &['_', '.', '-'],
        first: First::LetterOrUnderscore,
        longest: 8,
    };

    /// codex#8174, copilot-cli#1879.
    #[test]
    fn names_and_the_nearest_that_fit() {
        for (rule, name, fitting, broken) in [
            (PLAIN, "find-1_a", "find-1_a", ""),
            (PLAIN, "1st", "1st", ""),
            (
                PLAIN,
                "a.b c",
                "a_b_c",
                "holds only ASCII letters, digits, `_` and `-`",
            ),
            (
                PLAIN,
                "größe",
                "gr__e",
                "holds only ASCII letters, digits, `_` and `-`",
            ),
            (
                PLAIN,
                "123456789",
                "12345678",
                "has at most 8 characters (this one has 9)",
            ),
            (
                PLAIN,
                "12345.789",
                "12345_78",
                "holds only ASCII letters, digits, `_` and `-`, has at most 8 characters (this one has 9)",
            ),
            (PLAIN, "", "_", "has at least one character"),
            (DOTTED, "a.b", "a.b", ""),
            (DOTTED, "_1", "_1", ""),
            (DOTTED, "1st", "_1st", "begins with a letter or `_`"),
            (DOTTED, ".a", "_.a", "begins with a letter or `_`"),
            (
                DOTTED,
                "a/b",
                "a_b",
                "holds only ASCII letters, digits, `_`, `.` and `-`",
            ),
            (
                DOTTED,
                "12345678",
                "_1234567",
                "begins with a letter or `_`",
            ),
        ] {
            assert_eq!(rule.broken_by(name).join(", "), broken, "{name}");
            assert_eq!(rule.fit(name), fitting, "{name}");
            assert!(rule.takes(&rule.fit(name)), "{name}");
        }
    }
}
