//! The input of a tool: its JSON Schema, compiled once within bounds, and what it says of a call's input.

use super::InputProblem;
use jsonschema::paths::LocationSegment;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// How deep schemas may lie in one another, after references.
const LEVELS: usize = 32;

/// How many schemas there may be in one, after references.
const NODES: usize = 2_000;

/// How large one compiled regular expression may be, in bytes.
const PATTERN_BYTES: usize = 1024 * 1024;

/// How many faults of one input are told.
const FAULTS: usize = 5;

/// How many characters are told of one fault.
const FAULT_LENGTH: usize = 300;

/// How many parts of a schema times bytes of an input are checked in no time: some milliseconds at the most.
const QUICK: usize = 200_000;

/// The schema of a tool's input.
#[derive(Debug)]
pub struct InputSchema {
    schema: Value,
    validator: Validator,
    extent: Extent,
}

/// What a schema comes to with its references followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    parts: usize,
    /// Whether a part leads to itself. An input that nests makes such a check as long as it likes: two ways down at each
    /// level are a thousand times the work every ten levels.
    recursive: bool,
}

impl InputSchema {
    /// Compiles `schema`, which is that of an object whether it says so or not; `None` is that of an object of which
    /// nothing is known.
    ///
    /// # Errors
    ///
    /// It is no schema, too large, or refers to something outside.
    pub fn new(schema: Option<Value>) -> Result<Self, String> {
        let mut schema = match schema {
            Some(Value::Object(schema)) => schema,
            Some(_) => return Err("the schema is no table".into()),
            None => Map::new(),
        };
        if !schema.contains_key("type") {
            schema.shift_insert(0, "type".to_owned(), "object".into());
        }
        // Without it, the validator cannot name a property that `additionalProperties = false` forbids.
        schema.entry("properties").or_insert_with(|| json!({}));
        let schema = Value::Object(schema);
        let extent = Size::check(&schema)?;
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES))
            .offline()
            .build(&schema)
            .map_err(|error| {
                format!("the schema is not valid: {}", shortened(error.to_string()))
            })?;
        Ok(Self {
            schema,
            validator,
            extent,
        })
    }

    /// The schema with what it implies.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether checking an input of `bytes` may take so long that others must not wait for it.
    pub fn is_slow(&self, bytes: usize) -> bool {
        self.extent.recursive || self.extent.parts.saturating_mul(bytes) > QUICK
    }

    /// Checks `input`.
    ///
    /// # Errors
    ///
    /// The first faults, one a line, each with its path from `input`.
    pub fn check(&self, input: &Value) -> Result<(), InputProblem> {
        let mut errors = self.validator.iter_errors(input);
        let mut faults: Vec<String> = errors
            .by_ref()
            .take(FAULTS)
            .map(|error| fault(&error))
            .collect();
        if errors.next().is_some() {
            faults.push("and more".into());
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(InputProblem(faults.join("\n")))
        }
    }
}

