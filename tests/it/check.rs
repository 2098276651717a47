//! Every file of `tests/data/check` shows what one code says: definitions with the marks and messages written under
//! the lines they are about. `tests/data/check/README.md` tells how to add one; nothing here needs to be read for it.
//!
//! With `UPDATE_EXPECT=1` the files are written anew from what the checks say.

use crate::world::World;
use loopls::check::{Analysis, Code, Diagnostic};
use ropey::Rope;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What `...` stands for: the beginning of a definition that has nothing wrong.
const BEGINNING: &str = "name = \"example\"\nmodel = { provider = \"scripted\", name = \"demo\" }";

/// A line of marks: `#   ^^^ code: message`.
fn is_mark(line: &str) -> bool {
    let rest = line
        .strip_prefix('#')
        .unwrap_or_default()
        .trim_start_matches(' ');
    rest.starts_with('^') && line.starts_with('#')
}

fn input(case: &str) -> String {
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

fn cases() -> Vec<(PathBuf, String)> {
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
