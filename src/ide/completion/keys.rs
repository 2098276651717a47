//! Keys and headers that fit and are not there yet.

use super::context::{HeaderPosition, KeyPosition};
use super::{Completion, CompletionKind, offered};
use crate::check::Analysis;
use crate::definition::Surroundings;
use crate::format::{self, DEFINITION, KeySpec, TableSpec, Type, json_schema};
use crate::ide::shape::Shape;
use crate::syntax::render;
use crate::text::{Edit, Span};

/// What can stand where a key belongs: keys of the table, and headers of tables that can be begun there.
pub fn keys(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    position: &KeyPosition,
) -> Vec<Completion> {
    let present = |name: &str| position.present.iter().any(|key| key == name);
    // Where a line of its own begins.
    let header = position.header.as_ref().filter(|_| !position.has_equals);
    let mut found = Vec::new();
    match position.table {
        Shape::Schema => {
            found.extend(
                json_schema::KEYWORDS
                    .iter()
                    .filter(|keyword| !present(keyword.name))
                    .map(|keyword| {
                        let meaning = keyword.meaning.into();
                        assignment(keyword.name, "JSON Schema", meaning, None, position)
                    }),
            );
        }
        Shape::Format(Type::Map(value)) => {
            let names = map_names(analysis, surroundings, position);
            let names = names.iter();
            found.extend(
                names.map(|name| assignment(name, "tool", String::new(), Some(*value), position)),
            );
        }
        shape => {
            if let Some(spec) = shape.table() {
                // Required keys first, then in the order in which people write them.
                let mut fitting: Vec<&KeySpec> =
                    spec.keys.iter().filter(|key| !present(key.name)).collect();
                fitting.sort_by_key(|key| !key.required);
                // On a line of its own a table is begun by its header.
                let is_table = |key: &&KeySpec| {
                    matches!(
                        key.kind,
                        Type::Table(_) | Type::Tables(_) | Type::JsonSchema
                    )
                };
                fitting.retain(|key| header.is_none() || !is_table(key));
                found.extend(fitting.into_iter().map(|key| {
                    let meaning = key.meaning.into();
                    assignment(key.name, &detail(key), meaning, Some(key.kind), position)
                }));
                if let Some(header) = header {
                    found.extend(tables_below(spec, header, position));
                }
            }
        }
    }
    // Below any table another one of the top level can be begun.
    if header.is_some_and(|header| !header.is_empty()) {
        found.extend(tables_below(&DEFINITION, &[], position));
    }
    found
}

/// What more the keys of a table may be whose keys are names, where that is known: `effects` names tools of its server.
fn map_names(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    position: &KeyPosition,
) -> Vec<String> {
    let path: Vec<&str> = position.path.iter().map(String::as_str).collect();
    let tools = &analysis.definition.tools;
    let tool = position.element.and_then(|index| tools.get(index));
    match (path.as_slice(), tool) {
        (["tools", "effects"], Some(tool)) => {
            offered::unnamed(tool, surroundings, &position.present)
        }
        _ => Vec::new(),
    }
}

fn detail(key: &KeySpec) -> String {
    let kind = key.kind.describe();
    if key.required {
        format!("{kind}, required")
    } else {
        kind
    }
}

/// `key = value`, with the place of the value to fill in.
fn assignment(
    name: &str,
    detail: &str,
    documentation: String,
    kind: Option<Type>,
    position: &KeyPosition,
) -> Completion {
    let written = render::key(name);
    let (text, snippet) = if position.has_equals {
        (written, None)
    } else {
        let value = match kind {
            Some(Type::String | Type::Path | Type::Word(_) | Type::Duration) => "\"$1\"",
            Some(Type::Array(Type::String | Type::Argument)) => "[\"$1\"]",
            Some(Type::Array(_)) => "[$1]",
            Some(Type::Table(_) | Type::Map(_) | Type::FreeTable | Type::JsonSchema) => "{ $1 }",
            Some(Type::Tables(_)) => "[{ $1 }]",
            _ => "$1",
        };
        (
            format!("{written} = "),
            Some(format!("{} = {value}", escaped(&written))),
        )
    };
    Completion {
        label: name.into(),
        kind: CompletionKind::Key,
        detail: detail.into(),
        documentation,
        edit: Edit {
            span: position.word,
            text,
        },
        snippet,
    }
}

