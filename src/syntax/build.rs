//! Lays statements into the tables that they mean.

use super::draft::{Draft, DraftEntry, DraftValue, Drafts, SMALL};
use super::errors::Errors;
use super::{
    Entry, Form, Header, InlineTable, Key, KeyValue, Node, NodeKind, Statement, SyntaxError, Table,
    Tree, Value, ValueKind, conflict,
};
use crate::text::Span;

impl Table {
    /// The root table of `tree`, with an error for each key that is set twice and each table that cannot be where
    /// a header or a dotted key wants it, in order of the text.
    ///
    /// What is in error is left out; the first of two wins. Some cases are read as they were meant: the keys below
    /// a second `[a]` that the first lacks are added to it; `[a]` after `[[a]]` is one more item, and so are `[a]`
    /// and `[a.b]` before it. A key whose
    /// value is missing gives way to any other of its name, without an error.
    pub fn build(tree: &Tree) -> (Table, Vec<SyntaxError>) {
        build(&tree.statements, tree.span)
    }
}

/// The table that `statements` mean, as the root table of a text that is as long as `span`.
pub(super) fn build(statements: &[Statement], span: Span) -> (Table, Vec<SyntaxError>) {
    let mut errors = Errors::default();
    let root = Draft::new(Form::Root, Span::empty(0), span);
    let mut builder = Builder {
        drafts: Drafts::new(root),
        errors: &mut errors,
        current: Drafts::ROOT,
        quiet: false,
        open: Vec::new(),
        last_end: 0,
    };
    for statement in statements {
        match statement {
            Statement::Header(header) => builder.header(header),
            Statement::KeyValue(pair) => {
                builder.pair(builder.current, pair);
                builder.last_end = pair.span.end;
            }
        }
    }
    builder.close_tables(&[]);
    let root = builder.drafts.finish();
    (root, errors.into_sorted())
}

struct Builder<'e> {
    drafts: Drafts,
    errors: &'e mut Errors,
    /// The table that key-value pairs go into.
    current: usize,
    /// Whether errors below the last header are held back, because the header is in error.
    quiet: bool,
    /// The tables whose extent still grows.
    open: Vec<usize>,
    /// Where the last statement ended.
    last_end: usize,
}

