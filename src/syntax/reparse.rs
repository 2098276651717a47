//! Parsing a text again after an edit, at the price of the part that was edited.
//!
//! What stands before the header above the edit, and what stands from the header below it on, is kept; only what lies
//! between is parsed. This finds what parsing the whole text finds, for four reasons:
//!
//! - What was read before the line of a header does not depend on what follows, unless a string was left open there.
//! - A part without a fault that begins with the line of a header is read in one way whatever stands before it, unless
//!   something is open there: lines are passed over after a fault only, and how deep keys lie is counted from the
//!   header.
//! - A bracket that was left open ends before the next header that can be nothing else, and the header below is such
//!   a one. What such a bracket lets pass further down counts as a fault.
//! - Where a string in three quotes is left open or swallows what follows, or not every fault is told, the whole text
//!   is parsed.
//!
//! The tests hold it to [`parse`], edit by edit.

use super::lex::Strings;
use super::parse::{Around, Attempt, attempt, parse};
use super::structure::is_certain_header;
use super::{Key, KeyValue, Statement, SyntaxError, Tree, Value, ValueKind};
use crate::text::Span;
use std::ops::Range;

/// How far what is wrong in a text reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Faults {
    /// Nothing is wrong.
    #[default]
    None,
    /// All errors are here, and the statements that stand wholly outside have nothing to do with them.
    Within(Span),
    /// A string was left open, so that what follows may have been taken for a part of it; or not all is told.
    Anywhere,
}

/// What [`reparse`] found.
#[derive(Clone, Debug)]
pub struct Reparsed {
    /// The same as [`parse`] finds.
    pub tree: Tree,
    /// The same as [`parse`] finds.
    pub errors: Vec<SyntaxError>,
    /// What is other than before; `None` where everything may be.
    pub change: Option<Change>,
}

/// What stands in the place of what in the statements of a tree.
#[derive(Clone, Debug)]
pub struct Change {
    /// The statements that are no more.
    pub(super) removed: Vec<Statement>,
    /// Indexes of those that are there instead.
    pub(super) added: Range<usize>,
    /// By how many bytes those after them moved.
    pub(super) by: isize,
}

/// What [`parse`] finds in `text`, in less time: `old` is what it found in `old_text`, a text that is much the same.
pub fn reparse(old: Tree, old_text: &str, text: &str) -> Reparsed {
    let Some(part) = Part::new(&old, old_text, text) else {
        return Reparsed::of_all(text);
    };
    let around = Around {
        depth: part.depth,
        header_follows: part.new.end < text.len(),
    };
    let attempt = attempt(part.new.of(text), Strings::AsWritten, around);
    let reaches_out = attempt.tree.faults == Faults::Anywhere && part.new.end < text.len();
    if reaches_out || attempt.swallows {
        return Reparsed::of_all(text);
    }
    part.put_into(old, attempt, text.len())
}

impl Reparsed {
    fn of_all(text: &str) -> Self {
        let (tree, errors) = parse(text);
        Self {
            tree,
            errors,
            change: None,
        }
    }
}

/// The part of a text that is parsed again: from the line of a header, or the beginning of the text, up to the line of
/// another one, or the end.
struct Part {
    /// Where it was.
    old: Span,
    /// Where it is.
    new: Span,
    /// How deep the header before it leads.
    depth: usize,
}

impl Part {
    /// The smallest part with all that is new or was wrong, if there is such a thing.
    fn new(old: &Tree, old_text: &str, text: &str) -> Option<Self> {
        let same_head = common_head(old_text.as_bytes(), text.as_bytes());
        let most = old_text.len().min(text.len()) - same_head;
        let same_tail = common_tail(old_text.as_bytes(), text.as_bytes()).min(most);
        let mut changed = Span::new(same_head, old_text.len() - same_tail);
        match old.faults {
            Faults::None => {}
            Faults::Within(span) => changed = changed.cover(span),
            Faults::Anywhere => return None,
        }
        let headers = || old.statements.iter().filter_map(Statement::header);
        // Where its line begins, if nothing but blanks stands before it.
        let line = |header: &super::Header| {
            let before = &old_text[..header.span.start];
            let start = before.trim_end_matches([' ', '\t']).len();
            old_text[..start].ends_with('\n').then_some(start)
        };
        let above = headers()
            .rev()
            .filter(|header| header.span.start <= changed.start);
        let start = above.filter_map(line).find(|start| *start <= changed.start);
        // The line break before it is as it was, too.
        let below = headers().filter(|header| {
            header.span.start >= changed.end && is_certain_header(header.span.of(old_text))
        });
        let end = below.filter_map(line).find(|end| *end > changed.end);
        let (start, end) = (start.unwrap_or(0), end.unwrap_or(old_text.len()));
        let before = headers().rev().find(|header| header.span.start < start);
        let part = Self {
            old: Span::new(start, end),
            new: Span::new(start, text.len() - (old_text.len() - end)),
            depth: before.map_or(0, |header| header.keys.len()),
        };
        // A byte order mark is one at the beginning only.
        let is_mark = start > 0 && part.new.of(text).starts_with('\u{feff}');
        (!is_mark).then_some(part)
    }

