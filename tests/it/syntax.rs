//! TOML as `toml_edit` reads it: the same data from what it accepts, an error for what it refuses.

use loopls::syntax::{SyntaxError, Table, parse};
use loopls::text::Span;
use serde_json::{Value, json};

/// All errors of `text`, and its data.
fn read(text: &str) -> (Value, Vec<SyntaxError>) {
    let (tree, mut errors) = parse(text);
    let (table, more) = Table::build(&tree);
    errors.extend(more);
    (table.to_json(), errors)
}

/// The data that `toml_edit` reads; `None` where it refuses.
fn reference(text: &str) -> Option<Value> {
    let document: toml_edit::Document<String> = text.to_owned().parse().ok()?;
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
        toml_edit::Value::Datetime(date) => json!(date.to_string()),
        toml_edit::Value::Array(items) => items.iter().map(value_json).collect(),
        toml_edit::Value::InlineTable(table) => table_json(table),
    }
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

/// One line of `text` after another, each with the errors that begin on it drawn below.
fn drawn(text: &str, errors: &[SyntaxError]) -> String {
    let mut marks: Vec<(Span, char, &str)> = Vec::new();
    for error in errors {
        marks.push((error.span, '^', &error.message));
        if let Some((span, message)) = &error.related {
            marks.push((*span, '~', message));
        }
    }
    marks.sort_by_key(|(span, sign, _)| (*span, *sign));
    let mut marks = marks.into_iter().peekable();
    let mut drawing = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let line = line.trim_end_matches('\n');
        drawing.push_str(line);
        drawing.push('\n');
        let is_last = end == text.len();
        while let Some((span, sign, message)) =
            marks.next_if(|(span, ..)| span.start < end || is_last)
        {
            let in_line = |offset: usize| (offset - at).min(line.len());
            let before = line[..in_line(span.start)].chars().count();
            let wide = line[in_line(span.start)..in_line(span.end)].chars().count();
            let underline = sign.to_string().repeat(wide.max(1));
            drawing.push_str(&format!("{}{underline} {message}\n", " ".repeat(before)));
        }
        at = end;
    }
    drawing
}

/// Each case is a title, a text, and below each line of it the errors that begin there: `^` under the place that
/// is wrong, `~` under the other one that has a part in it. `UPDATE_EXPECT=1` draws them anew.
#[test]
fn broken_texts_and_what_is_said_of_them() {
    let file = expect_test::expect_file!["../data/syntax/broken.txt"];
    let mut drawing = String::new();
    for case in file.data().split("===== ").skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title is a line");
        let is_text = |line: &&str| !line.trim_start().starts_with(['^', '~']);
        let text: String = rest.split_inclusive('\n').filter(is_text).collect();
        let (_, errors) = read(&text);
        drawing.push_str(&format!("===== {title}\n{}", drawn(&text, &errors)));
    }
    file.assert_eq(&drawing);
}
