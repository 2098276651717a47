//! Every file of `tests/data/check` shows what one code says: definitions with the marks and messages written under
//! the lines they are about. `tests/data/check/README.md` tells how to add one; nothing here needs to be read for it.
//!
//! With `UPDATE_EXPECT=1` the files are written anew from what the checks say.

use crate::world::World;
use loopls::check::{Analysis, Code, Diagnostic};
use loopls::text::apply_edits;
use ropey::Rope;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What `...` stands for: the beginning of a definition that has nothing wrong.
pub const BEGINNING: &str =
    "name = \"example\"\nmodel = { provider = \"scripted\", name = \"demo\" }";

/// A line of marks: `#   ^^^ code: message`.
fn is_mark(line: &str) -> bool {
    let rest = line
        .strip_prefix('#')
        .unwrap_or_default()
        .trim_start_matches(' ');
    rest.starts_with('^') && line.starts_with('#')
}

pub fn input(case: &str) -> String {
    let lines: Vec<&str> = case.lines().filter(|line| !is_mark(line)).collect();
    lines.join("\n").replace("...", BEGINNING)
}

/// The case with the marks that the checks make, each under the line it begins on.
fn marked(case: &str) -> String {
    let text = input(case);
    let analysis = Analysis::new(Rope::from_str(&text));
    let diagnostics = analysis.diagnostics_in(&World);
    let mut result = String::new();
    let mut offset = 0;
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            result.push('\n');
        }
        result.push_str(line);
        let of_line = diagnostics
            .iter()
            .filter(|diagnostic| (offset..=offset + line.len()).contains(&diagnostic.span.start));
        for diagnostic in of_line {
            result.push_str(&mark(line, offset, diagnostic));
        }
        offset += line.len() + 1;
    }
    result.replace(BEGINNING, "...")
}

fn mark(line: &str, offset: usize, diagnostic: &Diagnostic) -> String {
    let start = diagnostic.span.start - offset;
    let end = (diagnostic.span.end - offset).min(line.len());
    let columns = |text: &str| text.chars().count();
    // The comment sign takes the first column, so a mark that begins there is one column late and one shorter.
    let (before, width) = match columns(&line[..start]) {
        0 => (0, columns(&line[start..end]).saturating_sub(1)),
        before => (before - 1, columns(&line[start..end])),
    };
    let mut text = format!(
        "\n#{}{} {}: {}",
        " ".repeat(before),
        "^".repeat(width.max(1)),
        diagnostic.code,
        diagnostic.message
    );
    for related in &diagnostic.related {
        text.push_str(&format!(" [{}]", related.message));
    }
    text
}

pub fn cases() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/check");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            (
                path.clone(),
                fs::read_to_string(path).expect("a file of cases"),
            )
        })
        .collect()
}

