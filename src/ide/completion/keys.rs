//! Keys and headers that fit and are not there yet.

use super::context::{HeaderPosition, KeyPosition};
use super::{Completion, CompletionKind};
use crate::check::Analysis;
use crate::format::{self, DEFINITION, KeySpec, TableSpec, Type, json_schema};
use crate::ide::shape::Shape;
use crate::syntax::render;
use crate::text::{Edit, Span};

/// What can stand where a key belongs: keys of the table, and headers of tables that can be begun there.
pub fn keys(_analysis: &Analysis, position: &KeyPosition) -> Vec<Completion> {
    let present = |name: &str| position.present.iter().any(|key| key == name);
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
        shape => {
            let Some(spec) = shape.table() else {
                return found;
            };
            // Required keys first, then in the order in which people write them.
            let mut fitting: Vec<&KeySpec> =
                spec.keys.iter().filter(|key| !present(key.name)).collect();
            fitting.sort_by_key(|key| !key.required);
            for key in fitting {
                let whole_line = position.header.is_some() && !position.has_equals;
                if whole_line
                    && matches!(
                        key.kind,
                        Type::Table(_) | Type::Tables(_) | Type::JsonSchema
                    )
                {
                    continue;
                }
                let detail = detail(key);
                found.push(assignment(
                    key.name,
                    &detail,
                    key.meaning.into(),
                    Some(key),
                    position,
                ));
            }
            if let Some(header) = position.header.as_ref().filter(|_| !position.has_equals) {
                found.extend(tables_below(spec, header, position));
                if !header.is_empty() {
                    found.extend(tables_below(&DEFINITION, &[], position));
                }
            }
        }
    }
    found
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
    key: Option<&KeySpec>,
    position: &KeyPosition,
) -> Completion {
    let written = render::key(name);
    let (text, snippet) = if position.has_equals {
        (written, None)
    } else {
        let value = match key.map(|key| key.kind) {
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
