//! The format as a JSON Schema, for editors that know TOML and no loops.
//!
//! It is draft-07 and keeps to what draft 4 has, which is what taplo reads: no `const`, `if`, `examples`, and no
//! keyword beside `$ref`. tombi takes a table without `additionalProperties` for one that allows no others, so it is
//! always said. What JSON cannot tell apart (`8.0` and `8`, a date and a string) it does not tell apart.

use super::json_schema::{Holds, KEYWORDS};
use super::{DEFINITION, DURATION_PATTERN, KeySpec, TableSpec, Type, Word};
use crate::syntax::{self, Table};
use serde_json::{Map, Value, json};

/// Where the schema of a schema stands, for schemas hold schemas.
const NESTED: &str = "#/definitions/schema";

/// The schema of a definition.
pub fn schema() -> Value {
    let mut root = Map::new();
    root.insert(
        "$schema".into(),
        "http://json-schema.org/draft-07/schema#".into(),
    );
    root.insert("title".into(), "Loop definition".into());
    root.insert(
        "description".into(),
        "A tool-use loop: a model, a system prompt, tools, limits and modes.".into(),
    );
    root.append(&mut table(&DEFINITION));
    let mut nested = keywords(json!(["object", "boolean"]));
    nested["description"] = "A JSON Schema.".into();
    root.insert("definitions".into(), json!({ "schema": nested }));
    Value::Object(root)
}

fn table(spec: &TableSpec) -> Map<String, Value> {
    let properties: Map<String, Value> = spec
        .keys
        .iter()
        .map(|key| (key.name.into(), property(key)))
        .collect();
    let required: Vec<&str> = spec
        .keys
        .iter()
        .filter(|key| key.required)
        .map(|key| key.name)
        .collect();
    let mut schema = Map::from_iter([
        ("type".into(), "object".into()),
        ("properties".into(), properties.into()),
    ]);
    // Draft 4 allows no empty list.
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

fn property(key: &KeySpec) -> Value {
    let mut schema = Map::from_iter([("description".into(), description(key).into())]);
    schema.append(&mut value(key.kind));
    if key.blank_is_absent()
        && let Some(Value::Array(words)) = schema.get_mut("enum")
    {
        words.push("".into());
    }
    if let Some(default) = default(key) {
        schema.insert("default".into(), default);
    }
    Value::Object(schema)
}

/// What a person reads of a key, as Markdown.
fn description(key: &KeySpec) -> String {
    let mut text = key.meaning.to_owned();
    if let Type::Word(words) = key.kind {
        text.push('\n');
        for Word { name, meaning } in words {
            text.push_str(&format!("\n- `{name}`: {meaning}"));
        }
    }
    if !key.default.is_empty() {
        text.push_str(&format!("\n\nDefault: {}", key.default));
    }
    text.push_str(&format!("\n\nExample: `{}`", key.assignment()));
    text
}

/// The default, where it is one value that TOML can write and not only words.
fn default(key: &KeySpec) -> Option<Value> {
    let line = format!("{} = {}", key.name, key.default.trim_matches('`'));
    let (tree, errors) = syntax::parse(&line);
    let (table, conflicts) = Table::build(&tree);
    if !errors.is_empty() || !conflicts.is_empty() {
        return None;
    }
    table.get(key.name).map(|value| value.to_json())
}

fn value(kind: Type) -> Map<String, Value> {
    let schema = match kind {
        Type::String | Type::Path => json!({ "type": "string" }),
        Type::Word(words) => {
            let names: Vec<&str> = words.iter().map(|word| word.name).collect();
            json!({ "type": "string", "enum": names })
        }
        Type::Duration => json!({ "type": "string", "pattern": DURATION_PATTERN }),
        Type::Integer => json!({ "type": "integer" }),
        Type::Number => json!({ "type": "number" }),
        Type::Boolean => json!({ "type": "boolean" }),
        Type::Any => json!({ "additionalProperties": true }),
        Type::Argument => json!({ "type": ["string", "array"], "items": { "type": "string" } }),
        Type::StringOrTable => {
            json!({ "type": ["string", "object"], "additionalProperties": true })
        }
        Type::FreeTable => json!({ "type": "object", "additionalProperties": true }),
        Type::JsonSchema => keywords(json!("object")),
        Type::Array(item) => json!({ "type": "array", "items": value(*item) }),
        Type::Map(item) => json!({ "type": "object", "additionalProperties": value(*item) }),
        Type::Table(spec) => return table(spec),
        Type::Tables(spec) => json!({ "type": "array", "items": table(spec) }),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// A schema as a value of `kind`: its keywords, and schemas again below some of them.
fn keywords(kind: Value) -> Value {
    let nested = json!({ "$ref": NESTED });
    let properties: Map<String, Value> = KEYWORDS
        .iter()
        .map(|keyword| {
            let below = match keyword.holds {
                Holds::Schema => nested.clone(),
                Holds::Data => {
                    json!({ "description": keyword.meaning, "additionalProperties": true })
                }
                Holds::Schemas => {
                    json!({ "description": keyword.meaning, "type": "array", "items": nested })
                }
                Holds::NamedSchemas => json!({
                    "description": keyword.meaning,
                    "type": "object",
                    "additionalProperties": nested,
                }),
            };
            (keyword.name.into(), below)
        })
        .collect();
    json!({ "type": kind, "properties": properties, "additionalProperties": false })
}
