//! The same data as `toml_edit` from what it accepts, and an error for what it refuses.

use super::documents::{PIECES, document, mutated, pieces};
use super::{definitions, read};
use loopls::syntax::SyntaxError;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The data that `toml_edit` reads; `None` where it refuses.
fn reference(text: &str) -> Option<Value> {
    let document: toml_edit::DocumentMut = text.parse().ok()?;
    Some(table_json(document.as_table()))
}

fn table_json(table: &dyn toml_edit::TableLike) -> Value {
    let entries = table.iter();
    Value::Object(
        entries
            .map(|(key, item)| (key.to_owned(), item_json(item)))
            .collect(),
    )
}

fn item_json(item: &toml_edit::Item) -> Value {
    match item {
        toml_edit::Item::None => Value::Null,
        toml_edit::Item::Value(value) => value_json(value),
        toml_edit::Item::Table(table) => table_json(table),
        toml_edit::Item::ArrayOfTables(tables) => tables.iter().map(|t| table_json(t)).collect(),
    }
}

fn value_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => json!(text.value()),
        toml_edit::Value::Integer(number) => json!(number.value()),
        toml_edit::Value::Float(number) => json!(number.value()),
        toml_edit::Value::Boolean(truth) => json!(truth.value()),
        toml_edit::Value::Datetime(date) => json!(date.display_repr()),
        toml_edit::Value::Array(items) => items.iter().map(value_json).collect(),
        toml_edit::Value::InlineTable(table) => table_json(table),
    }
}

#[test]
fn the_corpus_reads_as_toml_edit_reads_it() {
    let texts = definitions();
    assert!(texts.len() > 400);
    for text in texts {
        for text in [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), text] {
            let (data, errors) = read(&text);
            assert_eq!(errors, [], "{text}");
            assert_eq!(Some(data), reference(&text), "{text}");
        }
    }
}

/// Where `toml_edit` accepts what TOML 1.1 does not: `=` and values on lines of their own in inline tables, and
/// dotted keys into an array of tables.
const STRICTER: [&str; 3] = [
    "`=` belongs on the line of its key",
    "the value belongs on the line of its `=`",
    "is an array of tables; write this key below one of its headers",
];

/// Holds that `text` is read as `toml_edit` reads it.
fn compare(text: &str) -> Result<(), TestCaseError> {
    let (data, errors) = read(text);
    let is_stricter =
        |error: &SyntaxError| STRICTER.iter().any(|known| error.message.ends_with(known));
    match reference(text) {
        Some(_) if errors.iter().any(is_stricter) => {}
        Some(expected) => {
            prop_assert_eq!(&errors, &[], "accepted by toml_edit: {:?}", text);
            prop_assert_eq!(data, expected, "{:?}", text);
        }
        None => prop_assert!(!errors.is_empty(), "refused by toml_edit: {:?}", text),
    }
    Ok(())
}

/// Every prefix of a definition, and the definition without each of its characters and with each line twice.
#[test]
fn a_definition_with_one_fault_reads_as_toml_edit_reads_it() -> Result<(), TestCaseError> {
    let definition = include_str!("../../data/syntax/order-desk.toml");
    compare(definition)?;
    for (at, character) in definition.char_indices() {
        let (before, rest) = definition.split_at(at);
        compare(before)?;
        compare(&format!("{before}{}", &rest[character.len_utf8()..]))?;
    }
    let lines: Vec<&str> = definition.split_inclusive('\n').collect();
    for line in 0..lines.len() {
        let twice = [&lines[..=line], &lines[line..]].concat();
        compare(&twice.concat())?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pieces_read_as_toml_edit_reads_them(text in pieces()) {
        compare(&text)?;
    }

    #[test]
    fn any_document_reads_as_toml_edit_reads_it(text in document()) {
        compare(&text)?;
    }

    #[test]
    fn a_document_with_one_fault_reads_as_toml_edit_reads_it(
        text in document(),
        at in any::<prop::sample::Index>(),
        how in 0_u8..5,
        piece in prop::sample::select(PIECES),
    ) {
        compare(&mutated(&text, at, how, piece))?;
    }
}
