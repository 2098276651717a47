//! Lays statements into the tables that they mean.

use super::draft::{Draft, DraftEntry, DraftValue, Drafts};
use super::errors::Errors;
use super::{
    Form, Header, InlineTable, Key, KeyValue, Node, NodeKind, Statement, SyntaxError, Table, Tree,
    Value, ValueKind,
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
        let mut errors = Errors::default();
        let root = Draft::new(Form::Root, Span::empty(0), tree.span);
        let mut builder = Builder {
            drafts: Drafts::new(root),
            errors: &mut errors,
            current: Drafts::ROOT,
            quiet: false,
            open: Vec::new(),
            last_end: 0,
        };
        for statement in &tree.statements {
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
                            let message = no_table(&key.name, node);
                            let first = entry.key.span;
                            self.errors.report_related(
                                key.span,
                                message,
                                first,
                                set_here(&key.name),
                            );
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
        let name = &key.name;
        let dotted_name = dotted(&header.keys);
        match &mut entry.value {
            DraftValue::Node(node) if node.kind == NodeKind::Missing => Some(if header.array {
                self.drafts.replace_by_item(parent, at, key, draft)
            } else {
                self.drafts
                    .replace_by_table(parent, at, key, header.span, draft)
            }),
            DraftValue::Node(node) => {
                let message = match (&node.kind, header.array) {
                    (NodeKind::Array(_), true) => format!(
                        "`{name}` is an array already; write this item in it, or remove the array"
                    ),
                    _ => no_table(name, node),
                };
                self.errors
                    .report_related(key.span, message, first, set_here(name));
                None
            }
            DraftValue::Tables(_) => {
                if !header.array {
                    self.errors.report_related(
                        keys_span(&header.keys),
                        format!(
                            "`{name}` is an array of tables; the header of an item is \
                             `[[{dotted_name}]]`"
                        ),
                        first,
                        set_here(name),
                    );
                }
                Some(self.drafts.push_item(parent, at, draft))
            }
            DraftValue::Table(table) => {
                let table = *table;
                let (form, sealed) = (self.drafts[table].form, self.drafts[table].sealed);
                if header.array {
                    return self.item_after_table(header, parent, at, table);
                }
                if form == Form::Implicit && !sealed {
                    self.drafts.define(parent, at, table, header.span);
                    return Some(table);
                }
                let (message, other, what) = if form == Form::Header {
                    (
                        format!("`[{dotted_name}]` stands here twice; put its keys together"),
                        self.drafts[table].span,
                        "the first one".to_owned(),
                    )
                } else {
                    (
                        format!("`{name}` is made by dotted keys already; put these keys there"),
                        first,
                        set_here(name),
                    )
                };
                self.errors
                    .report_related(keys_span(&header.keys), message, other, what);
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
        let name = dotted(&header.keys);
        let draft = &self.drafts[table];
        let (message, span) = match draft.form {
            Form::Header => (
                format!(
                    "`[{name}]` is one table already; for several, write `[[{name}]]` there too"
                ),
                draft.span,
            ),
            Form::Implicit => (
                format!("a header above belongs to `{name}` already; `[[{name}]]` comes before it"),
                draft.span,
            ),
            _ => (
                format!("`{name}` is made by dotted keys already, as one table"),
                draft.span,
            ),
        };
        let writable = draft.form != Form::Dotted && !draft.sealed;
        let key = &header.keys[header.keys.len() - 1];
        self.errors
            .report_related(keys_span(&header.keys), message, span, set_here(&key.name));
        writable.then(|| {
            self.drafts.make_array(parent, at, table);
            let item = Draft::new(Form::Header, header.span, header.span);
            self.drafts.push_item(parent, at, item)
        })
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

    fn pair_path(&mut self, table: usize, path: &[Key], pair: &KeyValue) -> Option<usize> {
        let mut table = table;
        for (index, key) in path.iter().enumerate() {
            let whole = Span::new(key.span.start, pair.span.end);
            let made = || Draft::new(Form::Dotted, key.span, whole);
            table = match self.drafts.find(table, &key.name) {
                None => self.drafts.add_table(table, key, whole, made()),
                Some(at) => {
                    let entry = self.drafts.mention(table, at, key);
                    let first = entry.key.span;
                    let name = &key.name;
                    let next = &pair.keys[index + 1].name;
                    let message = match &entry.value {
                        DraftValue::Node(node) if node.kind == NodeKind::Missing => {
                            table = self.drafts.replace_by_table(table, at, key, whole, made());
                            continue;
                        }
                        DraftValue::Node(node) => match node.kind {
                            NodeKind::Table(_) => inline_is_complete(name, next),
                            _ => format!(
                                "`{name}` is {}, so it cannot have the key `{next}`",
                                describe(&node.kind)
                            ),
                        },
                        DraftValue::Tables(_) => format!(
                            "`{name}` is an array of tables; write this key below one of its headers"
                        ),
                        DraftValue::Table(inner) => {
                            let inner = *inner;
                            let draft = &mut self.drafts[inner];
                            if draft.form != Form::Header {
                                draft.sealed = true;
                                if draft.form == Form::Dotted {
                                    draft.extent = draft.extent.cover(whole);
                                }
                                table = inner;
                                continue;
                            }
                            format!("`{name}` has a header; write this key below it")
                        }
                    };
                    self.errors
                        .report_related(key.span, message, first, set_here(name));
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
        let name = &key.name;
        let message = match entry.value {
            DraftValue::Node(_) => format!("`{name}` is set twice; remove one of them"),
            DraftValue::Table(_) => format!("`{name}` is a table already; remove one of them"),
            DraftValue::Tables(_) => {
                format!("`{name}` is an array of tables already; remove one of them")
            }
        };
        let first = entry.key.span;
        self.errors
            .report_related(key.span, message, first, set_here(name));
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
            ValueKind::InlineTable(table) => NodeKind::Table(self.inline(table, value.span)),
            ValueKind::Missing => NodeKind::Missing,
            ValueKind::Bad => NodeKind::Bad,
        };
        Node {
            span: value.span,
            kind,
        }
    }

    fn inline(&mut self, table: &InlineTable, span: Span) -> Table {
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

fn keys_span(keys: &[Key]) -> Span {
    Span::new(keys[0].span.start, keys[keys.len() - 1].span.end)
}

fn dotted(keys: &[Key]) -> String {
    let names: Vec<String> = keys
        .iter()
        .map(|key| super::render::key(&key.name))
        .collect();
    names.join(".")
}

fn set_here(name: &str) -> String {
    format!("`{name}` is set here")
}

fn inline_is_complete(name: &str, next: &str) -> String {
    format!("`{name}` is an inline table, which its braces complete; write `{next}` inside them")
}

fn no_table(name: &str, node: &Node) -> String {
    match node.kind {
        NodeKind::Table(_) => format!(
            "`{name}` is an inline table, which its braces complete; write what follows inside them"
        ),
        _ => format!(
            "`{name}` is {} already, so it cannot be a table",
            describe(&node.kind)
        ),
    }
}

fn describe(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::String(_) => "a string",
        NodeKind::Integer(_) | NodeKind::Float(_) => "a number",
        NodeKind::Boolean(_) => "a boolean",
        NodeKind::Datetime(_) => "a date or time",
        NodeKind::Array(_) => "an array",
        NodeKind::Tables(_) => "an array of tables",
        NodeKind::Table(_) => "a table",
        NodeKind::Missing | NodeKind::Bad => "a value",
    }
}