impl Builder<'_> {
    fn header(&mut self, header: &Header) {
        if std::mem::take(&mut self.quiet) {
            self.errors.unmute();
        }
        let mut visited = Vec::with_capacity(header.keys.len());
        let found = match header.keys.split_last() {
            Some((last, path)) if !header.keys.iter().any(Key::is_missing) => self
                .header_path(header, path, &mut visited)
                .and_then(|parent| self.header_table(header, parent, last)),
            _ => None,
        };
        if let Some(table) = found {
            visited.push(table);
        }
        self.close_tables(&visited);
        for &table in &visited {
            let starts_here = self.drafts[table].extent.start == header.span.start;
            if starts_here && !self.open.contains(&table) {
                self.open.push(table);
            }
        }
        self.current = match found {
            Some(table) => table,
            None => {
                self.hold_back();
                self.drafts
                    .add(Draft::new(Form::Header, header.span, header.span))
            }
        };
        self.last_end = header.span.end;
    }

    /// Ends the extents of all open tables that are not in `kept`.
    fn close_tables(&mut self, kept: &[usize]) {
        let end = self.last_end;
        let drafts = &mut self.drafts;
        self.open.retain(|table| {
            let stays = kept.contains(table);
            if !stays {
                drafts[*table].extent.end = end;
            }
            stays
        });
    }

    /// Holds back errors up to the next header.
    fn hold_back(&mut self) {
        if !std::mem::replace(&mut self.quiet, true) {
            self.errors.mute();
        }
    }

    /// The table that the parts of a header before the last lead to.
    fn header_path(
        &mut self,
        header: &Header,
        path: &[Key],
        visited: &mut Vec<usize>,
    ) -> Option<usize> {
        let mut table = Drafts::ROOT;
        for key in path {
            let implicit = || Draft::new(Form::Implicit, key.span, header.span);
            table = match self.drafts.find(table, &key.name) {
                None => self.drafts.add_table(table, key, header.span, implicit()),
                Some(at) => {
                    let entry = self.drafts.mention(table, at, key);
                    match &entry.value {
                        DraftValue::Table(inner) => *inner,
                        DraftValue::Tables(items) => items[items.len() - 1],
                        DraftValue::Node(node) if node.kind == NodeKind::Missing => self
                            .drafts
                            .replace_by_table(table, at, key, header.span, implicit()),
                        DraftValue::Node(node) => {
                            let message = conflict::no_table(key, node);
                            let first = entry.key.span;
                            self.report(key.span, message, first, key);
                            return None;
                        }
                    }
                }
            };
            visited.push(table);
        }
        Some(table)
    }

    /// The table that a header itself opens in `parent`.
    fn header_table(&mut self, header: &Header, parent: usize, key: &Key) -> Option<usize> {
        let draft = Draft::new(Form::Header, header.span, header.span);
        let Some(at) = self.drafts.find(parent, &key.name) else {
            return Some(if header.array {
                self.drafts.add_item(parent, key, draft)
            } else {
                self.drafts.add_table(parent, key, header.span, draft)
            });
        };
        let entry = self.drafts.mention(parent, at, key);
        let first = entry.key.span;
        match &entry.value {
            DraftValue::Node(node) if node.kind == NodeKind::Missing => Some(if header.array {
                self.drafts.replace_by_item(parent, at, key, draft)
            } else {
                self.drafts
                    .replace_by_table(parent, at, key, header.span, draft)
            }),
            DraftValue::Node(node) => {
                let message = if header.array {
                    conflict::no_array(key, node)
                } else {
                    conflict::no_table(key, node)
                };
                self.report(key.span, message, first, key);
                None
            }
            DraftValue::Tables(_) => {
                if !header.array {
                    let message = conflict::one_of_many(&header.keys);
                    self.report(keys_span(&header.keys), message, first, key);
                }
                Some(self.drafts.push_item(parent, at, draft))
            }
            DraftValue::Table(table) => {
                let table = *table;
                let Draft { form, sealed, .. } = self.drafts[table];
                if header.array {
                    return self.item_after_table(header, parent, at, table);
                }
                if form == Form::Implicit && !sealed {
                    self.drafts.define(parent, at, table, header.span);
                    return Some(table);
                }
                let message = conflict::table_twice(&header.keys, form);
                let other = match form {
                    Form::Header => self.drafts[table].span,
                    _ => first,
                };
                self.report(keys_span(&header.keys), message, other, key);
                self.hold_back();
                Some(table)
            }
        }
    }

    /// `[[name]]` where `name` is a table already, entry `at` of `parent`.
    fn item_after_table(
        &mut self,
        header: &Header,
        parent: usize,
        at: usize,
        table: usize,
    ) -> Option<usize> {
        let Draft {
            form, span, sealed, ..
        } = self.drafts[table];
        let key = &header.keys[header.keys.len() - 1];
        let message = conflict::many_of_one(&header.keys, form);
        self.report(keys_span(&header.keys), message, span, key);
        (!sealed).then(|| {
            self.drafts.make_array(parent, at, table);
            let item = Draft::new(Form::Header, header.span, header.span);
            self.drafts.push_item(parent, at, item)
        })
    }

    /// An error at `span` that has to do with `key`, set at `other`.
    fn report(&mut self, span: Span, message: String, other: Span, key: &Key) {
        let what = conflict::set_here(key);
        self.errors.report_related(span, message, other, what);
    }

    /// Adds `pair` to `table`.
    fn pair(&mut self, table: usize, pair: &KeyValue) {
        if pair.keys.iter().any(Key::is_missing) {
            return;
        }
        let Some((last, path)) = pair.keys.split_last() else {
            return;
        };
        // Whoever is typing it has an error there already.
        let half_typed = pair.value.kind == ValueKind::Missing;
        if half_typed {
            self.errors.mute();
        }
        if let Some(parent) = self.pair_path(table, path, pair) {
            self.pair_value(parent, last, pair);
        }
        if half_typed {
            self.errors.unmute();
        }
    }

    /// The table that the parts of a dotted key before the last lead to.
    fn pair_path(&mut self, table: usize, path: &[Key], pair: &KeyValue) -> Option<usize> {
        let mut table = table;
        for (index, key) in path.iter().enumerate() {
            let whole = Span::new(key.span.start, pair.span.end);
            let made = || Draft::new(Form::Dotted, key.span, whole);
            let Some(at) = self.drafts.find(table, &key.name) else {
                table = self.drafts.add_table(table, key, whole, made());
                continue;
            };
            self.drafts.mention(table, at, key);
            let entry = self.drafts.entry_at(table, at);
            table = match &entry.value {
                DraftValue::Node(node) if node.kind == NodeKind::Missing => {
                    self.drafts.replace_by_table(table, at, key, whole, made())
                }
                &DraftValue::Table(inner) if self.drafts[inner].form != Form::Header => {
                    let draft = &mut self.drafts[inner];
                    draft.sealed = true;
                    if draft.form == Form::Dotted {
                        draft.extent = draft.extent.cover(whole);
                    }
                    inner
                }
                _ => {
                    let message = conflict::cannot_hold(key, &pair.keys[index + 1], &entry.value);
                    let first = entry.key.span;
                    self.report(key.span, message, first, key);
                    return None;
                }
            };
        }
        Some(table)
    }

    fn pair_value(&mut self, table: usize, key: &Key, pair: &KeyValue) {
        let span = Span::new(key.span.start, pair.span.end);
        let value = self.node(&pair.value);
        let Some(at) = self.drafts.find(table, &key.name) else {
            self.drafts.add_entry(
                table,
                DraftEntry::new(key.clone(), span, DraftValue::Node(value)),
            );
            return;
        };
        let entry = self.drafts.mention(table, at, key);
        if let DraftValue::Node(node) = &mut entry.value
            && node.kind == NodeKind::Missing
        {
            *node = value;
            entry.span = span;
            entry.give_way(key);
            return;
        }
        let message = conflict::set_twice(key, &entry.value);
        let first = entry.key.span;
        self.report(key.span, message, first, key);
    }

    fn node(&mut self, value: &Value) -> Node {
        let kind = match &value.kind {
            ValueKind::String(text) => NodeKind::String(text.clone()),
            ValueKind::Integer(number) => NodeKind::Integer(*number),
            ValueKind::Float(number) => NodeKind::Float(*number),
            ValueKind::Boolean(truth) => NodeKind::Boolean(*truth),
            ValueKind::Datetime(text) => NodeKind::Datetime(text.clone()),
            ValueKind::Array(array) => {
                NodeKind::Array(array.items.iter().map(|item| self.node(item)).collect())
            }
            ValueKind::InlineTable(table) => NodeKind::Table(self.inline(table, value.span).into()),
            ValueKind::Missing => NodeKind::Missing,
            ValueKind::Bad => NodeKind::Bad,
        };
        Node {
            span: value.span,
            kind,
        }
    }

    fn inline(&mut self, table: &InlineTable, span: Span) -> Table {
        if is_plain(&table.entries) {
            let entries = table.entries.iter().map(|pair| Entry {
                key: pair.keys[0].clone(),
                mentions: Vec::new(),
                span: Span::new(pair.keys[0].span.start, pair.span.end),
                value: self.node(&pair.value),
            });
            return Table {
                form: Form::Inline,
                span,
                extent: span,
                entries: entries.collect(),
            };
        }
        let mut builder = Builder {
            drafts: Drafts::new(Draft::new(Form::Inline, span, span)),
            errors: &mut *self.errors,
            current: Drafts::ROOT,
            quiet: false,
            open: Vec::new(),
            last_end: 0,
        };
        for pair in &table.entries {
            builder.pair(Drafts::ROOT, pair);
        }
        builder.drafts.finish()
    }
}

/// Whether `pairs` are entries as they stand: a few, none dotted and none twice, as they nearly always are.
fn is_plain(pairs: &[KeyValue]) -> bool {
    let is_new = |at: usize, name: &str| !pairs[..at].iter().any(|pair| pair.keys[0].name == name);
    pairs.len() <= SMALL
        && pairs.iter().enumerate().all(|(at, pair)| {
            pair.keys.len() == 1 && !pair.keys[0].is_missing() && is_new(at, &pair.keys[0].name)
        })
}

fn keys_span(keys: &[Key]) -> Span {
    Span::new(keys[0].span.start, keys[keys.len() - 1].span.end)
}
