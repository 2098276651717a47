//! What providers do not take in the input schema of a tool.

use super::{Fact, NameRule};
use crate::format::json_schema::{Holds, holds};
use serde_json::{Map, Value};

/// Something that a provider does not take in the input schema of a tool. Where nothing else is said, a request with
/// such a schema is refused as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SchemaRule {
    /// These keywords do not stand at the top level.
    NotAtTop(&'static [&'static str]),
    /// The top level says `type: object`.
    ObjectAtTop,
    /// A schema of arrays has `items`.
    Items,
    /// Beside `$ref` stand only these keywords, and those that begin with `$`.
    BesideRef(&'static [&'static str]),
    /// The properties at the top level have such names.
    PropertyNames(NameRule),
    /// Only these keywords reach the model, at the top level and in a property; the rest is dropped without a word.
    PassedOn {
        /// At the top level.
        top: &'static [&'static str],
        /// In a property and in a schema of its `anyOf`. What stands in its `items` is passed on whole.
        property: &'static [&'static str],
    },
}

/// A place of a schema that a provider does not take.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaFault {
    /// Keys and indexes that lead there from the top; the last is the key that is wrong. Empty for the schema itself.
    pub path: Vec<String>,
    /// What is wrong.
    pub kind: SchemaFaultKind,
}

/// What is wrong at a place of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemaFaultKind {
    /// The keyword is refused at the top level.
    NotAtTop,
    /// The schema does not say `type: object`.
    NoObject,
    /// The type is an array, and there are no `items`.
    NoItems,
    /// The keyword is refused beside `$ref`.
    BesideRef,
    /// The property's name goes against this rule.
    PropertyName(NameRule),
    /// The keyword never reaches the model.
    NotPassedOn,
}

/// After so many places a schema is looked at no further: it is wrong enough.
const MOST_FAULTS: usize = 100;

/// Keywords that say which values there are at all. A model that does not see them writes inputs that cannot fit; the
/// others (lengths, patterns, defaults) it misses once and puts right from the error.
const SHAPING: &[&str] = &[
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "const",
    "enum",
    "prefixItems",
    "contains",
    "patternProperties",
    "dependentSchemas",
];

/// Every place of `schema` that goes against one of `rules`, at most [`MOST_FAULTS`] a rule.
pub(super) fn faults(rules: &[Fact<SchemaRule>], schema: &Value) -> Vec<SchemaFault> {
    let mut found = Vec::new();
    for rule in rules {
        let mut of_rule = Vec::new();
        apply(rule.value, schema, &mut of_rule);
        of_rule.truncate(MOST_FAULTS);
        found.append(&mut of_rule);
    }
    found
}

fn apply(rule: SchemaRule, schema: &Value, found: &mut Vec<SchemaFault>) {
    let Value::Object(top) = schema else { return };
    let mut say = |path: &[String], key: Option<&str>, kind: SchemaFaultKind| {
        if found.len() < MOST_FAULTS {
            let key = key.map(str::to_owned);
            let path = path.iter().cloned().chain(key).collect();
            found.push(SchemaFault { path, kind });
        }
    };
    match rule {
        SchemaRule::NotAtTop(keywords) => top
            .keys()
            .filter(|key| keywords.contains(&key.as_str()))
            .for_each(|key| say(&[], Some(key), SchemaFaultKind::NotAtTop)),
        SchemaRule::ObjectAtTop => {
            if top.get("type").and_then(Value::as_str) != Some("object") {
                say(&[], None, SchemaFaultKind::NoObject);
            }
        }
        SchemaRule::Items => visit(schema, &mut Vec::new(), None, &mut |schema, path| {
            if is_of_arrays(schema) && !schema.contains_key("items") {
                say(path, Some("type"), SchemaFaultKind::NoItems);
            }
        }),
        SchemaRule::BesideRef(keywords) => {
            visit(schema, &mut Vec::new(), None, &mut |schema, path| {
                if schema.contains_key("$ref") {
                    schema
                        .keys()
                        .filter(|key| !key.starts_with('$') && !keywords.contains(&key.as_str()))
                        .for_each(|key| say(path, Some(key), SchemaFaultKind::BesideRef));
                }
            })
        }
        SchemaRule::PropertyNames(rule) => {
            let properties = top.get("properties").and_then(Value::as_object);
            let path = ["properties".to_owned()];
            for name in properties.into_iter().flat_map(Map::keys) {
                if !rule.takes(name) {
                    say(&path, Some(name), SchemaFaultKind::PropertyName(rule));
                }
            }
        }
        SchemaRule::PassedOn {
            top: of_top,
            property,
        } => {
            let mut dropped = |schema: &Map<String, Value>, path: &[String]| {
                let passed_on = if path.is_empty() { of_top } else { property };
                schema
                    .keys()
                    .filter(|key| {
                        SHAPING.contains(&key.as_str()) && !passed_on.contains(&key.as_str())
                    })
                    .for_each(|key| say(path, Some(key), SchemaFaultKind::NotPassedOn));
            };
            visit(
                schema,
                &mut Vec::new(),
                Some(&["properties", "anyOf"]),
                &mut dropped,
            );
        }
    }
}

fn is_of_arrays(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    }
}

