//! The statements of a document, in the order in which they stand.

use super::reparse::Faults;
use crate::text::{Span, Text};
use smallvec::SmallVec;

/// What [`parse`](super::parse) understood of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// The whole text.
    pub span: Span,
    /// Headers and key-value pairs, in order of the text.
    pub statements: Vec<Statement>,
    /// All comments, in order of the text.
    pub comments: Vec<Comment>,
    pub(super) faults: Faults,
}

/// A comment from its `#` to the end of its line (line break excluded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands.
    pub span: Span,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `[table]` or `[[array of tables]]`.
    Header(Header),
    /// `key = value`.
    KeyValue(KeyValue),
}

/// `[a.b]` or `[[a.b]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// From the first bracket to the last one that is there.
    pub span: Span,
    /// Whether it has double brackets.
    pub array: bool,
    /// The dotted key; empty when none was written yet.
    pub keys: Keys,
}

/// A dotted key; nearly always of one part.
pub type Keys = SmallVec<[Key; 1]>;

/// One part of a dotted key. Where a part was not written yet, as after the dot of `limits.`, its name and its
/// span are empty (an empty key in quotes has a span).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// What it says, without quotes and escapes.
    pub name: Text,
    /// Where it stands, with its quotes.
    pub span: Span,
}

impl Key {
    /// Whether nothing was written where this part belongs.
    pub fn is_missing(&self) -> bool {
        self.span.is_empty()
    }
}

/// `a.b = value`, at top level or in an inline table.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValue {
    /// From the first key to the end of the value (or of the equals sign, or of the keys).
    pub span: Span,
    /// The dotted key, at least one part.
    pub keys: Keys,
    /// Where the equals sign stands, if it does.
    pub equals: Option<Span>,
    /// The value; `Missing` where none was written yet.
    pub value: Value,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Where it stands, with quotes and brackets; empty for `Missing`.
    pub span: Span,
    /// What it is.
    pub kind: ValueKind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    /// Any of the four kinds of string, decoded.
    String(Text),
    /// An integer that fits 64 bits.
    Integer(i64),
    /// A float, `inf` and `nan` included.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// Any date or time, as written.
    Datetime(Text),
    /// `[ … ]`.
    Array(Array),
    /// `{ … }`.
    InlineTable(InlineTable),
    /// Nothing stands where a value belongs.
    Missing,
    /// Something stands there that is no value; an error says so.
    Bad,
}

/// `[ … ]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The items, in order.
    pub items: Vec<Value>,
    /// Whether the closing bracket is there.
    pub closed: bool,
}

/// `{ … }`.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineTable {
    /// The pairs, in order.
    pub entries: Vec<KeyValue>,
    /// Whether the closing brace is there.
    pub closed: bool,
}

/// Something that is not TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The smallest place that is wrong.
    pub span: Span,
    /// What is wrong and what to do, in a person's words.
    pub message: String,
    /// The other place that has a part in it (the first of two equal keys), with what to say of it.
    pub related: Option<(Span, String)>,
}

impl SyntaxError {
    /// All that it points at.
    pub(super) fn place(&self) -> Span {
        let other = self.related.as_ref().map_or(self.span, |(other, _)| *other);
        self.span.cover(other)
    }
}
