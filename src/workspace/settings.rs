//! `loopls.toml`, the settings of a project: levels of codes, and what a search leaves out. Nothing in it starts
//! anything, and it is never a definition.

use crate::check::{Code, Diagnostic, LevelProblem, Levels, MOST_DIAGNOSTICS};
use crate::syntax::{self, Entry, Node, NodeKind, Table};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;

/// The name of the file, at the root of a project.
pub const SETTINGS_FILE: &str = "loopls.toml";

/// How many patterns `exclude` has at the most; more are hardly written by hand, and take long to prepare.
const MOST_PATTERNS: usize = 1_000;

/// The settings of a project.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Levels of codes.
    pub levels: Levels,
    exclude: GlobSet,
}

impl Settings {
    /// Reads the settings that `text` gives, and says what is wrong with it, in order of the text. What is wrong counts
    /// for nothing; the rest counts.
    pub fn parse(text: &str) -> (Self, Vec<Diagnostic>) {
        let (tree, mut errors) = syntax::parse(text);
        let (table, conflicts) = Table::build(&tree);
        errors.extend(conflicts);
        let mut found: Vec<Diagnostic> = errors.into_iter().map(syntax_error).collect();
        let mut settings = Self::default();
        for entry in &table.entries {
            match entry.key.name.as_str() {
                "levels" => settings.levels = levels(&entry.value, &mut found),
                "exclude" => settings.exclude = exclude(&entry.value, &mut found),
                name => found.push(unknown_key(name, entry)),
            }
        }
        found.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
        found.truncate(MOST_DIAGNOSTICS);
        (settings, found)
    }

    /// Whether a search leaves out the file at `path`, which is relative to the project's root: because a pattern of
    /// `exclude` matches it, or a folder that it is in.
    pub fn excludes(&self, path: &Path) -> bool {
        let mut ancestors = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        ancestors.any(|path| self.exclude.is_match(path))
    }
}

fn syntax_error(error: syntax::SyntaxError) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::Syntax, error.span, error.message);
    match error.related {
        Some((span, message)) => diagnostic.with_related(span, message),
        None => diagnostic,
    }
}

fn unknown_key(name: &str, entry: &Entry) -> Diagnostic {
    let shown = name.escape_debug();
    // A level that stands outside its table is the likeliest slip.
    let message = match Code::from_name(name) {
        Some(_) => format!("`{shown}` is a code; its level belongs in `[levels]`"),
        None => format!(
            "there is no key `{shown}` in `{SETTINGS_FILE}`; there are `levels` and `exclude`"
        ),
    };
    Diagnostic::new(Code::UnknownKey, entry.key.span, message)
}

fn levels(node: &Node, found: &mut Vec<Diagnostic>) -> Levels {
    let mut levels = Levels::default();
    let Some(table) = node.as_table() else {
        let message = "`levels` is a table of codes, as in `levels = { unused_tool = \"off\" }`";
        found.extend(wrong_type(node, message));
        return levels;
    };
    for entry in &table.entries {
        let Some(level) = entry.value.as_str() else {
            let message = "a level is a string: `off`, `hint`, `information` or `warning`";
            found.extend(wrong_type(&entry.value, message));
            continue;
        };
        let name = &entry.key.name;
        if let Err(problem) = levels.set(name, level) {
            let (code, span) = match problem {
                LevelProblem::UnknownCode(_) => (Code::UnknownKey, entry.key.span),
                LevelProblem::IsAnError(_) => (Code::InvalidValue, entry.key.span),
                LevelProblem::UnknownLevel(_) => (Code::InvalidValue, entry.value.span),
            };
            let meant = Code::meant_by(name).filter(|_| code == Code::UnknownKey);
            let message = match meant {
                Some(meant) => format!("{problem}; did you mean `{meant}`?"),
                None => problem.to_string(),
            };
            found.push(Diagnostic::new(code, span, message));
        }
    }
    levels
}

fn exclude(node: &Node, found: &mut Vec<Diagnostic>) -> GlobSet {
    let NodeKind::Array(items) = &node.kind else {
        let message = "`exclude` is an array of patterns, as in `exclude = [\"drafts\"]`";
        found.extend(wrong_type(node, message));
        return GlobSet::default();
    };
    if let Some(first) = items.get(MOST_PATTERNS) {
        let message =
            format!("there are more than {MOST_PATTERNS} patterns; from here on none counts");
        found.push(Diagnostic::new(Code::InvalidValue, first.span, message));
    }
    let mut set = GlobSetBuilder::new();
    for item in items.iter().take(MOST_PATTERNS) {
        let Some(pattern) = item.as_str() else {
            found.extend(wrong_type(
                item,
                "a pattern is a string, such as `\"drafts/**\"`",
            ));
            continue;
        };
        let mut say = |message| found.push(Diagnostic::new(Code::InvalidValue, item.span, message));
        let shown = pattern.escape_debug();
        if pattern.trim().is_empty() {
            say("this pattern is blank; remove it".to_owned());
        } else if pattern.starts_with('/')
            || pattern.split('/').any(|part| matches!(part, "." | ".."))
        {
            say(format!(
                "`{shown}` matches nothing: paths are relative to the folder of `{SETTINGS_FILE}`, without `.` and `..`"
            ));
        } else {
            // `drafts/` is how many write a folder.
            let mut glob = GlobBuilder::new(pattern.trim_end_matches('/'));
            match glob.literal_separator(true).build() {
                Ok(glob) => drop(set.add(glob)),
                Err(error) => say(format!("`{shown}` is no pattern: {}", error.kind())),
            }
        }
    }
    set.build().unwrap_or_else(|error| {
        let message = format!("these patterns are too many or too long: {error}");
        found.push(Diagnostic::new(Code::InvalidValue, node.span, message));
        GlobSet::default()
    })
}