#[test]
fn every_case_is_judged_as_written() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    for (path, text) in cases() {
        let separator = "\n\n# ----\n\n";
        let judged: Vec<String> = text.trim_end().split(separator).map(marked).collect();
        let judged = judged.join(separator) + "\n";
        if judged != text {
            if update {
                fs::write(&path, &judged).expect("the file of cases can be written");
            } else {
                wrong.push(format!(
                    "{}:\n{}",
                    path.display(),
                    difference(&text, &judged)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines that differ, expected ones with `-`, found ones with `+`.
fn difference(expected: &str, found: &str) -> String {
    let expected_lines: BTreeSet<&str> = expected.lines().collect();
    let found_lines: BTreeSet<&str> = found.lines().collect();
    let gone = expected
        .lines()
        .filter(|line| !found_lines.contains(line))
        .map(|line| format!("  - {line}"));
    let new = found
        .lines()
        .filter(|line| !expected_lines.contains(line))
        .map(|line| format!("  + {line}"));
    gone.chain(new).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_code_has_a_file_that_shows_it() {
    let cases = cases();
    for code in Code::ALL {
        let name = format!("{code}.toml");
        let case = cases
            .iter()
            .find(|(path, _)| path.file_name().is_some_and(|file| *file == *name));
        let (_, text) = case.unwrap_or_else(|| panic!("there is no tests/data/check/{name}"));
        assert!(
            text.contains(&format!("^ {code}: ")),
            "{name} does not show its code"
        );
    }
}

/// Codes and messages, which is what a person sees of a diagnostic wherever it stands.
fn said(text: &str) -> Vec<(Code, String)> {
    let analysis = Analysis::new(Rope::from_str(text));
    let diagnostics = analysis.diagnostics_in(&World);
    diagnostics
        .into_iter()
        .map(|diagnostic| (diagnostic.code, diagnostic.message))
        .collect()
}

#[test]
fn a_fix_puts_right_what_it_is_for_and_nothing_else() {
    let mut fixed = BTreeSet::new();
    let mut wrong = Vec::new();
    for (path, text) in cases() {
        for case in text.trim_end().split("\n\n# ----\n\n") {
            for text in [input(case), input(case).replace('\n', "\r\n")] {
                let analysis = Analysis::new(Rope::from_str(&text));
                let before = said(&text);
                for diagnostic in analysis.diagnostics_in(&World) {
                    for fix in analysis.fixes(&diagnostic) {
                        let after_text =
                            apply_edits(&text, &fix.edits).expect("edits do not overlap");
                        let after = said(&after_text);
                        let itself = (diagnostic.code, diagnostic.message.clone());
                        let count = |list: &[(Code, String)]| {
                            list.iter().filter(|one| **one == itself).count()
                        };
                        let gone = count(&after) < count(&before);
                        let new: Vec<_> =
                            after.iter().filter(|one| !before.contains(one)).collect();
                        let endings = text.contains('\r') == after_text.contains('\r')
                            && !after_text.replace("\r\n", "").contains('\r')
                            && (!text.contains('\r')
                                || !after_text.replace("\r\n", "").contains('\n'));
                        if !gone || !new.is_empty() || !endings {
                            wrong.push(format!("{}: {}: {}: gone {gone}, line endings {endings}, new {new:?}\n{after_text}", path.display(), itself.1, fix.title));
                        }
                        fixed.insert(diagnostic.code);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let names: Vec<&str> = fixed.iter().map(|code| code.as_str()).collect();
    expect_test::expect![[r#"
        invalid_model
        invalid_tool_limits
        invalid_drain_timeout
        invalid_delegate
        reserved_tool_name
        invalid_mode
        duplicate_mode
        missing_initial_mode
        invalid_initial_mode
        duplicate_definition_name
        invalid_tool_info
        unknown_key
        wrong_type
        invalid_value
        unknown_tool
        invalid_input_schema
        unknown_placeholder
        tool_name_for_provider
        schema_for_provider
        undeclared_property
        unmatched_pattern
        placeholder_as_option
        optional_placeholder
        empty_mode_tools
        zero_in_mode
        zero_limit
        limit_without_effect
        repeated_tool
        unused_allow"#]]
    .assert_eq(&names.join("\n"));
}

/// Codes that exclude another one of the file, with that one.
const EXCLUDED: &[(Code, &str)] = &[
    (
        Code::MissingInitialMode,
        "`initial_mode` is there, and names no mode",
    ),
    (
        Code::UnmatchedPattern,
        "delegates become tools, so that a pattern may fit one of them",
    ),
    (Code::UnusedTool, "a mode with an empty list has all tools"),
];

#[test]
fn a_file_with_everything_wrong_hears_of_everything_at_once() {
    let text = include_str!("../data/every-code.loop.toml");
    let said: BTreeSet<Code> = said(text).into_iter().map(|(code, _)| code).collect();
    let expected: BTreeSet<Code> = Code::ALL
        .iter()
        .copied()
        .filter(|code| !EXCLUDED.iter().any(|(excluded, _)| excluded == code))
        .collect();
    let missing: Vec<&Code> = expected.difference(&said).collect();
    let unexpected: Vec<&Code> = said.difference(&expected).collect();
    assert!(
        missing.is_empty() && unexpected.is_empty(),
        "not said: {missing:?}; said: {unexpected:?}"
    );
}
