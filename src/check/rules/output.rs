//! `invalid_output_schema`: the structured answer keeps to the subset of JSON Schema that every provider takes.

use super::listed;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{Field, RESERVED_TOOL_NAME};
use crate::syntax::{Entry, Node, NodeKind, Table};
use crate::text::Span;

/// Bounds of harness's portable subset.
const DEEPEST: usize = 64;
const MOST_PROPERTIES: usize = 1024;
const LONGEST_DESCRIPTION: usize = 4096;
const LARGEST_SCHEMA: usize = 1 << 20;

const TYPES: [&str; 6] = ["object", "array", "string", "number", "integer", "boolean"];

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let Some(output) = analysis.definition.output.spanned() else {
        return;
    };
    let mut say = |span, message: String| {
        found.push(Diagnostic::new(Code::InvalidOutputSchema, span, message))
    };
    match &output.value.name {
        Field::Missing => say(
            output.span,
            "`[output]` has no `name`; add one, such as `name = \"answer\"`".into(),
        ),
        Field::Present(name) => {
            if let Some(problem) = name_problem(&name.value) {
                say(name.span, problem);
            }
        }
        Field::Invalid(_) => {}
    }
    match &output.value.schema {
        Field::Missing => say(
            output.span,
            "`[output]` has no `schema`; add the JSON Schema of the answer".into(),
        ),
        Field::Present(schema) => {
            let Some(root) = schema.value.as_table() else {
                return;
            };
            let mut checker = Checker {
                found,
                properties: 0,
            };
            if checker.node(root, 1) && kind_of(root) != Some("object") {
                let span = root.get("type").map_or(root.span, |node| node.span);
                checker.say(
                    span,
                    "the answer is one JSON object, so the root's `type` is \"object\"",
                );
            }
            if checker.properties > MOST_PROPERTIES {
                checker.say(
                    root.span,
                    format!("the schema has more than {MOST_PROPERTIES} properties in all"),
                );
            }
            if root.to_json().to_string().len() > LARGEST_SCHEMA {
                checker.say(root.span, "the schema is larger than 1 MiB as JSON");
            }
        }
        Field::Invalid(_) => {}
    }
}

fn name_problem(name: &str) -> Option<String> {
    if name == RESERVED_TOOL_NAME {
        return Some(format!(
            "`{RESERVED_TOOL_NAME}` is reserved; choose another name"
        ));
    }
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if begins && goes_on && name.len() <= 64 {
        return None;
    }
    Some("the name of the answer is a letter or `_`, then letters, digits, `_` and `-`, at most 64 in all".into())
}

fn kind_of(node: &Table) -> Option<&str> {
    node.get("type").and_then(Node::as_str)
}

struct Checker<'a> {
    found: &'a mut Vec<Diagnostic>,
    properties: usize,
}