    /// `old` with what `attempt` found in this part in the place of what was there, and the rest moved to where it is.
    fn put_into(self, old: Tree, attempt: Attempt, len: usize) -> Reparsed {
        let Tree {
            mut statements,
            mut comments,
            ..
        } = old;
        let Attempt {
            tree: mut part,
            mut errors,
            ..
        } = attempt;
        let into_text = self.new.start as isize;
        part.statements
            .iter_mut()
            .for_each(|statement| statement.shift(into_text));
        part.comments
            .iter_mut()
            .for_each(|comment| comment.span.shift(into_text));
        for error in &mut errors {
            error.span.shift(into_text);
            if let Some((other, _)) = &mut error.related {
                other.shift(into_text);
            }
        }
        if let Faults::Within(span) = &mut part.faults {
            span.shift(into_text);
        }

        let by = self.new.end as isize - self.old.end as isize;
        let first = statements.partition_point(|statement| statement.span().start < self.old.start);
        let after = statements.partition_point(|statement| statement.span().start < self.old.end);
        if by != 0 {
            statements[after..]
                .iter_mut()
                .for_each(|statement| statement.shift(by));
        }
        let added = first..first + part.statements.len();
        let removed = statements.splice(first..after, part.statements).collect();
        let first = comments.partition_point(|comment| comment.span.start < self.old.start);
        let after = comments.partition_point(|comment| comment.span.start < self.old.end);
        comments[after..]
            .iter_mut()
            .for_each(|comment| comment.span.shift(by));
        comments.splice(first..after, part.comments);
        let tree = Tree {
            span: Span::new(0, len),
            statements,
            comments,
            faults: part.faults,
        };
        Reparsed {
            tree,
            errors,
            change: Some(Change { removed, added, by }),
        }
    }
}

/// So many bytes are compared at once.
const BLOCK: usize = 64;

/// How many bytes two texts have in common at their beginning.
fn common_head(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[same..].iter().zip(&other[same..]);
    same + rest.take_while(|(one, other)| one == other).count()
}

/// How many bytes two texts have in common at their end.
fn common_tail(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(one, other)| one == other).count();
    let rest = one[..one.len() - same].iter().rev();
    let rest = rest.zip(other[..other.len() - same].iter().rev());
    same + rest.take_while(|(one, other)| one == other).count()
}

impl Statement {
    /// Where it stands.
    pub(super) fn span(&self) -> Span {
        match self {
            Statement::Header(header) => header.span,
            Statement::KeyValue(pair) => pair.span,
        }
    }

    /// The header that it is.
    pub(super) fn header(&self) -> Option<&super::Header> {
        match self {
            Statement::Header(header) => Some(header),
            Statement::KeyValue(_) => None,
        }
    }

    fn shift(&mut self, by: isize) {
        match self {
            Statement::Header(header) => {
                header.span.shift(by);
                shift_keys(&mut header.keys, by);
            }
            Statement::KeyValue(pair) => pair.shift(by),
        }
    }
}

impl KeyValue {
    fn shift(&mut self, by: isize) {
        self.span.shift(by);
        shift_keys(&mut self.keys, by);
        if let Some(equals) = &mut self.equals {
            equals.shift(by);
        }
        self.value.shift(by);
    }
}

impl Value {
    fn shift(&mut self, by: isize) {
        self.span.shift(by);
        match &mut self.kind {
            ValueKind::Array(array) => array.items.iter_mut().for_each(|item| item.shift(by)),
            ValueKind::InlineTable(table) => {
                table.entries.iter_mut().for_each(|entry| entry.shift(by));
            }
            _ => {}
        }
    }
}

fn shift_keys(keys: &mut [Key], by: isize) {
    keys.iter_mut().for_each(|key| key.span.shift(by));
}
