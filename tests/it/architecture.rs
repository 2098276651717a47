//! Imports point one way, and the pure rooms stay pure. `docs/architecture.md` draws the same picture.

use std::fs;
use std::path::{Path, PathBuf};

/// Every room with the rooms that it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("syntax", &["text"]),
    ("format", &["text", "syntax"]),
    ("definition", &["text", "syntax", "format"]),
    ("check", &["text", "syntax", "format", "definition"]),
    (
        "workspace",
        &["text", "syntax", "format", "definition", "check"],
    ),
    (
        "ide",
        &[
            "text",
            "syntax",
            "format",
            "definition",
            "check",
            "workspace",
        ],
    ),
    ("host", &["text", "syntax", "format", "definition"]),
    (
        "bind",
        &["text", "syntax", "format", "definition", "check", "host"],
    ),
    (
        "run",
        &["text", "syntax", "format", "definition", "check", "bind"],
    ),
    (
        "lsp",
        &[
            "text",
            "syntax",
            "format",
            "definition",
            "check",
            "workspace",
            "ide",
            "bind",
            "run",
            "host",
        ],
    ),
    (
        "cli",
        &[
            "text",
            "syntax",
            "format",
            "definition",
            "check",
            "workspace",
            "ide",
            "bind",
            "run",
            "host",
            "lsp",
        ],
    ),
];

/// Rooms that know nothing of the machine they are on.
const PURE: &[&str] = &[
    "text",
    "syntax",
    "format",
    "definition",
    "check",
    "workspace",
    "ide",
];

/// What a pure room does not name.
const IMPURE: &[&str] = &[
    "tokio",
    "tower_lsp",
    "lsp_types",
    "ls_types",
    "std::env",
    "std::fs",
    "std::process",
    "std::net",
    "std::time",
    "std::thread",
    "env!(",
    "SystemTime",
    "Instant",
];

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The code of a file without comments, from its first line to its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The rooms that `code` names behind `crate::`, also in a group: `crate::{check, text::Span}`.
fn rooms_named(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (at, marker) in code.match_indices("crate::") {
        let rest = &code[at + marker.len()..];
        let identifier = |text: &str| -> String {
            text.trim_start()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        };
        match rest.strip_prefix('{') {
            None => named.push(identifier(rest)),
            Some(group) => {
                let mut depth = 0;
                let mut item = String::new();
                for character in group.chars() {
                    match character {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => named.push(identifier(&std::mem::take(&mut item))),
                        _ => {}
                    }
                    item.push(if character == ',' { ' ' } else { character });
                }
                named.push(identifier(&item));
            }
        }
    }
    named.retain(|name| !name.is_empty());
    named
}

#[test]
fn a_group_of_imports_is_read_whole() {
    assert_eq!(
        rooms_named("use crate::{check::{Code, Severity}, text::Span};\nuse crate::run::Event;"),
        ["check", "text", "run"]
    );
}

#[test]
fn every_room_is_in_the_picture() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(source).expect("the source") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        assert!(
            ["lib.rs", "main.rs"].contains(&name.as_str())
                || ROOMS.iter().any(|(room, _)| *room == name),
            "src/{name} is no room"
        );
    }
}

#[test]
fn imports_point_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (room, allowed) in ROOMS {
        for file in files(&source.join(room)) {
            for named in rooms_named(&code(&file)) {
                if named != *room
                    && ROOMS.iter().any(|(other, _)| *other == named)
                    && !allowed.contains(&&*named)
                {
                    wrong.push(format!("{} uses {named}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_rooms_are_pure() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for room in PURE {
        for file in files(&source.join(room)) {
            let code = code(&file);
            wrong.extend(
                IMPURE
                    .iter()
                    .filter(|name| code.contains(*name))
                    .map(|name| format!("{} names {name}", file.display())),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
