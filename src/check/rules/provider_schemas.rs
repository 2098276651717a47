//! `schema_for_provider`: what a model's provider does not take in the input schema of a tool.

use super::listed;
use super::provider_names::refuse;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::Tool;
use crate::definition::provider::{Provider, ProvidersInUse, SchemaFault, SchemaFaultKind};
use crate::syntax::{Node, NodeKind, Table};
use crate::text::Span;
use serde_json::Value;
use std::collections::HashMap;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let in_use = ProvidersInUse::of(definition);
    for (index, tool) in definition.tools.iter().enumerate() {
        check_tool(tool, in_use.of_tool(index), found);
    }
}

fn check_tool(tool: &Tool, providers: &[&'static Provider], found: &mut Vec<Diagnostic>) {
    let Some(table) = tool.input.get().and_then(Node::as_table) else {
        return;
    };
    if providers.iter().all(|provider| provider.schemas.is_empty()) {
        return;
    }
    let schema = as_sent(table);
    // The same place may be wrong for several providers: said once, for all of them.
    let mut places: Vec<(Span, SchemaFault, Vec<&'static str>)> = Vec::new();
    let mut known: HashMap<(Span, SchemaFaultKind), usize> = HashMap::new();
    for provider in providers {
        for fault in provider.schema_faults(&schema) {
            let Some(span) = place(table, &fault.path) else {
                continue;
            };
            let index = *known.entry((span, fault.kind)).or_insert(places.len());
            match places.get_mut(index) {
                Some((_, _, names)) => names.push(provider.name),
                None => places.push((span, fault, vec![provider.name])),
            }
        }
    }
    for (span, fault, names) in places {
        found.push(Diagnostic::new(
            Code::SchemaForProvider,
            span,
            message(&fault, &names),
        ));
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

/// Where the key stands to which `path` leads.
fn place(table: &Table, path: &[String]) -> Option<Span> {
    let mut table = table;
    let mut path = path.iter();
    loop {
        let entry = table.entry(path.next()?)?;
        let mut node = &entry.value;
        if path.len() == 0 {
            return Some(entry.key.span);
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
