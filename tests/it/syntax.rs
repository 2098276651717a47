//! TOML that is whole, and TOML that is being typed.

mod again;
mod broken;
mod documents;
mod invariants;
mod reference;
mod size;
mod tables;

use loopls::syntax::{SyntaxError, Table, parse};
use serde_json::Value;

/// All errors of `text`, and its data.
fn read(text: &str) -> (Value, Vec<SyntaxError>) {
    let (tree, mut errors) = parse(text);
    let (table, more) = Table::build(&tree);
    errors.extend(more);
    (table.to_json(), errors)
}

/// The `toml` fields of the conformance corpus.
fn definitions() -> Vec<String> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/conformance/definitions.jsonl"
    );
    let lines = std::fs::read_to_string(path).expect("the corpus is part of the project");
    lines
        .lines()
        .map(|line| {
            let case: Value = serde_json::from_str(line).expect("each line is JSON");
            case["toml"]
                .as_str()
                .expect("each case has a text")
                .to_owned()
        })
        .collect()
}
