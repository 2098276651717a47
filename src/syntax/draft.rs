//! Tables while they are being filled: in one list, found by number, so that a header can return to any of them.

use super::{Entry, Form, Key, Node, NodeKind, Table};
use crate::text::{Map, Span, Text};
use std::ops::{Index, IndexMut};

/// Tables up to this size are searched key by key.
pub(super) const SMALL: usize = 16;

/// A table that still grows.
pub(super) struct Draft {
    pub form: Form,
    pub span: Span,
    pub extent: Span,
    /// Whether dotted keys wrote into it, after which no header can define it.
    pub sealed: bool,
    entries: Vec<DraftEntry>,
    /// Where each key is; empty while the table is small.
    index: Map<Text, usize>,
}

impl Draft {
    pub fn new(form: Form, span: Span, extent: Span) -> Self {
        Self {
            form,
            span,
            extent,
            sealed: form == Form::Dotted,
            entries: Vec::new(),
            index: Map::default(),
        }
    }
}

pub(super) struct DraftEntry {
    pub key: Key,
    pub mentions: Vec<Span>,
    pub span: Span,
    pub value: DraftValue,
}

pub(super) enum DraftValue {
    /// A value that is complete.
    Node(Node),
    /// A table by its number.
    Table(usize),
    /// An array of tables, never empty.
    Tables(Vec<usize>),
}

impl DraftEntry {
    pub fn new(key: Key, span: Span, value: DraftValue) -> Self {
        Self {
            key,
            mentions: Vec::new(),
            span,
            value,
        }
    }

    /// Makes `key`, the latest mention, the place of this entry, and the former place a mention.
    pub fn give_way(&mut self, key: &Key) {
        let former = std::mem::replace(&mut self.key, key.clone());
        if let Some(latest) = self.mentions.last_mut() {
            *latest = former.span;
        }
    }
}

/// All tables of a document or of one inline table.
pub(super) struct Drafts {
    list: Vec<Draft>,
}

impl Drafts {
    /// The number of the outermost table.
    pub const ROOT: usize = 0;

    pub fn new(root: Draft) -> Self {
        Self { list: vec![root] }
    }

    /// Adds a table that no entry leads to.
    pub fn add(&mut self, draft: Draft) -> usize {
        self.list.push(draft);
        self.list.len() - 1
    }

    /// Which entry of `table` has the key `name`.
    pub fn find(&self, table: usize, name: &str) -> Option<usize> {
        let table = &self.list[table];
        if table.index.is_empty() {
            table
                .entries
                .iter()
                .position(|entry| entry.key.name == name)
        } else {
            table.index.get(name).copied()
        }
    }

    /// Entry `at` of `table`, with another place where its key is written.
    pub fn mention(&mut self, table: usize, at: usize, key: &Key) -> &mut DraftEntry {
        let entry = &mut self.list[table].entries[at];
        entry.mentions.push(key.span);
        entry
    }

    /// Entry `at` of `table`.
    pub fn entry_at(&self, table: usize, at: usize) -> &DraftEntry {
        &self.list[table].entries[at]
    }

    /// Adds an entry whose key `table` lacks.
    pub fn add_entry(&mut self, table: usize, entry: DraftEntry) {
        let table = &mut self.list[table];
        if table.entries.len() == SMALL {
            let names = table.entries.iter().map(|entry| entry.key.name.clone());
            table.index = names.zip(0..).collect();
        }
        if table.entries.len() >= SMALL {
            table
                .index
                .insert(entry.key.name.clone(), table.entries.len());
        }
        table.entries.push(entry);
    }

    /// Adds `draft` to `table` under a key that it lacks; `span` is that of the entry.
    pub fn add_table(&mut self, table: usize, key: &Key, span: Span, draft: Draft) -> usize {
        let inner = self.add(draft);
        self.add_entry(
            table,
            DraftEntry::new(key.clone(), span, DraftValue::Table(inner)),
        );
        inner
    }

    /// Adds an array of tables with its first item to `table`, under a key that it lacks.
    pub fn add_item(&mut self, table: usize, key: &Key, item: Draft) -> usize {
        let span = item.span;
        let inner = self.add(item);
        let value = DraftValue::Tables(vec![inner]);
        self.add_entry(table, DraftEntry::new(key.clone(), span, value));
        inner
    }

    /// Adds an item to the array of tables that is entry `at` of `table`.
    pub fn push_item(&mut self, table: usize, at: usize, item: Draft) -> usize {
        let inner = self.add(item);
        if let DraftValue::Tables(items) = &mut self.list[table].entries[at].value {
            items.push(inner);
        }
        inner
    }

    /// Makes the table `inner`, entry `at` of `table`, the first item of an array of tables.
    pub fn make_array(&mut self, table: usize, at: usize, inner: usize) {
        self.list[table].entries[at].value = DraftValue::Tables(vec![inner]);
    }

    /// Puts `draft` in the place of what entry `at` of `table` is.
    pub fn replace_by_table(
        &mut self,
        table: usize,
        at: usize,
        key: &Key,
        span: Span,
        draft: Draft,
    ) -> usize {
        let inner = self.add(draft);
        self.replace(table, at, key, span, DraftValue::Table(inner));
        inner
    }

    /// Puts an array of tables with the item `item` in the place of what entry `at` of `table` is.
    pub fn replace_by_item(&mut self, table: usize, at: usize, key: &Key, item: Draft) -> usize {
        let span = item.span;
        let inner = self.add(item);
        self.replace(table, at, key, span, DraftValue::Tables(vec![inner]));
        inner
    }

    fn replace(&mut self, table: usize, at: usize, key: &Key, span: Span, value: DraftValue) {
        let entry = &mut self.list[table].entries[at];
        entry.value = value;
        entry.span = span;
        entry.give_way(key);
    }

    /// Makes the implicit table `inner`, entry `at` of `table`, one with the header at `header`.
    pub fn define(&mut self, table: usize, at: usize, inner: usize, header: Span) {
        self.list[table].entries[at].span = header;
        let draft = &mut self.list[inner];
        draft.form = Form::Header;
        draft.span = header;
        draft.extent = header;
    }

    /// The root with all that is in it.
    pub fn finish(mut self) -> Table {
        self.table(Self::ROOT)
    }

    fn table(&mut self, number: usize) -> Table {
        let draft = &mut self.list[number];
        let (form, span, extent) = (draft.form, draft.span, draft.extent);
        let entries = std::mem::take(&mut draft.entries);
        Table {
            form,
            span,
            extent,
            entries: entries.into_iter().map(|entry| self.entry(entry)).collect(),
        }
    }

    fn entry(&mut self, draft: DraftEntry) -> Entry {
        let value = match draft.value {
            DraftValue::Node(node) => node,
            DraftValue::Table(inner) => {
                let table = self.table(inner);
                Node {
                    span: table.span,
                    kind: NodeKind::Table(table.into()),
                }
            }
            DraftValue::Tables(items) => {
                let tables: Vec<Table> = items.into_iter().map(|item| self.table(item)).collect();
                Node {
                    span: tables[0].span,
                    kind: NodeKind::Tables(tables),
                }
            }
        };
        Entry {
            key: draft.key,
            mentions: draft.mentions,
            span: draft.span,
            value,
        }
    }
}

impl Index<usize> for Drafts {
    type Output = Draft;

    fn index(&self, number: usize) -> &Draft {
        &self.list[number]
    }
}

impl IndexMut<usize> for Drafts {
    fn index_mut(&mut self, number: usize) -> &mut Draft {
        &mut self.list[number]
    }
}
