//! Laying out the tables again after an edit, at the price of the one that was edited.
//!
//! A definition is long because of its `[[tools]]`, and an edit is within one of them. What such an item holds is decided by
//! the statements from its header up to the next header that does not lead into it, as long as none further down adds to it;
//! and those statements decide nothing else. So that item is built anew, and the rest moved to where it is.
//!
//! The tests hold it to [`Table::build`], edit by edit.

use super::build::build;
use super::errors::MOST;
use super::reparse::Change;
use super::{Entry, Header, Key, Node, NodeKind, Statement, SyntaxError, Table, Tree};
use crate::text::Span;
use std::ops::Range;
use std::sync::Arc;

impl Table {
    /// What [`Table::build`] makes of `tree`, in less time: `old` and `old_errors` are what it made of the tree before
    /// `change`.
    pub fn build_again(
        old: Table,
        old_errors: Vec<SyntaxError>,
        tree: &Tree,
        change: &Change,
    ) -> (Table, Vec<SyntaxError>) {
        Item::with(change, tree, &old)
            .and_then(|item| item.put_into(old, old_errors, tree, change.by))
            .unwrap_or_else(|| Table::build(tree))
    }
}

/// The item of an array of tables of the root, in which all of a change is.
struct Item {
    /// Index of the array in the entries of the old root.
    entry: usize,
    /// Its index in that array.
    index: usize,
    /// Its statements.
    statements: Range<usize>,
    /// Where it was in the text, up to the header after it.
    old: Span,
}

impl Item {
    fn with(change: &Change, tree: &Tree, old: &Table) -> Option<Self> {
        let statements = &tree.statements;
        let changed = change.added.clone();
        let is_head = |at: &usize| head(&statements[*at]).is_some();
        let before = 0..changed.end.min(changed.start + 1);
        let begin = before.rev().find(is_head)?;
        let (header, name) = head(&statements[begin])?;
        let leads_into = |header: &Header| leads_into(header, name);

        // Of the header itself nothing else than its brackets may have changed.
        let mut removed = headers(&change.removed);
        if begin == changed.start {
            let was = change.removed.first().and_then(head);
            removed.next();
            let is_same = |(was, old_name): (&Header, &Key)| {
                was.span.start == header.span.start && old_name.name == name.name
            };
            was.filter(|was| is_same(*was))?;
        }
        if !removed.all(leads_into) || !headers(&statements[begin + 1..changed.end]).all(leads_into)
        {
            return None;
        }
        let is_end = |statement: &Statement| statement.header().is_some_and(|it| !leads_into(it));
        let rest = &statements[changed.end..];
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        let names_it =
            |header: &&Header| header.keys.first().is_some_and(|key| key.name == name.name);
        let next = headers(&rest[end..]).find(names_it);
        if next.is_some_and(|next| !next.array || next.keys.len() > 1) {
            return None;
        }

        let entry = old
            .entries
            .iter()
            .position(|entry| entry.key.name == name.name)?;
        let NodeKind::Tables(items) = &old.entries[entry].value.kind else {
            return None;
        };
        let start = header.span.start;
        let index = items
            .binary_search_by_key(&start, |item| item.span.start)
            .ok()?;
        let after = rest.get(end).map(|statement| statement.span().start);
        let old_end = after.map_or(old.extent.end, |after| {
            after.wrapping_add_signed(-change.by)
        });
        Some(Self {
            entry,
            index,
            statements: begin..changed.end + end,
            old: Span::new(start, old_end),
        })
    }

    /// `root` with this item built anew, and everything after it moved `by` so many bytes.
    fn put_into(
        self,
        mut root: Table,
        old_errors: Vec<SyntaxError>,
        tree: &Tree,
        by: isize,
    ) -> Option<(Table, Vec<SyntaxError>)> {
        let (own, own_errors) = build(&tree.statements[self.statements.clone()], tree.span);
        let [own] = <[Entry; 1]>::try_from(own.entries).ok()?;
        let NodeKind::Tables(mut items) = own.value.kind else {
            return None;
        };
        let item = items.pop().filter(|_| items.is_empty())?;
        let errors = self.errors(old_errors, own_errors, by)?;

        root.extent = tree.span;
        let moved = Moved {
            from: self.old.end,
            by,
        };
        let mut entries = root.entries.iter_mut().enumerate();
        entries
            .by_ref()
            .filter(|(at, _)| *at != self.entry)
            .for_each(|(_, entry)| moved.entry(entry));
        let entry = &mut root.entries[self.entry];
        self.put_names(entry, own.key, own.mentions, moved);
        if let NodeKind::Tables(items) = &mut entry.value.kind {
            items[self.index] = item;
            items[self.index + 1..]
                .iter_mut()
                .for_each(|item| moved.table(item));
            if self.index == 0 {
                entry.span = own.span;
                entry.value.span = own.value.span;
            }
        }
        Some((root, errors))
    }