/// `input.items[2].qty: "x" is not of type "integer"`
fn fault(error: &ValidationError<'_>) -> String {
    let mut path = String::from("input");
    for segment in error.instance_path() {
        match segment {
            LocationSegment::Index(index) => path.push_str(&format!("[{index}]")),
            LocationSegment::Property(name) if is_plain(&name) => {
                path.push_str(&format!(".{name}"))
            }
            LocationSegment::Property(name) => path.push_str(&format!("[{}]", Value::from(&*name))),
        }
    }
    shortened(format!("{path}: {error}"))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(FAULT_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The size of a schema with every reference followed, as a compiler would follow it. Counted before compiling: a
/// few definitions that double each other are small to write and grow without bound.
struct Size<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
    nodes: usize,
    recursive: bool,
    /// The references being followed; one that leads to itself ends there.
    following: Vec<*const Value>,
}

/// Keywords whose value is a schema, or an array of them.
const SCHEMAS: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a table of schemas by name.
const SCHEMA_TABLES: &[&str] = &[
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

impl<'a> Size<'a> {
    fn check(root: &'a Value) -> Result<Extent, String> {
        let mut anchors = HashMap::new();
        collect_anchors(root, true, 0, &mut anchors)?;
        let mut size = Self {
            root,
            anchors,
            nodes: 0,
            recursive: false,
            // A reference to the root is in the root.
            following: vec![root],
        };
        size.add(root, 1)?;
        Ok(Extent {
            parts: size.nodes,
            recursive: size.recursive,
        })
    }

    fn add(&mut self, schema: &'a Value, level: usize) -> Result<(), String> {
        if level > LEVELS {
            return Err(format!("the schema has more than {LEVELS} levels"));
        }
        self.nodes += 1;
        if self.nodes > NODES {
            return Err(format!(
                "the schema has more than {NODES} parts, references followed"
            ));
        }
        let Value::Object(keywords) = schema else {
            return Ok(());
        };
        for (keyword, value) in keywords {
            if matches!(keyword.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef") {
                self.follow(value, level)?;
            } else if SCHEMAS.contains(&keyword.as_str()) {
                match value {
                    Value::Array(items) => items
                        .iter()
                        .try_for_each(|item| self.add(item, level + 1))?,
                    item => self.add(item, level + 1)?,
                }
            } else if SCHEMA_TABLES.contains(&keyword.as_str()) {
                let tables = value.as_object().into_iter().flat_map(Map::values);
                tables
                    .into_iter()
                    .try_for_each(|item| self.add(item, level + 1))?;
            }
        }
        Ok(())
    }

    fn follow(&mut self, reference: &'a Value, level: usize) -> Result<(), String> {
        let text = reference.as_str().unwrap_or_default();
        let target = match text.strip_prefix('#') {
            Some("") => Some(self.root),
            Some(pointer) if pointer.starts_with('/') => self.root.pointer(pointer),
            Some(anchor) => self.anchors.get(anchor).copied(),
            None => {
                return Err(format!(
                    "`{text}` refers to something outside of the schema"
                ));
            }
        };
        let target = target.ok_or_else(|| format!("`{text}` refers to nothing"))?;
        if self.following.contains(&std::ptr::from_ref(target)) {
            self.recursive = true;
            return Ok(());
        }
        self.following.push(target);
        self.add(target, level + 1)?;
        self.following.pop();
        Ok(())
    }
}

/// Collects the anchors in `value`, and refuses identifiers below the root, which would change what references mean.
fn collect_anchors<'a>(
    value: &'a Value,
    is_root: bool,
    depth: usize,
    anchors: &mut HashMap<&'a str, &'a Value>,
) -> Result<(), String> {
    if depth > 4 * LEVELS {
        return Err(format!("the schema has more than {LEVELS} levels"));
    }
    match value {
        Value::Object(table) => {
            if !is_root && table.get("$id").is_some_and(Value::is_string) {
                return Err("`$id` cannot stand within a schema".into());
            }
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(name) = table.get(keyword).and_then(Value::as_str) {
                    anchors.insert(name, value);
                }
            }
            let mut values = table.values();
            values.try_for_each(|value| collect_anchors(value, false, depth + 1, anchors))
        }
        Value::Array(items) => {
            let mut items = items.iter();
            items.try_for_each(|value| collect_anchors(value, false, depth + 1, anchors))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(schema: Value, input: Value) -> String {
        let schema = InputSchema::new(Some(schema)).unwrap();
        schema
            .check(&input)
            .map_or_else(|problem| problem.0, |()| String::new())
    }

    #[test]
    fn faults_are_told_with_their_paths() {
        let order = || {
            json!({
                "properties": {
                    "items": { "items": { "properties": { "qty": { "type": "integer" } } } },
                    "odd key": { "type": "string" },
                },
                "required": ["items"],
            })
        };
        for (schema, input, expected) in [
            (
                order(),
                json!({ "items": [{ "qty": 1 }, { "qty": 1.0 }], "other": 1 }),
                "",
            ),
            (
                order(),
                json!({ "items": [{}, {}, { "qty": "x" }] }),
                r#"input.items[2].qty: "x" is not of type "integer""#,
            ),
            (
                order(),
                json!({ "odd key": 1 }),
                "input: \"items\" is a required property\ninput[\"odd key\"]: 1 is not of type \"string\"",
            ),
            (order(), json!([1]), r#"input: [1] is not of type "object""#),
            (
                json!({ "additionalProperties": false }),
                json!({ "a": 1 }),
                "input: Additional properties are not allowed ('a' was unexpected)",
            ),
            (
                json!({ "properties": { "p": { "pattern": "^(a+)+$" } } }),
                json!({ "p": "aaa" }),
                "",
            ),
        ] {
            assert_eq!(problem(schema, input.clone()), expected, "{input}");
        }
    }

    #[test]
    fn what_is_told_is_bounded() {
        let schema = json!({ "additionalProperties": { "type": "integer" } });
        let input: Map<_, _> = (0..50)
            .map(|n| (n.to_string(), "x".repeat(1_000).into()))
            .collect();
        let told = problem(schema, Value::Object(input));
        assert_eq!(told.lines().count(), FAULTS + 1);
        assert!(told.ends_with("\nand more"));
        assert!(
            told.lines()
                .all(|line| line.chars().count() <= FAULT_LENGTH + 1)
        );
    }

    #[test]
    fn without_a_schema_any_object_fits() {
        let schema = InputSchema::new(None).unwrap();
        assert_eq!(
            schema.schema(),
            &json!({ "type": "object", "properties": {} })
        );
        assert_eq!(schema.check(&json!({ "a": 1 })), Ok(()));
        assert!(schema.check(&json!("a")).is_err());
    }

    #[test]
    fn a_schema_is_measured_before_it_is_compiled() {
        let doubling: Map<String, Value> = (0..33)
            .map(|n| {
                let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
                (format!("d{n}"), json!({ "allOf": [next, next] }))
            })
            .chain([("d33".to_owned(), json!(true))])
            .collect();
        let mut deep = json!({});
        for _ in 0..40 {
            deep = json!({ "properties": { "a": deep } });
        }
        let wide: Map<String, Value> = (0..2_000).map(|n| (n.to_string(), json!({}))).collect();
        for (schema, expected) in [
            (json!({ "$defs": doubling }), "the schema has more than"),
            (deep, "the schema has more than 32 levels"),
            (
                json!({ "properties": wide }),
                "the schema has more than 2000 parts",
            ),
            (
                json!({ "$ref": "https://example.com/schema" }),
                "`https://example.com/schema` refers to something outside",
            ),
            (
                json!({ "$ref": "other.json" }),
                "`other.json` refers to something outside",
            ),
            (
                json!({ "$ref": "#/$defs/none" }),
                "`#/$defs/none` refers to nothing",
            ),
            (
                json!({ "properties": { "a": { "$id": "x" } } }),
                "`$id` cannot stand within",
            ),
            (
                json!({ "properties": { "a": { "pattern": "(?=a)b" } } }),
                "the schema is not valid",
            ),
            (json!({ "type": "strin" }), "the schema is not valid"),
            (json!([]), "the schema is no table"),
        ] {
            let error = InputSchema::new(Some(schema)).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn what_may_take_long_is_known_before_it_does() {
        let tree = json!({ "properties": { "a": { "$ref": "#" } } });
        let node = json!({ "$defs": { "n": { "items": { "$ref": "#/$defs/n" } } }, "properties": { "a": { "$ref": "#/$defs/n" } } });
        let shared = json!({ "$defs": { "n": {} }, "properties": { "a": { "$ref": "#/$defs/n" }, "b": { "$ref": "#/$defs/n" } } });
        for (schema, bytes, expected) in [
            (None, QUICK, false),
            (None, QUICK + 1, true),
            (Some(shared.clone()), 1_000, false),
            (Some(shared), QUICK / 4, true),
            (Some(tree), 1, true),
            (Some(node), 1, true),
        ] {
            let schema = InputSchema::new(schema).unwrap();
            assert_eq!(schema.is_slow(bytes), expected, "{:?}", schema.schema());
        }
    }

    #[test]
    fn a_schema_may_refer_to_itself() {
        let tree = json!({
            "$defs": { "node": { "$anchor": "node", "properties": { "children": { "items": { "$ref": "#node" } } } } },
            "properties": { "root": { "$ref": "#/$defs/node" }, "again": { "$ref": "#" } },
        });
        let fits = json!({ "root": { "children": [{ "children": [] }] } });
        let not = json!({ "root": { "children": [{ "children": [3, { "children": [] }] }] }, "again": 1 });
        assert_eq!(problem(tree.clone(), fits), "");
        assert_eq!(
            problem(tree, not),
            r#"input.again: 1 is not of type "object""#
        );
    }
}
