//! Every code has a page whose wrong example has that fault and no other, and whose right one has none.

use crate::world::World;
use loopls::check::{Analysis, Code, Diagnostic, Levels, Severity, pages};
use ropey::Rope;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The text below the heading `## heading`, up to the next one.
fn section<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n"))?;
    Some(rest.split("\n## ").next().unwrap_or(rest))
}

/// The one TOML example below the heading.
fn example<'a>(page: &'a str, heading: &str) -> &'a str {
    let section = section(page, heading).unwrap_or_else(|| panic!("no `## {heading}` in:\n{page}"));
    let mut blocks = section.split("```toml\n").skip(1);
    let block = blocks.next().expect("an example");
    assert!(blocks.next().is_none(), "one example is enough:\n{section}");
    block.split("```").next().expect("the end of the example")
}

fn diagnostics(text: &str) -> Vec<Diagnostic> {
    Analysis::new(Rope::from_str(text)).diagnostics_in(&World)
}

fn said(diagnostics: &[Diagnostic]) -> Vec<String> {
    let said = diagnostics.iter();
    said.map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
        .collect()
}

#[test]
fn wrong_examples_show_their_code_alone() {
    for code in Code::ALL.iter().copied() {
        let found = diagnostics(example(pages::page(code), "Wrong"));
        let codes: BTreeSet<Code> = found.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, BTreeSet::from([code]), "{:#?}", said(&found));
    }
}

#[test]
fn right_examples_are_right() {
    for code in Code::ALL.iter().copied() {
        let found = diagnostics(example(pages::page(code), "Right"));
        assert!(found.is_empty(), "{code}: {:#?}", said(&found));
    }
}

#[test]
fn pages_begin_with_code_and_severity() {
    for code in Code::ALL.iter().copied() {
        let beginning = format!("# {code}\n\nSeverity: {}\n\n", code.severity().as_str());
        let page = pages::page(code);
        assert!(page.starts_with(&beginning), "{page}");
        let summary = pages::summary(code);
        assert!(summary.ends_with('.') && summary.len() <= 100, "{summary}");
        assert!(
            page.lines()
                .all(|line| line.chars().count() <= 120 || line.contains(" = ")),
            "{page}"
        );
    }
}

/// What pages say about silencing is true: of a comment above the fault, and of a level.
#[test]
fn what_can_be_silenced_is_silenced() {
    for code in Code::ALL.iter().copied() {
        let page = pages::page(code);
        let Some(silencing) = section(page, "Silencing it") else {
            assert_eq!(
                code.severity(),
                Severity::Error,
                "{code} says how to silence it"
            );
            continue;
        };
        assert!(Levels::default().set(code.as_str(), "off").is_ok());
        assert!(
            silencing.contains(&format!("\n[levels]\n{code} = \"off\"\n")),
            "{page}"
        );
        let comment = format!("# loopls: allow {code}");
        assert_eq!(
            silencing.contains(&comment),
            code != Code::UnusedAllow,
            "{page}"
        );
        if code == Code::UnusedAllow {
            continue;
        }
        let wrong = example(page, "Wrong");
        let rope = Rope::from_str(wrong);
        let faulty: BTreeSet<usize> = diagnostics(wrong)
            .iter()
            .map(|diagnostic| rope.byte_to_line(diagnostic.span.start))
            .collect();
        let mut allowed = String::new();
        for (number, line) in wrong.lines().enumerate() {
            if faulty.contains(&number) {
                allowed.push_str(&format!("{comment}\n"));
            }
            allowed.push_str(&format!("{line}\n"));
        }
        let left = diagnostics(&allowed);
        assert!(left.is_empty(), "{code}: {:#?}", said(&left));
    }
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

#[test]
fn no_page_is_left_of_a_code_that_is_gone() {
    for entry in fs::read_dir(docs().join("codes")).expect("the pages") {
        let name = entry
            .expect("a page")
            .file_name()
            .into_string()
            .expect("a name in UTF-8");
        let code = name.strip_suffix(".md").and_then(Code::from_name);
        assert!(code.is_some(), "docs/codes/{name} is about no code");
    }
}

fn explain(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopls"));
    let output = command
        .arg("explain")
        .args(arguments)
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn explain_prints_the_page() {
    let page = pages::page(Code::ZeroLimit).to_owned();
    // Also as `check` prints the code.
    for name in ["zero_limit", "warning[zero_limit]", "warning[zero_limit]:"] {
        assert_eq!(explain(&[name]), (Some(0), page.clone(), String::new()));
    }
}

#[test]
fn explain_alone_lists_all_codes() {
    let (status, list, _) = explain(&[]);
    assert_eq!((status, list.lines().count()), (Some(0), Code::ALL.len()));
    for (line, code) in list.lines().zip(Code::ALL.iter().copied()) {
        let words: Vec<&str> = line.split_whitespace().take(2).collect();
        assert_eq!(words, [code.as_str(), code.severity().as_str()]);
        assert!(line.ends_with(&pages::summary(code)), "{line}");
    }
}

#[test]
fn explain_helps_with_a_code_that_is_none() {
    for (name, expected) in [
        (
            "zero_limt",
            "error: there is no code `zero_limt`\n  help: did you mean `zero_limit`?\n",
        ),
        (
            "weather",
            "error: there is no code `weather`\n  help: `loopls explain` lists all codes\n",
        ),
    ] {
        assert_eq!(explain(&[name]), (Some(2), String::new(), expected.into()));
    }
}
