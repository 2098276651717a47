//! Values: words, names the definition gives, paths, variables, input properties, codes.

use super::context::ValuePosition;
use super::keys::word_meaning;
use super::{Completion, CompletionKind, offered};
use crate::check::{Analysis, Code, Severity};
use crate::definition::{Definition, Surroundings};
use crate::format::Type;
use crate::ide::shape::Shape;
use crate::syntax::{Node, render};
use crate::text::{Edit, Span};
use std::path::Path;

/// JSON Schema's types.
const SCHEMA_TYPES: [&str; 7] = [
    "string", "integer", "number", "boolean", "array", "object", "null",
];

/// What can stand where a value belongs.
pub fn values(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    position: &ValuePosition,
) -> Vec<Completion> {
    if let Some(found) = within_string(&analysis.definition, surroundings, position) {
        return found;
    }
    let definition = &analysis.definition;
    let path: Vec<&str> = position.path.iter().map(String::as_str).collect();
    match (path.as_slice(), position.shape) {
        (["initial_mode"] | ["tests", "mode"], _) => {
            names(mode_names(definition), "mode", position)
        }
        (["modes", "tools"], _) => names(
            definition.tools.iter().map(|tool| tool.name.text()),
            "tool",
            position,
        ),
        (["access", _] | ["middlewares", "tools"], _) | ([.., "tool"], _) => {
            let of_servers = offered::open(definition, surroundings);
            let of_servers = of_servers.iter().flat_map(|names| names.iter());
            let known = offered::declared(definition).chain(of_servers.map(String::as_str));
            names(known, "tool", position)
        }
        (["tools", "produces"], _) => {
            let tool = position
                .element
                .and_then(|index| definition.tools.get(index));
            let of_server = tool.and_then(|tool| offered::by_server(tool, surroundings));
            let of_server = of_server.iter().flat_map(|names| names.iter());
            names(of_server.map(String::as_str), "tool", position)
        }
        ([.., "api_key_env"] | ["secrets"], _) => variables(surroundings, position),
        (_, Shape::Format(Type::Word(words))) => words
            .iter()
            .map(|word| {
                item(
                    word.name,
                    CompletionKind::Word,
                    "",
                    word_meaning(Type::Word(words), word.name),
                    position,
                )
            })
            .collect(),
        (_, Shape::Format(Type::Boolean)) => {
            ["true", "false"].map(|word| bare(word, position)).into()
        }
        (_, Shape::Format(Type::Path)) => paths(surroundings, position),
        (_, Shape::SchemaData("type")) => SCHEMA_TYPES
            .iter()
            .filter(|name| !position.siblings.iter().any(|other| other == *name))
            .map(|name| item(name, CompletionKind::Word, "type", "", position))
            .collect(),
        (_, Shape::SchemaData("required")) => {
            names(properties(definition, position), "property", position)
        }
        (_, Shape::SchemaData("uniqueItems" | "deprecated" | "readOnly" | "writeOnly")) => {
            ["true", "false"].map(|word| bare(word, position)).into()
        }
        _ => Vec::new(),
    }
}

/// The codes that a comment can allow: those that are no errors.
pub fn codes(span: Span) -> Vec<Completion> {
    let codes = Code::ALL
        .iter()
        .filter(|code| code.severity() != Severity::Error);
    codes
        .map(|code| Completion {
            label: code.as_str().into(),
            kind: CompletionKind::Word,
            detail: code.severity().as_str().into(),
            documentation: String::new(),
            edit: Edit {
                span,
                text: code.as_str().into(),
            },
            snippet: None,
        })
        .collect()
}

