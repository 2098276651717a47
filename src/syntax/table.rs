//! The nested tables that a document's statements mean.

use super::Key;
use crate::text::{Span, Text};
use std::sync::Arc;

/// A table, however it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// How it came to be.
    pub form: Form,
    /// What stands for it in the text: the header; the braces with what is between them; the part of a dotted key
    /// or of a deeper header that names it. Empty at 0 for the root.
    pub span: Span,
    /// All the text that belongs to it.
    ///
    /// For a header: from its bracket to the end of the last statement before the next header that does not lead
    /// into it. For an implicit table: the same, from the deeper header that made it. For dotted keys: from the
    /// first of them to the end of the value of the last. For an inline table: its braces. For the root:
    /// everything. What a later header adds from elsewhere is not in it.
    pub extent: Span,
    /// Its keys, in order of first appearance. A key that was set twice is here once, with its first value.
    pub entries: Vec<Entry>,
}

/// How a table was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The document itself.
    Root,
    /// `[name]`, or one `[[name]]`.
    Header,
    /// `{ … }`.
    Inline,
    /// Made by a dotted key, `name.key = …`.
    Dotted,
    /// Made on the way to a deeper header, `[name.deeper]`, and not written itself.
    Implicit,
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key where it first stands; one part of it, if it is dotted or in a header.
    pub key: Key,
    /// Every other place where the same key is written, in order of the text: in later headers and dotted keys,
    /// also in those that are in error.
    pub mentions: Vec<Span>,
    /// From `key` to the end of its value, for a table made by dotted keys that of the first. For a table with a
    /// header, that header; for an array of tables, the first; for an implicit table, the header that made it.
    pub span: Span,
    /// The value.
    pub value: Node,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it stands; for a table its [`Table::span`], for an array of tables the first header.
    pub span: Span,
    /// What it is.
    pub kind: NodeKind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A string, decoded.
    String(Text),
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
    /// A boolean.
    Boolean(bool),
    /// A date or time, as written.
    Datetime(Text),
    /// `[ … ]`.
    Array(Vec<Node>),
    /// One or more `[[name]]`.
    Tables(Vec<Table>),
    /// A table in any form.
    Table(Arc<Table>),
    /// Nothing was written yet.
    Missing,
    /// Something that is no value.
    Bad,
}

impl Default for Table {
    /// The root table of an empty text.
    fn default() -> Self {
        Self {
            form: Form::Root,
            span: Span::empty(0),
            extent: Span::empty(0),
            entries: Vec::new(),
        }
    }
}

impl Table {
    /// The entry of `key`.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.name == key)
    }

    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The same data as JSON, in the same order; see [`Node::to_json`].
    pub fn to_json(&self) -> serde_json::Value {
        let entries = self.entries.iter();
        serde_json::Value::Object(
            entries
                .map(|entry| (entry.key.name.to_string(), entry.value.to_json()))
                .collect(),
        )
    }
}

impl Node {
    /// The table that the value is.
    pub fn as_table(&self) -> Option<&Table> {
        match &self.kind {
            NodeKind::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The string that the value is.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The same data as JSON. A date or time is its text; what JSON lacks (`nan`, `inf`, a value that is missing
    /// or broken) is null.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value;
        match &self.kind {
            NodeKind::String(text) | NodeKind::Datetime(text) => Value::from(text.as_str()),
            NodeKind::Integer(number) => Value::from(*number),
            NodeKind::Float(number) => Value::from(*number),
            NodeKind::Boolean(value) => Value::from(*value),
            NodeKind::Array(items) => items.iter().map(Node::to_json).collect(),
            NodeKind::Tables(tables) => tables.iter().map(Table::to_json).collect(),
            NodeKind::Table(table) => table.to_json(),
            NodeKind::Missing | NodeKind::Bad => Value::Null,
        }
    }
}
