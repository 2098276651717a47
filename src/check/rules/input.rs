//! A tool's input schema: `unknown_key` for keywords the draft does not define, `invalid_input_schema` for shapes it
//! does not allow, `undeclared_property`, `missing_description`.

use super::{did_you_mean, hint, suggestion, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::{Source, Tool};
use crate::format::{
    self,
    json_schema::{self, Holds},
};
use crate::syntax::{Entry, Node, NodeKind, Table, render};
use crate::text::NameIndex;

const TYPES: [&str; 7] = [
    "object", "array", "string", "number", "integer", "boolean", "null",
];

/// Nesting after which a schema is looked at no further (`docs/security.md`, 21).
const DEEPEST: usize = 32;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    for tool in &analysis.definition.tools {
        description(tool, found);
        let Some(schema) = tool.input.get().and_then(Node::as_table) else {
            continue;
        };
        if let Some(kind) = schema.get("type")
            && kind.as_str() != Some("object")
        {
            found.push(
                Diagnostic::new(
                    Code::InvalidInputSchema,
                    kind.span,
                    "a tool's input is an object; write `type = \"object\"`, or leave it out",
                )
                .with_remedy(
                    "Change to `\"object\"`",
                    Repair::Replace("\"object\"".into()),
                ),
            );
        }
        check_schema(schema, true, 1, found);
        property_descriptions(schema, found);
    }
}

fn description(tool: &Tool, found: &mut Vec<Diagnostic>) {
    let server = matches!(
        tool.sources.first().map(|source| &source.value),
        Some(Source::Mcp(_))
    );
    let blank = tool.description.is_missing()
        || tool
            .description
            .get()
            .is_some_and(|description| description.trim().is_empty());
    if server || !blank {
        return;
    }
    let span = tool
        .description
        .span()
        .or(tool.name.span())
        .unwrap_or(tool.span);
    found.push(Diagnostic::new(
        Code::MissingDescription,
        span,
        "the model chooses tools by their `description`; say what this one does, when to use it, what it returns",
    ));
}

fn property_descriptions(schema: &Table, found: &mut Vec<Diagnostic>) {
    let Some(properties) = schema.get("properties").and_then(Node::as_table) else {
        return;
    };
    for property in &properties.entries {
        let Some(inner) = property.value.as_table() else {
            continue;
        };
        let described = inner
            .get("description")
            .is_some_and(|text| text.as_str().is_none_or(|text| !text.trim().is_empty()));
        if !described && inner.get("$ref").is_none() {
            found.push(Diagnostic::new(
                Code::MissingDescription,
                property.key.span,
                format!(
                    "the model fills in `{}` by its `description`; say what it is",
                    property.key.name.escape_debug()
                ),
            ));
        }
    }
}

fn check_schema(schema: &Table, root: bool, depth: usize, found: &mut Vec<Diagnostic>) {
    if depth > DEEPEST {
        found.push(Diagnostic::new(
            Code::InvalidInputSchema,
            schema.span,
            format!("the schema is nested deeper than {DEEPEST} levels"),
        ));
        return;
    }
    for entry in &schema.entries {
        match json_schema::holds(&entry.key.name) {
            None => found.push(unknown_keyword(entry, root, worth_guessing(found))),
            Some(holds) => below(entry, holds, depth, found),
        }
    }
    required(schema, found);
}

fn unknown_keyword(entry: &Entry, root: bool, guess: bool) -> Diagnostic {
    let name = entry.key.name.as_str();
    let shown = name.escape_debug();
    let say = |message: String| Diagnostic::new(Code::UnknownKey, entry.key.span, message);
    if root && format::TOOL.key(name).is_some() {
        return say(format!(
            "`{shown}` belongs to `[[tools]]`, and here it stands in the tool's `input`; move it above"
        ))
        .with_remedy(format!("Move `{shown}` to the tool"), Repair::MoveOut);
    }
    let keywords = json_schema::KEYWORDS.iter().map(|keyword| keyword.name);
    let meant = did_you_mean(name, keywords.filter(|_| guess));
    match meant {
        Some(meant) => say(format!(
            "JSON Schema has no keyword `{shown}`; did you mean `{meant}`?"
        ))
        .with_meant(Some(meant), render::key),
        None if root => say(format!(
            "JSON Schema has no keyword `{shown}`; a property of the input stands in `properties`"
        )),
        None => say(format!("JSON Schema has no keyword `{shown}`")),
    }
}

