//! Where a cursor is, in terms of tables and keys.

use crate::syntax::{Entry, Node, NodeKind, Table};
use crate::text::Span;

/// One step down from the top of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into the value of a key.
    Key(&'a str),
    /// Into an item of an array, or of an array of tables.
    Index(usize),
}

/// What of an entry the cursor is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The key, also one that a header mentions.
    Key,
    /// The value.
    Value,
    /// A table itself: its header, or its braces between the entries.
    Table,
}

/// A place in a definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Place<'a> {
    /// The way from the top, down to the key or item that the cursor is on.
    pub path: Vec<Step<'a>>,
    /// What of it.
    pub on: On,
    /// What the cursor is on: the key, the value, the header.
    pub span: Span,
    /// The value of the entry or item, whatever of it the cursor is on.
    pub value: Option<&'a Node>,
}

impl<'a> Place<'a> {
    /// The keys of the path, without indexes.
    pub fn keys(&self) -> Vec<&'a str> {
        let keys = self.path.iter().filter_map(|step| match step {
            Step::Key(key) => Some(*key),
            Step::Index(_) => None,
        });
        keys.collect()
    }

    /// The string that the value is.
    pub fn text(&self) -> Option<&'a str> {
        self.value.and_then(Node::as_str)
    }

    /// The index below the top-level key `key`, if the path goes there.
    pub fn index_in(&self, key: &str) -> Option<usize> {
        match self.path.as_slice() {
            [Step::Key(first), Step::Index(index), ..] if *first == key => Some(*index),
            _ => None,
        }
    }
}

/// The innermost place at byte `offset` of the text that `root` was built from.
pub fn place_at(root: &Table, offset: usize) -> Option<Place<'_>> {
    in_table(root, offset, &mut Vec::new())
}

fn in_table<'a>(table: &'a Table, offset: usize, path: &mut Vec<Step<'a>>) -> Option<Place<'a>> {
    for entry in &table.entries {
        path.push(Step::Key(&entry.key.name));
        if let Some(place) = in_node(&entry.value, offset, path) {
            return Some(place);
        }
        if let Some(span) = key_span(entry, offset) {
            return Some(Place {
                path: path.clone(),
                on: On::Key,
                span,
                value: Some(&entry.value),
            });
        }
        path.pop();
    }
    None
}

fn key_span(entry: &Entry, offset: usize) -> Option<Span> {
    let spans = std::iter::once(entry.key.span).chain(entry.mentions.iter().copied());
    spans.into_iter().find(|span| span.touches(offset))
}

fn in_node<'a>(node: &'a Node, offset: usize, path: &mut Vec<Step<'a>>) -> Option<Place<'a>> {
    let here = |path: &[Step<'a>], on, span| {
        Some(Place {
            path: path.to_vec(),
            on,
            span,
            value: Some(node),
        })
    };
    match &node.kind {
        NodeKind::Table(table) => {
            let inner = in_table(table, offset, path);
            inner.or_else(|| {
                if table.span.touches(offset) {
                    here(path, On::Table, table.span)
                } else {
                    None
                }
            })
        }
        NodeKind::Tables(tables) => {
            for (index, table) in tables.iter().enumerate() {
                path.push(Step::Index(index));
                if let Some(place) = in_table(table, offset, path) {
                    return Some(place);
                }
                if table.span.touches(offset) {
                    return here(path, On::Table, table.span);
                }
                path.pop();
            }
            None
        }
        NodeKind::Array(items) if node.span.touches(offset) => {
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Index(index));
                if let Some(place) = in_node(item, offset, path) {
                    return Some(place);
                }
                path.pop();
            }
            here(path, On::Value, node.span)
        }
        _ if node.span.touches(offset) => here(path, On::Value, node.span),
        _ => None,
    }
}
