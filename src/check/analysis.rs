//! Everything that a text alone says, made once per version.

use super::{Code, Diagnostic, Fix, allows, edits, rules};
use crate::definition::{Definition, Names, StringPlaces, Surroundings, lower};
use crate::syntax::{self, SyntaxError, Table, Tree};
use crate::text::{Span, apply_edits};
use ropey::Rope;
use std::ops::Range;

/// The largest text that is looked into, in bytes.
pub const LARGEST_TEXT: usize = 4 << 20;

/// The most diagnostics of one file.
pub const MOST_DIAGNOSTICS: usize = 500;

/// What one text says: a pure function of it.
#[derive(Debug)]
pub struct Analysis {
    /// The text; empty where it is larger than [`LARGEST_TEXT`].
    pub text: String,
    /// The same text with its lines.
    pub rope: Rope,
    /// Its statements.
    pub tree: Tree,
    /// What in it is not TOML.
    pub syntax_errors: Vec<SyntaxError>,
    /// Its tables.
    pub table: Table,
    /// Its definition.
    pub definition: Definition,
    /// Its names.
    pub names: Names,
    /// What the text alone decides, in order of the text, before allowances.
    pub diagnostics: Vec<Diagnostic>,
}

impl Analysis {
    /// Analyses the text of `rope`.
    pub fn new(rope: Rope) -> Self {
        Self::of(rope, syntax::parse)
    }

    /// The same as [`Analysis::new`], in less time where `earlier` is of a text that is much the same. It takes the
    /// statements of `earlier`, which is good for nothing after it.
    pub fn after(earlier: &mut Self, rope: Rope) -> Self {
        let tree = std::mem::take(&mut earlier.tree);
        Self::of(rope, |text| syntax::reparse(tree, &earlier.text, text))
    }

    fn of(rope: Rope, parse: impl FnOnce(&str) -> (Tree, Vec<SyntaxError>)) -> Self {
        let too_large = rope.len_bytes() > LARGEST_TEXT;
        let text = if too_large {
            String::new()
        } else {
            String::from(&rope)
        };
        let (tree, mut syntax_errors) = parse(&text);
        let (table, conflicts) = Table::build(&tree);
        syntax_errors.extend(conflicts);
        let definition = lower(&table);
        let names = Names::of(&definition, &text);
        let mut analysis = Self {
            text,
            rope,
            tree,
            syntax_errors,
            table,
            definition,
            names,
            diagnostics: Vec::new(),
        };
        if too_large {
            let message = "the file is larger than 4 MiB and was not looked at; no definition needs that much";
            analysis.diagnostics = vec![Diagnostic::new(Code::Syntax, Span::empty(0), message)];
        } else {
            analysis.diagnostics = rules::check_text(&analysis);
            cut(&mut analysis.diagnostics);
        }
        analysis
    }

    /// What the text and `surroundings` decide together, in order of the text: the diagnostics people see.
    pub fn diagnostics_in(&self, surroundings: &dyn Surroundings) -> Vec<Diagnostic> {
        let mut found = self.diagnostics.clone();
        rules::check_surroundings(self, surroundings, &mut found);
        found.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
        let mut found = allows::apply(self, found);
        cut(&mut found);
        found
    }

    /// What would put `diagnostic` right, the likeliest first. Every fix was tried: the text parses after it as before.
    pub fn fixes(&self, diagnostic: &Diagnostic) -> Vec<Fix> {
        let fixes = diagnostic.remedies.iter().filter_map(|remedy| {
            let edits = edits::of(self, diagnostic.span, &remedy.change);
            let changed = apply_edits(&self.text, &edits)?;
            let (tree, errors) = syntax::parse(&changed);
            let errors = errors.len() + Table::build(&tree).1.len();
            let as_before = !edits.is_empty() && errors <= self.syntax_errors.len();
            as_before.then(|| Fix {
                title: remedy.title.clone(),
                edits,
                certain: remedy.certain,
            })
        });
        fixes.collect()
    }

    /// The first byte after a byte order mark: where something is said about the whole file.
    pub(crate) fn start(&self) -> usize {
        if self.text.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        }
    }

    /// The place of the bytes `range` of the string that stands at `span`, quotes included; the whole string where
    /// they are not whole characters of it.
    pub(crate) fn within(&self, span: Span, range: &Range<usize>) -> Span {
        StringPlaces::new(&self.text, span)
            .and_then(|mut places| places.place(range))
            .unwrap_or(span)
    }
}

/// Leaves the most diagnostics of one file: errors first, so that a cut never makes a faulty definition look right.
fn cut(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() > MOST_DIAGNOSTICS {
        diagnostics.sort_by_key(|diagnostic| diagnostic.severity);
        diagnostics.truncate(MOST_DIAGNOSTICS);
        diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    }
}
