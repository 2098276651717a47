//! The tables of keys in `docs/format.md`, which has the prose around them.
//!
//! A table stands between two comments, `<!-- keys of [limits] -->` and `<!-- end -->`.

use super::{KeySpec, TableSpec, Type, Word, tables};

const END: &str = "<!-- end -->";

/// `document` with the keys of every table that it has a comment for written anew below that comment.
pub fn fill(document: &str) -> String {
    let mut text = document.to_owned();
    for table in tables() {
        let begin = begin(table);
        let Some((before, rest)) = text.split_once(&begin) else {
            continue;
        };
        let Some((_, after)) = rest.split_once(END) else {
            continue;
        };
        text = format!("{before}{begin}\n\n{}\n{END}{after}", keys(table));
    }
    text
}

/// The comment above the keys of `table`.
pub fn begin(table: &TableSpec) -> String {
    format!("<!-- keys of {} -->", table.title.replace('`', ""))
}

/// The keys of `table` as a table of Markdown.
fn keys(table: &TableSpec) -> String {
    let mut text =
        String::from("| key | type | default | meaning | example |\n|---|---|---|---|---|\n");
    for key in table.keys {
        let cells = [
            format!("`{}`", key.name),
            key.kind.describe(),
            default(key),
            meaning(key),
            format!("`{}`", key.assignment()),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

fn default(key: &KeySpec) -> String {
    if key.required {
        "**required**".into()
    } else {
        key.default.into()
    }
}

fn meaning(key: &KeySpec) -> String {
    let mut text = key.meaning.to_owned();
    let kind = match key.kind {
        Type::Map(item) => *item,
        kind => kind,
    };
    if let Type::Word(words) = kind {
        let words = words
            .iter()
            .map(|Word { name, meaning }| format!("`{name}` ({meaning})"));
        text.push_str(&format!(
            " One of {}.",
            words.collect::<Vec<_>>().join(", ")
        ));
    }
    if key.blank_is_absent() {
        text.push_str(" An empty string counts as absent.");
    }
    text
}
