//! `schema_for_provider`: what a model's provider does not take in the input schema of a tool.

use super::provider_names::refuse;
use super::renaming::rename;
use super::{listed, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::Tool;
use crate::definition::provider::{Provider, SchemaFault, SchemaFaultKind};
use crate::syntax::{Entry, Form, Node, NodeKind, Table};
use crate::text::{Edit, Map, Span};
use serde_json::Value;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let in_use = analysis.providers_in_use();
    for (index, tool) in definition.tools.iter().enumerate() {
        check_tool(analysis, tool, in_use.of_tool(index), found);
    }
}

fn check_tool(
    analysis: &Analysis,
    tool: &Tool,
    providers: &[&'static Provider],
    found: &mut Vec<Diagnostic>,
) {
    let Some(table) = tool.input.get().and_then(Node::as_table) else {
        return;
    };
    if providers.iter().all(|provider| provider.schemas.is_empty()) {
        return;
    }
    let schema = as_sent(table);
    // The same place may be wrong for several providers: said once, for all of them.
    let mut places: Vec<(Place, SchemaFault, Vec<&'static str>)> = Vec::new();
    let mut known: Map<(Span, SchemaFaultKind), usize> = Map::default();
    for provider in providers {
        for fault in provider.schema_faults(&schema) {
            let Some(place) = place(table, &fault.path) else {
                continue;
            };
            let index = *known
                .entry((place.entry.key.span, fault.kind))
                .or_insert(places.len());
            match places.get_mut(index) {
                Some((_, _, names)) => names.push(provider.name),
                None => places.push((place, fault, vec![provider.name])),
            }
        }
    }
    for (place, fault, names) in places {
        let span = place.entry.key.span;
        let message = message(&fault, &names);
        let diagnostic = Diagnostic::new(Code::SchemaForProvider, span, message);
        let guess = worth_guessing(found);
        found.push(match fault.kind {
            SchemaFaultKind::NoItems => match place.with_items(&analysis.text) {
                Some(repair) => diagnostic.with_remedy("Add `items = {}`, for anything", repair),
                None => diagnostic,
            },
            SchemaFaultKind::PropertyName(rule) if guess => {
                let (old, new) = (&place.entry.key.name, rule.fit(&place.entry.key.name));
                let is_free = place.table.entry(&new).is_none();
                match rename(analysis, span, old, &new).filter(|_| is_free) {
                    Some(repair) => diagnostic.with_guess(format!("Rename to `{new}`"), repair),
                    None => diagnostic,
                }
            }
            _ => diagnostic,
        });
    }
}

/// A key of a schema, with the table that it stands in.
struct Place<'a> {
    table: &'a Table,
    entry: &'a Entry,
}

impl Place<'_> {
    /// What says beside the `type` that stands here that the items may be anything.
    fn with_items(&self, text: &str) -> Option<Repair> {
        let key = self.entry.key.span;
        let (at, added) = match self.table.form {
            Form::Inline => (self.entry.span.end, ", items = {}".to_owned()),
            Form::Header => {
                let line = text[..key.start]
                    .rfind('\n')
                    .map_or(0, |newline| newline + 1);
                let ends_with_return = text[..line].ends_with("\r\n");
                let newline = if ends_with_return { "\r\n" } else { "\n" };
                let indent = &text[line..key.start];
                (key.start, format!("items = {{}}{newline}{indent}"))
            }
            _ => return None,
        };
        let edit = Edit {
            span: Span::empty(at),
            text: added,
        };
        Some(Repair::Edits(vec![edit]))
    }
}

/// The schema as a model gets it: the format implies the type.
fn as_sent(table: &Table) -> Value {
    let mut schema = table.to_json();
    if let Some(object) = schema.as_object_mut() {
        object
            .entry("type")
            .or_insert_with(|| Value::from("object"));
    }
    schema
}

/// The key to which `path` leads.
fn place<'a>(table: &'a Table, path: &[String]) -> Option<Place<'a>> {
    let mut table = table;
    let mut path = path.iter();
    loop {
        let entry = table.entry(path.next()?)?;
        let mut node = &entry.value;
        if path.len() == 0 {
            return Some(Place { table, entry });
        }
        table = loop {
            match &node.kind {
                NodeKind::Table(inner) => break inner,
                NodeKind::Tables(tables) => {
                    break tables.get(path.next()?.parse::<usize>().ok()?)?;
                }
                NodeKind::Array(items) => node = items.get(path.next()?.parse::<usize>().ok()?)?,
                _ => return None,
            }
        };
    }
}

fn message(fault: &SchemaFault, providers: &[&'static str]) -> String {
    let refuse = refuse(providers.iter().copied());
    let key = fault.path.last().map(String::as_str).unwrap_or_default();
    let shown = key.escape_debug();
    match fault.kind {
        SchemaFaultKind::NotAtTop => format!(
            "{refuse} a tool whose input has `{shown}` at its top level; move it into a property, or say it in the tool's `description`"
        ),
        SchemaFaultKind::NoObject => format!("{refuse} an input that is no object"),
        SchemaFaultKind::NoItems => {
            format!(
                "{refuse} an array without `items`; say what its items are, `items = {{}}` for anything"
            )
        }
        SchemaFaultKind::BesideRef => {
            format!("{refuse} `{shown}` beside `$ref`; move it to where the reference leads")
        }
        SchemaFaultKind::PropertyName(rule) => format!(
            "{refuse} the property name `{shown}`: a name {}; `{}` fits",
            rule.broken_by(key).join(" and "),
            rule.fit(key)
        ),
        SchemaFaultKind::NotPassedOn => format!(
            "{} does not pass `{shown}` on to the model, which then cannot know what to write; write it without, or say it in the `description`",
            listed(providers.iter().copied())
        ),
    }
}