impl Checker<'_> {
    fn say(&mut self, span: Span, message: impl Into<String>) {
        self.found
            .push(Diagnostic::new(Code::InvalidOutputSchema, span, message));
    }

    /// Checks one node and those below it; whether its own `type` was one of the six.
    fn node(&mut self, node: &Table, depth: usize) -> bool {
        if depth > DEEPEST {
            self.say(
                node.span,
                format!("the schema is nested deeper than {DEEPEST} levels"),
            );
            return false;
        }
        let Some(kind) = node.get("type") else {
            self.say(
                node.span,
                format!("every node needs a `type`: {}", listed(TYPES)),
            );
            return false;
        };
        let Some(name) = kind.as_str().filter(|name| TYPES.contains(name)) else {
            self.say(
                kind.span,
                format!("a node has one type, as a string: {}", listed(TYPES)),
            );
            return false;
        };
        let allowed: &[&str] = match name {
            "object" => &[
                "type",
                "description",
                "properties",
                "required",
                "additionalProperties",
            ],
            "array" => &["type", "description", "items"],
            _ => &["type", "description", "enum"],
        };
        for entry in &node.entries {
            if !allowed.contains(&entry.key.name.as_str()) {
                let key = entry.key.name.escape_debug();
                let message = format!(
                    "not every provider takes `{key}` beside `type = \"{name}\"`; there may be {}",
                    listed(allowed.iter().copied())
                );
                self.say(entry.key.span, message);
            }
        }
        self.description(node);
        match name {
            "object" => self.object(node, depth),
            "array" => self.array(node, depth),
            scalar => self.scalar(node, scalar),
        }
        true
    }

    fn description(&mut self, node: &Table) {
        let Some(description) = node.get("description") else {
            return;
        };
        match description.as_str() {
            None => self.say(description.span, "a `description` is a string"),
            Some(text) if text.len() > LONGEST_DESCRIPTION => {
                self.say(
                    description.span,
                    format!("a `description` has at most {LONGEST_DESCRIPTION} bytes"),
                );
            }
            Some(_) => {}
        }
    }

    fn object(&mut self, node: &Table, depth: usize) {
        match node
            .get("additionalProperties")
            .map(|value| (&value.kind, value.span))
        {
            Some((NodeKind::Boolean(false), _)) => {}
            Some((_, span)) => self.say(
                span,
                "`additionalProperties` is `false` in every object of the answer",
            ),
            None => self.say(
                node.span,
                "an object of the answer needs `additionalProperties = false`",
            ),
        }
        let no_entries: &[Entry] = &[];
        let properties = match node.get("properties") {
            None => no_entries,
            Some(value) => match value.as_table() {
                Some(table) => &table.entries,
                None => return self.say(value.span, "`properties` is a table of schemas"),
            },
        };
        self.required(node, properties);
        self.properties += properties.len();
        for property in properties {
            match property.value.as_table() {
                Some(schema) => {
                    self.node(schema, depth + 1);
                }
                None => self.say(property.value.span, "a property's schema is a table"),
            }
        }
    }

    fn required(&mut self, node: &Table, properties: &[Entry]) {
        let Some(required) = node.get("required") else {
            if !properties.is_empty() {
                self.say(
                    node.span,
                    "an object of the answer needs `required` with the name of every property",
                );
            }
            return;
        };
        let NodeKind::Array(items) = &required.kind else {
            return self.say(
                required.span,
                "`required` is an array with the name of every property",
            );
        };
        let mut seen: Vec<&str> = Vec::new();
        for item in items {
            match item.as_str() {
                None => self.say(item.span, "`required` holds names of properties"),
                Some(name) if !properties.iter().any(|property| property.key.name == name) => {
                    self.say(
                        item.span,
                        format!("there is no property `{}`", name.escape_debug()),
                    );
                }
                Some(name) if seen.contains(&name) => {
                    self.say(
                        item.span,
                        format!("`{}` is required twice", name.escape_debug()),
                    );
                }
                Some(name) => seen.push(name),
            }
        }
        let missing: Vec<&str> = properties
            .iter()
            .map(|property| property.key.name.as_str())
            .filter(|name| !seen.contains(name))
            .collect();
        if !missing.is_empty() {
            self.say(
                required.span,
                format!(
                    "`required` names every property; {} not there",
                    is_or_are(&missing)
                ),
            );
        }
    }

    fn array(&mut self, node: &Table, depth: usize) {
        match node.get("items") {
            None => self.say(
                node.span,
                "an array of the answer needs `items`, the schema of an item",
            ),
            Some(items) => match items.as_table() {
                Some(schema) => {
                    self.node(schema, depth + 1);
                }
                None => self.say(items.span, "`items` is one schema, a table"),
            },
        }
    }

    fn scalar(&mut self, node: &Table, kind: &str) {
        let Some(values) = node.get("enum") else {
            return;
        };
        let NodeKind::Array(items) = &values.kind else {
            return self.say(values.span, "`enum` is an array of values");
        };
        if items.is_empty() {
            self.say(
                values.span,
                "`enum` is empty, so no answer would fit; list values or remove it",
            );
        }
        for item in items.iter().filter(|item| !fits(&item.kind, kind)) {
            self.say(
                item.span,
                format!("this value of `enum` is not of the type \"{kind}\""),
            );
        }
    }
}

fn fits(value: &NodeKind, kind: &str) -> bool {
    match (kind, value) {
        ("string", NodeKind::String(_)) | ("boolean", NodeKind::Boolean(_)) => true,
        ("number" | "integer", NodeKind::Integer(_)) => true,
        ("number", NodeKind::Float(number)) => number.is_finite(),
        // `1.0` is an integer to JSON Schema.
        ("integer", NodeKind::Float(number)) => number.is_finite() && number.fract() == 0.0,
        _ => false,
    }
}

fn is_or_are(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", listed(names.iter().copied()))
}
