//! The documentation says what the code says: keys, examples, codes, links.

use crate::check::BEGINNING;
use crate::world::World;
use loopls::check::{Analysis, Code, Diagnostic, pages};
use loopls::definition::{FileProblem, Surroundings};
use loopls::format::{self, KeySpec, TableSpec, reference};
use ropey::Rope;
use std::fs;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds a file equal to `expected`; with `UPDATE_EXPECT=1` it is written anew.
fn hold(path: &Path, expected: &str) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, expected).expect("the file can be written");
    }
    assert!(
        read(path) == expected,
        "{} is not up to date; UPDATE_EXPECT=1 writes it",
        path.display()
    );
}

#[test]
fn the_format_page_lists_every_key() {
    let path = docs().join("format.md");
    let page = read(&path);
    for table in format::tables() {
        let comment = reference::begin(table);
        assert_eq!(page.matches(&comment).count(), 1, "{comment}");
    }
    hold(&path, &reference::fill(&page));
}

#[test]
fn the_index_lists_every_code() {
    let path = docs().join("README.md");
    let page = read(&path);
    let (before, rest) = page
        .split_once("<!-- codes -->")
        .expect("the comment above the codes");
    let (_, after) = rest
        .split_once("<!-- end -->")
        .expect("the comment below the codes");
    let mut table = String::from("| code | severity | what it says |\n|---|---|---|\n");
    for code in Code::ALL.iter().copied() {
        let severity = code.severity().as_str();
        table.push_str(&format!(
            "| [`{code}`](codes/{code}.md) | {severity} | {} |\n",
            pages::summary(code)
        ));
    }
    hold(
        &path,
        &format!("{before}<!-- codes -->\n\n{table}\n<!-- end -->{after}"),
    );
}

#[test]
fn links_lead_somewhere() {
    for entry in fs::read_dir(docs()).expect("the documentation") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = read(&path);
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap_or(link);
            if !link.contains("://") && !file.is_empty() {
                assert!(docs().join(file).exists(), "{}: {link}", path.display());
            }
        }
    }
}

fn diagnostics(text: &str, surroundings: &dyn Surroundings) -> Vec<Diagnostic> {
    Analysis::new(Rope::from_str(text)).diagnostics_in(surroundings)
}

fn said(diagnostics: &[Diagnostic]) -> Vec<String> {
    let said = diagnostics.iter();
    said.map(|found| format!("{}: {}", found.code, found.message))
        .collect()
}

/// The first example of the page is a whole definition; the others are parts, which have no wrong key and no wrong type.
#[test]
fn examples_of_the_format_page_are_right() {
    let page = read(&docs().join("format.md"));
    let examples = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    for (number, example) in examples.enumerate() {
        let mut found = diagnostics(example, &World);
        if number > 0 {
            found.retain(|found| {
                matches!(
                    found.code,
                    Code::Syntax | Code::UnknownKey | Code::WrongType | Code::InvalidValue
                )
            });
        }
        assert!(found.is_empty(), "{:#?}\n{example}", said(&found));
    }
}

/// A world in which everything is there that an example may name.
struct Everything;

impl Surroundings for Everything {
    fn file(&self, _path: &Path) -> Result<String, FileProblem> {
        Ok("Be kind.".into())
    }

    fn entries(&self, _path: &Path) -> Vec<String> {
        Vec::new()
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        Some(name.into())
    }

    fn variable_is_set(&self, _name: &str) -> bool {
        true
    }

    fn variable_names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The definitions of `tests/data/format/places.txt` with room for a key of `table`.
fn places(table: &TableSpec) -> impl Iterator<Item = &'static str> {
    let title = table.title.replace('`', "");
    let places = include_str!("../data/format/places.txt").split("\n==== ");
    places
        .filter_map(move |place| place.split_once("\n\n").filter(|(of, _)| *of == title))
        .map(|(_, place)| place)
}

/// The definition `place` with `key` as its example has it, instead of the same key in that paragraph.
fn with_example(place: &str, key: &KeySpec) -> String {
    let same = format!("{} = ", key.name);
    let paragraphs = place.trim_end().split("\n\n").map(|paragraph| {
        let has_room = paragraph.lines().any(|line| line == "@");
        let lines = paragraph
            .lines()
            .filter(|line| !(has_room && line.starts_with(&same)));
        lines
            .map(|line| {
                if line == "@" {
                    key.assignment()
                } else {
                    line.to_owned()
                }
            })
            .collect::<Vec<_>>()
            .join("\n")
    });
    paragraphs
        .collect::<Vec<_>>()
        .join("\n\n")
        .replace("...", BEGINNING)
}

/// Whoever writes a key as hover, page and schema show it, in a place where it makes sense, is told of nothing at all.
#[test]
fn every_example_of_a_key_is_free_of_diagnostics() {
    for table in format::tables() {
        for key in table.keys {
            let tries: Vec<(String, Vec<String>)> = places(table)
                .map(|place| with_example(place, key))
                .map(|text| (text.clone(), said(&diagnostics(&text, &Everything))))
                .collect();
            let free = tries.iter().any(|(_, said)| said.is_empty());
            assert!(free, "`{}` of {}: {tries:#?}", key.name, table.title);
        }
    }
}