/// Says that a value is of another type; not of what is no value at all, which a syntax error tells already.
fn wrong_type(node: &Node, message: &str) -> Option<Diagnostic> {
    let is_value = !matches!(node.kind, NodeKind::Missing | NodeKind::Bad);
    is_value.then(|| Diagnostic::new(Code::WrongType, node.span, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Severity;
    use crate::text::Span;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let (_, found) = Settings::parse(text);
        let lines: String = found
            .iter()
            .map(|found| {
                format!(
                    "{} {}: {}\n",
                    found.span.of(text).escape_debug(),
                    found.code,
                    found.message
                )
            })
            .collect();
        expected.assert_eq(&lines);
    }

    #[test]
    fn levels_and_patterns_are_read() {
        let (settings, found) = Settings::parse(
            "exclude = [\"drafts\", \"build/\", \"**/*.old.loop.toml\"]\n\n[levels]\nunused_tool = \"off\"\nzero_limit = \"hint\"\n",
        );
        assert_eq!(found, []);
        let say = |code| Diagnostic::new(code, Span::empty(0), "");
        let applied = settings
            .levels
            .apply(vec![say(Code::UnusedTool), say(Code::ZeroLimit)]);
        assert_eq!(applied.len(), 1);
        assert_eq!(applied[0].severity, Severity::Hint);
        for (path, excluded) in [
            ("drafts", true),
            ("drafts/a.loop.toml", true),
            ("drafts/deep/a.loop.toml", true),
            ("build/a.loop.toml", true),
            ("loops/drafts/a.loop.toml", false),
            ("a.old.loop.toml", true),
            ("loops/a.old.loop.toml", true),
            ("a.loop.toml", false),
            ("", false),
        ] {
            assert_eq!(settings.excludes(Path::new(path)), excluded, "{path}");
        }
    }

    #[test]
    fn nothing_is_wrong_with_an_empty_file() {
        check("", expect![[""]]);
        check("levels = {}\nexclude = []\n", expect![[""]]);
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        check(
            r#"server = "/bin/sh"
zero_limit = "off"
exclude = ["a[", " ", "/a", "../b", "c/./d", 1, "ok"]
[levels]
unused_tools = "off"
nonsense_of_mine = "off"
zero_limit = "error"
zero_in_mode = 0
syntax = "warning"
"#,
            expect![[r#"
                server unknown_key: there is no key `server` in `loopls.toml`; there are `levels` and `exclude`
                zero_limit unknown_key: `zero_limit` is a code; its level belongs in `[levels]`
                \"a[\" invalid_value: `a[` is no pattern: unclosed character class; missing ']'
                \" \" invalid_value: this pattern is blank; remove it
                \"/a\" invalid_value: `/a` matches nothing: paths are relative to the folder of `loopls.toml`, without `.` and `..`
                \"../b\" invalid_value: `../b` matches nothing: paths are relative to the folder of `loopls.toml`, without `.` and `..`
                \"c/./d\" invalid_value: `c/./d` matches nothing: paths are relative to the folder of `loopls.toml`, without `.` and `..`
                1 wrong_type: a pattern is a string, such as `"drafts/**"`
                unused_tools unknown_key: there is no code `unused_tools`; did you mean `unused_tool`?
                nonsense_of_mine unknown_key: there is no code `nonsense_of_mine`
                \"error\" invalid_value: `error` is no level; a level is `off`, `hint`, `information` or `warning`
                0 wrong_type: a level is a string: `off`, `hint`, `information` or `warning`
                syntax invalid_value: `syntax` is an error, and no setting lowers it: a definition that has it cannot be run
            "#]],
        );
        check(
            "levels = [\"zero_limit\"]\nexclude = \"a\"\n",
            expect![[r#"
                [\"zero_limit\"] wrong_type: `levels` is a table of codes, as in `levels = { unused_tool = "off" }`
                \"a\" wrong_type: `exclude` is an array of patterns, as in `exclude = ["drafts"]`
            "#]],
        );
        check(
            "[[levels]]\nzero_limit = \"off\"\n",
            expect![[r#"
            [[levels]] wrong_type: `levels` is a table of codes, as in `levels = { unused_tool = "off" }`
        "#]],
        );
    }

    #[test]
    fn patterns_are_bounded() {
        let patterns = "\"a*b\", ".repeat(MOST_PATTERNS);
        check(&format!("exclude = [{patterns}]"), expect![[""]]);
        check(
            &format!("exclude = [{patterns}\"c\"]"),
            expect![[r#"
            \"c\" invalid_value: there are more than 1000 patterns; from here on none counts
        "#]],
        );
    }

    #[test]
    fn what_is_no_toml_is_said_once_and_the_rest_counts() {
        let text = "exclude =\n[levels]\nzero_limit = \"off\"\nunused_tool = \n";
        check(
            text,
            expect![[r#"
            = syntax: a value is missing after `=`
            = syntax: a value is missing after `=`
        "#]],
        );
        let (settings, _) = Settings::parse(text);
        assert_ne!(settings.levels, Levels::default());
    }
}