/// Inside `{{` the input's properties, inside `${` the environment's variables; `None` elsewhere.
fn within_string(
    definition: &Definition,
    surroundings: &dyn Surroundings,
    position: &ValuePosition,
) -> Option<Vec<Completion>> {
    let (open, close, candidates, kind, detail): (_, _, Vec<String>, _, _) =
        match (position.typed.rfind("{{"), position.typed.rfind("${")) {
            (Some(at), _) if !position.typed[at..].contains("}}") => {
                let names = properties(definition, position)
                    .map(str::to_owned)
                    .collect();
                (at + 2, "}}", names, CompletionKind::Name, "property")
            }
            (_, Some(at)) if !position.typed[at..].contains('}') => (
                at + 2,
                "}",
                surroundings.variable_names(),
                CompletionKind::Variable,
                "environment variable",
            ),
            _ => return None,
        };
    let word = &position.typed[open..];
    let spaces = word.len() - word.trim_start().len();
    let start = position.offset - word.len() + spaces;
    Some(
        candidates
            .into_iter()
            .map(|name| Completion {
                edit: Edit {
                    span: Span::new(start, position.offset),
                    text: format!("{name}{close}"),
                },
                label: name,
                kind,
                detail: detail.into(),
                documentation: String::new(),
                snippet: None,
            })
            .collect(),
    )
}

fn mode_names(definition: &Definition) -> impl Iterator<Item = &str> {
    definition.modes.iter().map(|mode| mode.name.text())
}

/// The input properties of the tool that the position belongs to.
fn properties<'a>(
    definition: &'a Definition,
    position: &ValuePosition,
) -> impl Iterator<Item = &'a str> {
    let tool = position
        .element
        .filter(|_| position.path.first().is_some_and(|key| key == "tools"));
    let schema = tool.and_then(|index| definition.tools.get(index)?.input.get()?.as_table());
    let properties = schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Node::as_table);
    properties
        .into_iter()
        .flat_map(|table| table.entries.iter().map(|entry| entry.key.name.as_str()))
}

fn names<'a>(
    names: impl Iterator<Item = &'a str>,
    detail: &str,
    position: &ValuePosition,
) -> Vec<Completion> {
    let mut found: Vec<Completion> = Vec::new();
    for name in names.filter(|name| !name.trim().is_empty()) {
        let there = position.siblings.iter().any(|other| other == name);
        if !there && !found.iter().any(|other| other.label == name) {
            found.push(item(name, CompletionKind::Name, detail, "", position));
        }
    }
    found
}

fn variables(surroundings: &dyn Surroundings, position: &ValuePosition) -> Vec<Completion> {
    let names = surroundings.variable_names();
    names
        .iter()
        .map(|name| {
            item(
                name,
                CompletionKind::Variable,
                "environment variable",
                "",
                position,
            )
        })
        .collect()
}

/// Files and folders, one level at a time.
fn paths(surroundings: &dyn Surroundings, position: &ValuePosition) -> Vec<Completion> {
    let folder = position
        .typed
        .rfind('/')
        .map_or("", |at| &position.typed[..=at]);
    let entries = surroundings.entries(Path::new(if folder.is_empty() { "." } else { folder }));
    entries
        .iter()
        .filter(|name| !name.starts_with('.'))
        .map(|name| {
            let kind = if name.ends_with('/') {
                CompletionKind::Folder
            } else {
                CompletionKind::File
            };
            item(&format!("{folder}{name}"), kind, "", "", position)
        })
        .collect()
}

/// A string in its quotes, over whatever stands there.
fn item(
    value: &str,
    kind: CompletionKind,
    detail: &str,
    documentation: &str,
    position: &ValuePosition,
) -> Completion {
    Completion {
        label: value.into(),
        kind,
        detail: detail.into(),
        documentation: documentation.into(),
        edit: Edit {
            span: position.token,
            text: render::string(value),
        },
        snippet: None,
    }
}

fn bare(word: &str, position: &ValuePosition) -> Completion {
    Completion {
        edit: Edit {
            span: position.token,
            text: word.into(),
        },
        ..item(word, CompletionKind::Word, "", "", position)
    }
}