/// What is done with a schema and the path to it.
type See<'a> = dyn FnMut(&Map<String, Value>, &[String]) + 'a;

/// Hands `see` every schema in `schema`, itself first; given `below`, only those below these keywords.
fn visit(schema: &Value, path: &mut Vec<String>, below: Option<&[&str]>, see: &mut See) {
    let Value::Object(map) = schema else { return };
    see(map, path);
    for (keyword, value) in map {
        if below.is_some_and(|below| !below.contains(&keyword.as_str())) {
            continue;
        }
        path.push(keyword.clone());
        match (holds(keyword), value) {
            (Some(Holds::Schema), value) => visit(value, path, below, see),
            (Some(Holds::Schemas), Value::Array(schemas)) => {
                for (index, inner) in schemas.iter().enumerate() {
                    path.push(index.to_string());
                    visit(inner, path, below, see);
                    path.pop();
                }
            }
            (Some(Holds::NamedSchemas), Value::Object(schemas)) => {
                for (name, inner) in schemas {
                    path.push(name.clone());
                    visit(inner, path, below, see);
                    path.pop();
                }
            }
            _ => {}
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use crate::definition::provider::provider;
    use serde_json::json;

    /// The faults of a schema for a provider, as `path: kind`.
    fn faults(name: &str, schema: serde_json::Value) -> Vec<String> {
        let provider = provider(name).expect("a provider");
        let faults = provider.schema_faults(&schema).into_iter();
        faults
            .map(|fault| {
                let kind = format!("{:?}", fault.kind);
                let kind = kind.split('(').next().unwrap_or_default().to_owned();
                format!("/{}: {kind}", fault.path.join("/"))
            })
            .collect()
    }

    #[test]
    fn the_top_level() {
        let schema = json!({
            "type": "object",
            "anyOf": [{ "required": ["a"] }],
            "properties": { "a": { "anyOf": [{ "type": "string" }] }, "not": { "type": "string" } },
            "not": {},
        });
        assert_eq!(faults("anthropic", schema.clone()), ["/anyOf: NotAtTop"]);
        assert_eq!(
            faults("openai", schema.clone()),
            ["/anyOf: NotAtTop", "/not: NotAtTop"]
        );
        assert_eq!(faults("gemini", schema.clone()), [""; 0]);
        assert_eq!(
            faults("ollama", schema.clone()),
            ["/anyOf: NotPassedOn", "/not: NotPassedOn"]
        );
        assert_eq!(faults("openai-compatible", schema.clone()), [""; 0]);
        assert_eq!(faults("scripted", schema), [""; 0]);
    }

    #[test]
    fn a_schema_without_a_type() {
        for (name, expected) in [
            ("anthropic", 1),
            ("openai", 1),
            ("gemini", 1),
            ("scripted", 0),
        ] {
            assert_eq!(
                faults(name, json!({ "properties": {} })).len(),
                expected,
                "{name}"
            );
            assert_eq!(faults(name, json!({ "type": "object" })).len(), 0, "{name}");
        }
    }

    #[test]
    fn arrays_without_items() {
        let schema = json!({ "type": "object", "properties": {
            "good": { "type": "array", "items": {} },
            "type": { "type": "array" },
            "deep": { "items": { "type": ["null", "array"], "prefixItems": [{ "type": "array" }] } },
        }, "$defs": { "x": { "type": "array" } } });
        assert_eq!(
            faults("openai", schema),
            [
                "/properties/type/type: NoItems",
                "/properties/deep/items/type: NoItems",
                "/properties/deep/items/prefixItems/0/type: NoItems",
                "/$defs/x/type: NoItems",
            ]
        );
    }

    #[test]
    fn references() {
        let schema = json!({ "type": "object", "properties": {
            "plain": { "$ref": "#/$defs/x", "description": "an x" },
            "crowded": { "$ref": "#/$defs/x", "title": "X", "$comment": "an x" },
            "list": { "type": "array", "items": { "$ref": "#/$defs/x" } },
        }, "$defs": { "x": { "oneOf": [] } } });
        assert_eq!(
            faults("gemini", schema.clone()),
            ["/properties/crowded/title: BesideRef"]
        );
        assert_eq!(
            faults("ollama", schema),
            [
                "/properties/plain/$ref: NotPassedOn",
                "/properties/crowded/$ref: NotPassedOn"
            ]
        );
    }

    #[test]
    fn names_of_properties() {
        let schema = json!({ "type": "object", "properties": {
            "good.name-1": {}, "filter[id]": { "properties": { "also bad": {} } }, "": {},
        } });
        assert_eq!(
            faults("anthropic", schema.clone()),
            [
                "/properties/filter[id]: PropertyName",
                "/properties/: PropertyName"
            ]
        );
        assert_eq!(faults("openai", schema), [""; 0]);
    }

    #[test]
    fn a_schema_that_is_wrong_everywhere_is_looked_at_no_further() {
        let properties: serde_json::Map<_, _> =
            (0..1000).map(|n| (format!("a {n}"), json!({}))).collect();
        let schema = json!({ "type": "object", "properties": properties });
        assert_eq!(faults("anthropic", schema).len(), super::MOST_FAULTS);
    }
}