fn below(entry: &Entry, holds: Holds, depth: usize, found: &mut Vec<Diagnostic>) {
    let mut say = |node: &Node, message: String| {
        found.push(Diagnostic::new(
            Code::InvalidInputSchema,
            node.span,
            message,
        ))
    };
    let name = entry.key.name.as_str();
    match (holds, &entry.value.kind) {
        (_, NodeKind::Missing | NodeKind::Bad) => {}
        (Holds::Data, _) => {
            if let Some(problem) = data_problem(name, &entry.value) {
                say(&entry.value, problem);
            }
        }
        (Holds::Schema, NodeKind::Table(inner)) => check_schema(inner, false, depth + 1, found),
        (Holds::Schema, NodeKind::Boolean(_)) => {}
        (Holds::Schema, _) => say(
            &entry.value,
            format!("`{name}` is a schema: a table, `true` or `false`"),
        ),
        (Holds::Schemas, NodeKind::Array(items)) => {
            if items.is_empty() {
                say(&entry.value, format!("`{name}` needs at least one schema"));
            }
            for item in items {
                match &item.kind {
                    NodeKind::Table(inner) => check_schema(inner, false, depth + 1, found),
                    NodeKind::Boolean(_) | NodeKind::Missing | NodeKind::Bad => {}
                    _ => found.push(Diagnostic::new(
                        Code::InvalidInputSchema,
                        item.span,
                        "a schema is a table, `true` or `false`",
                    )),
                }
            }
        }
        (Holds::Schemas, NodeKind::Tables(tables)) => {
            tables
                .iter()
                .for_each(|inner| check_schema(inner, false, depth + 1, found));
        }
        (Holds::Schemas, _) => say(&entry.value, format!("`{name}` is an array of schemas")),
        (Holds::NamedSchemas, NodeKind::Table(named)) => {
            for property in &named.entries {
                match &property.value.kind {
                    NodeKind::Table(inner) => check_schema(inner, false, depth + 1, found),
                    NodeKind::Boolean(_) | NodeKind::Missing | NodeKind::Bad => {}
                    _ => found.push(Diagnostic::new(
                        Code::InvalidInputSchema,
                        property.value.span,
                        format!(
                            "`{}` needs a schema, such as `{{ type = \"string\" }}`",
                            property.key.name.escape_debug()
                        ),
                    )),
                }
            }
        }
        (Holds::NamedSchemas, _) => say(&entry.value, format!("`{name}` is a table of schemas")),
    }
}

/// What is wrong with the value of a keyword below which no schema stands.
fn data_problem(keyword: &str, value: &Node) -> Option<String> {
    let is_count = || matches!(value.kind, NodeKind::Integer(number) if number >= 0);
    let is_number = || matches!(value.kind, NodeKind::Integer(_) | NodeKind::Float(_));
    let is_strings = || matches!(&value.kind, NodeKind::Array(items) if items.iter().all(|item| item.as_str().is_some()));
    let (fits, wanted) = match keyword {
        "type" => return type_problem(value),
        "enum" => (
            matches!(&value.kind, NodeKind::Array(items) if !items.is_empty()),
            "an array with at least one value",
        ),
        "required" => (is_strings(), "an array of names of properties"),
        "examples" => (
            matches!(value.kind, NodeKind::Array(_) | NodeKind::Tables(_)),
            "an array",
        ),
        "title" | "description" | "pattern" | "format" | "$comment" | "$ref" | "$schema"
        | "$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "contentEncoding"
        | "contentMediaType" => (value.as_str().is_some(), "a string"),
        "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" | "multipleOf" => {
            (is_number(), "a number")
        }
        "maxLength" | "minLength" | "maxItems" | "minItems" | "maxContains" | "minContains"
        | "maxProperties" | "minProperties" => (is_count(), "an integer, 0 or more"),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => (
            matches!(value.kind, NodeKind::Boolean(_)),
            "`true` or `false`",
        ),
        "dependentRequired" | "$vocabulary" => (value.as_table().is_some(), "a table"),
        _ => (true, ""),
    };
    (!fits).then(|| format!("`{keyword}` is {wanted}"))
}

fn type_problem(value: &Node) -> Option<String> {
    let wrong = |name: &str| {
        let hint = suggestion(name, TYPES);
        format!("JSON Schema has no type `{}`{hint}", name.escape_debug())
    };
    match &value.kind {
        NodeKind::String(name) => (!TYPES.contains(&name.as_str())).then(|| wrong(name)),
        NodeKind::Array(items) if !items.is_empty() => {
            items.iter().find_map(|item| match item.as_str() {
                Some(name) => (!TYPES.contains(&name)).then(|| wrong(name)),
                None => Some("`type` is a string, or an array of strings".into()),
            })
        }
        _ => Some("`type` is a string, or an array of strings".into()),
    }
}

/// A name in `required` that `properties` lacks is hardly meant: where `additionalProperties` is false no input is right,
/// else a model must give what nothing tells it of.
fn required(schema: &Table, found: &mut Vec<Diagnostic>) {
    let Some(NodeKind::Array(items)) = schema.get("required").map(|node| &node.kind) else {
        return;
    };
    let Some(properties) = schema.get("properties").and_then(Node::as_table) else {
        return;
    };
    let others = schema.get("additionalProperties").map(|node| &node.kind);
    let (code, wrong) = match others {
        Some(NodeKind::Boolean(false)) => (Code::InvalidInputSchema, "no input can have it"),
        // What it says of them may be all there is to say.
        Some(NodeKind::Table(_)) => return,
        _ if schema.get("patternProperties").is_some() => return,
        _ => (
            Code::UndeclaredProperty,
            "`properties` does not say what it is",
        ),
    };
    let entries = properties.entries.iter();
    let names = entries.map(|entry| entry.key.name.as_str());
    let known: NameIndex = names.clone().collect();
    let required = items.iter().filter_map(|item| Some((item, item.as_str()?)));
    for (item, name) in required.filter(|(_, name)| !known.contains(name)) {
        let guesses = names.clone().filter(|_| worth_guessing(found));
        let meant = did_you_mean(name, guesses);
        let message = format!(
            "`{}` is required, and {wrong}{}",
            name.escape_debug(),
            hint(meant)
        );
        found.push(Diagnostic::new(code, item.span, message).with_meant(meant, render::string));
    }
}
