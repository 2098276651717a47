//! Whether an edit changes what it means to change and nothing else.

use crate::syntax::{Key, KeyValue, Statement, Tree, Value, ValueKind};
use crate::text::Span;

/// Whether `after` says the same as `before` but for the keys and strings at `edited`, or around them: places of
/// `before`, in order.
pub fn differ_only_at(before: &Tree, after: &Tree, edited: &[Span]) -> bool {
    let edited = Edited(edited);
    before.comments.len() == after.comments.len()
        && all(&before.statements, &after.statements, |one, other| {
            match (one, other) {
                (Statement::Header(one), Statement::Header(other)) => {
                    one.array == other.array && edited.keys(&one.keys, &other.keys)
                }
                (Statement::KeyValue(one), Statement::KeyValue(other)) => edited.pair(one, other),
                _ => false,
            }
        })
}

/// Whether both have as many items, and `same` holds for each pair of them.
fn all<T>(before: &[T], after: &[T], mut same: impl FnMut(&T, &T) -> bool) -> bool {
    let mut pairs = before.iter().zip(after);
    before.len() == after.len() && pairs.all(|(one, other)| same(one, other))
}

struct Edited<'e>(&'e [Span]);

impl Edited<'_> {
    fn within(&self, span: Span) -> bool {
        let from = self.0.partition_point(|edited| edited.start < span.start);
        self.0
            .get(from)
            .is_some_and(|edited| span.contains(*edited))
    }

    fn keys(&self, before: &[Key], after: &[Key]) -> bool {
        all(before, after, |one, other| {
            one.name == other.name || self.within(one.span)
        })
    }

    fn pair(&self, before: &KeyValue, after: &KeyValue) -> bool {
        self.keys(&before.keys, &after.keys) && self.value(&before.value, &after.value)
    }

    fn value(&self, before: &Value, after: &Value) -> bool {
        match (&before.kind, &after.kind) {
            (ValueKind::String(one), ValueKind::String(other)) => {
                one == other || self.within(before.span)
            }
            (ValueKind::Array(one), ValueKind::Array(other)) => {
                one.closed == other.closed
                    && all(&one.items, &other.items, |one, other| {
                        self.value(one, other)
                    })
            }
            (ValueKind::InlineTable(one), ValueKind::InlineTable(other)) => {
                one.closed == other.closed
                    && all(&one.entries, &other.entries, |one, other| {
                        self.pair(one, other)
                    })
            }
            // Of `nan` it is enough that both are one.
            (ValueKind::Float(one), ValueKind::Float(other)) => one.to_bits() == other.to_bits(),
            (one, other) => one == other,
        }
    }
}