/// The tables of `spec` as headers, on lines of their own.
fn tables_below<'a>(
    spec: &'static TableSpec,
    header: &'a [String],
    position: &'a KeyPosition,
) -> impl Iterator<Item = Completion> + 'a {
    let of_this_table = !header.is_empty();
    spec.keys.iter().filter_map(move |key| {
        let repeats = matches!(key.kind, Type::Tables(_));
        // Of the top level only those not there yet are offered, and those of which there can be several.
        let there = position.present.iter().any(|name| name == key.name);
        if there && !repeats
            || !of_this_table
                && !repeats
                && position
                    .header
                    .as_ref()
                    .is_some_and(|header| header.first().is_some_and(|name| name == key.name))
        {
            return None;
        }
        let path: Vec<&str> = header
            .iter()
            .map(String::as_str)
            .chain([key.name])
            .collect();
        let name = path.join(".");
        let written = match key.kind {
            Type::Tables(_) => format!("[[{name}]]"),
            Type::Table(_) | Type::JsonSchema => format!("[{name}]"),
            _ => return None,
        };
        Some(header_item(&written, key, position.word))
    })
}

fn header_item(written: &str, key: &KeySpec, span: Span) -> Completion {
    Completion {
        label: written.into(),
        kind: CompletionKind::Table,
        detail: key.kind.describe(),
        documentation: key.meaning.into(),
        edit: Edit {
            span,
            text: format!("{written}\n"),
        },
        snippet: Some(format!("{}\n{}", escaped(written), body(key))),
    }
}

/// The lines with which a table is usually begun.
fn body(key: &KeySpec) -> &'static str {
    match key.name {
        "tools" => {
            "name = \"${1:find_order}\"\ndescription = \"$2\"\ncommand = [\"${3:program}\"]\neffect = \"${4|read,write,irreversible|}\"\n$0"
        }
        "modes" => "name = \"${1:lookup}\"\ntools = [\"$2\"]\n$0",
        "tests" => {
            "name = \"${1:finds an order}\"\nprompt = \"$2\"\nscript = [{ text = \"$3\" }]\nexpect = { contains = \"$4\" }\n$0"
        }
        "model" => "provider = \"${1:scripted}\"\nname = \"${2:demo}\"\n$0",
        _ => "$0",
    }
}

/// Everything that can stand within a header's brackets; what is there is replaced whole.
pub fn headers(position: &HeaderPosition) -> Vec<Completion> {
    let mut found = Vec::new();
    collect(&DEFINITION, "", position.span, &mut found, 0);
    found
}

fn collect(
    spec: &'static TableSpec,
    prefix: &str,
    span: Span,
    found: &mut Vec<Completion>,
    depth: usize,
) {
    // Deeper tables are written inline.
    const DEEPEST: usize = 2;
    for key in spec.keys {
        let name = format!("{prefix}{}", key.name);
        let (written, inner) = match key.kind {
            Type::Tables(inner) => (format!("[[{name}]]"), Some(inner)),
            Type::Table(inner) => (format!("[{name}]"), Some(inner)),
            Type::JsonSchema => (format!("[{name}]"), None),
            _ => continue,
        };
        let mut item = header_item(&written, key, span);
        item.label = name.clone();
        item.edit.text.pop();
        item.snippet = None;
        found.push(item);
        if let Some(inner) = inner.filter(|_| depth + 1 < DEEPEST) {
            collect(inner, &format!("{name}."), span, found, depth + 1);
        }
    }
}

/// `text` as it stands in a snippet.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('$', "\\$")
        .replace('}', "\\}")
}

/// The documentation of a word of the format.
pub fn word_meaning(kind: Type, name: &str) -> &'static str {
    let words = match kind {
        Type::Word(words) => words,
        _ => &[] as &[format::Word],
    };
    words
        .iter()
        .find(|word| word.name == name)
        .map_or("", |word| word.meaning)
}