    /// The places where the headers of the array name it: those of this item are `key` and `mentions` now.
    fn put_names(&self, entry: &mut Entry, key: Key, mut own: Vec<Span>, moved: Moved) {
        if self.is_here(entry.key.span) {
            entry.key = key;
        } else {
            own.insert(0, key.span);
            moved.span(&mut entry.key.span);
        }
        let mentions = &mut entry.mentions;
        let begin = mentions.partition_point(|mention| mention.start < self.old.start);
        let end = mentions.partition_point(|mention| mention.start < self.old.end);
        mentions[end..]
            .iter_mut()
            .for_each(|mention| moved.span(mention));
        mentions.splice(begin..end, own);
    }

    /// The errors there are now; `None` where one has to do with this item and with something else, or some may not be
    /// told.
    fn errors(
        &self,
        old: Vec<SyntaxError>,
        mut own: Vec<SyntaxError>,
        by: isize,
    ) -> Option<Vec<SyntaxError>> {
        let moved = Moved {
            from: self.old.end,
            by,
        };
        if old.len() + own.len() >= MOST {
            return None;
        }
        for mut error in old {
            let here = self.is_here(error.span);
            if let Some((other, _)) = &mut error.related {
                if self.is_here(*other) != here {
                    return None;
                }
                moved.span(other);
            }
            if !here {
                moved.span(&mut error.span);
                own.push(error);
            }
        }
        own.sort_by_key(|error| error.span);
        Some(own)
    }

    fn is_here(&self, span: Span) -> bool {
        self.old.start <= span.start && span.start < self.old.end
    }
}

fn headers(statements: &[Statement]) -> impl Iterator<Item = &Header> {
    statements.iter().filter_map(Statement::header)
}

/// A statement `[[name]]`.
fn head(statement: &Statement) -> Option<(&Header, &Key)> {
    let header = statement.header().filter(|header| header.array)?;
    match header.keys.as_slice() {
        [name] if !name.is_missing() => Some((header, name)),
        _ => None,
    }
}

/// Whether `header` is `[name.deeper]`, or `[[name.deeper]]`.
fn leads_into(header: &Header, name: &Key) -> bool {
    header.keys.len() > 1
        && header.keys[0].name == name.name
        && !header.keys.iter().any(Key::is_missing)
}

/// Moves what begins or ends behind a place.
#[derive(Clone, Copy)]
struct Moved {
    /// The place, where a statement begins.
    from: usize,
    /// How many bytes.
    by: isize,
}

impl Moved {
    fn span(self, span: &mut Span) {
        if span.start >= self.from {
            span.shift(self.by);
        } else if span.end > self.from {
            span.end = span.end.wrapping_add_signed(self.by);
        }
    }

    fn table(self, table: &mut Table) {
        if self.by == 0 {
            return;
        }
        self.span(&mut table.span);
        self.span(&mut table.extent);
        table.entries.iter_mut().for_each(|entry| self.entry(entry));
    }

    fn entry(self, entry: &mut Entry) {
        self.span(&mut entry.key.span);
        entry
            .mentions
            .iter_mut()
            .for_each(|mention| self.span(mention));
        self.span(&mut entry.span);
        self.node(&mut entry.value);
    }

    fn node(self, node: &mut Node) {
        self.span(&mut node.span);
        match &mut node.kind {
            NodeKind::Array(items) => items.iter_mut().for_each(|item| self.node(item)),
            NodeKind::Tables(tables) => tables.iter_mut().for_each(|table| self.table(table)),
            NodeKind::Table(table) => self.table(Arc::make_mut(table)),
            _ => {}
        }
    }
}
