//! Everything that a text alone says, made once per version.

use super::{Code, Diagnostic, Fix, allows, edits, rules};
use crate::definition::provider::ProvidersInUse;
use crate::definition::{Definition, Mentions, Names, StringPlaces, Surroundings, lower};
use crate::syntax::{self, Reparsed, SyntaxError, Table, Tree};
use crate::text::{Span, apply_edits};
use ropey::Rope;
use std::ops::Range;
use std::sync::OnceLock;

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
    /// Where those begin that were found when the tables were laid out.
    conflicts_from: usize,
    /// Its tables.
    pub table: Table,
    /// Its definition.
    pub definition: Definition,
    /// Who has which name in it.
    pub names: Names,
    mentions: OnceLock<Mentions>,
    providers_in_use: OnceLock<ProvidersInUse>,
    /// What the text alone decides, in order of the text, before allowances.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a text is as TOML.
struct Read {
    tree: Tree,
    errors: Vec<SyntaxError>,
    table: Table,
    conflicts: Vec<SyntaxError>,
}

impl Read {
    fn all(text: &str) -> Self {
        let (tree, errors) = syntax::parse(text);
        let (table, conflicts) = Table::build(&tree);
        Self {
            tree,
            errors,
            table,
            conflicts,
        }
    }

    fn after(earlier: &mut Analysis, text: &str) -> Self {
        let old_tree = std::mem::take(&mut earlier.tree);
        let old_table = std::mem::take(&mut earlier.table);
        let old_conflicts = earlier.syntax_errors.split_off(earlier.conflicts_from);
        // It shares tables with the other, which are changed where they are once nobody else has them.
        earlier.definition = Definition::default();
        let Reparsed {
            tree,
            errors,
            change,
        } = syntax::reparse(old_tree, &earlier.text, text);
        let (table, conflicts) = match change {
            Some(change) => Table::build_again(old_table, old_conflicts, &tree, &change),
            None => Table::build(&tree),
        };
        Self {
            tree,
            errors,
            table,
            conflicts,
        }
    }
}

impl Analysis {
    /// Analyses the text of `rope`.
    pub fn new(rope: Rope) -> Self {
        Self::of(rope, Read::all)
    }

    /// The same as [`Analysis::new`], in less time where `earlier` is of a text that is much the same. It takes the
    /// statements and tables of `earlier`, which is good for nothing after it.
    pub fn after(earlier: &mut Self, rope: Rope) -> Self {
        Self::of(rope, |text| Read::after(earlier, text))
    }

    fn of(rope: Rope, read: impl FnOnce(&str) -> Read) -> Self {
        let too_large = rope.len_bytes() > LARGEST_TEXT;
        let text = if too_large {
            String::new()
        } else {
            String::from(&rope)
        };
        let Read {
            tree,
            errors: mut syntax_errors,
            table,
            conflicts,
        } = read(&text);
        let conflicts_from = syntax_errors.len();
        syntax_errors.extend(conflicts);
        let definition = lower(&table);
        let names = Names::of(&definition);
        let mut analysis = Self {
            text,
            rope,
            tree,
            syntax_errors,
            conflicts_from,
            table,
            definition,
            names,
            mentions: OnceLock::new(),
            providers_in_use: OnceLock::new(),
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

    /// Where its names stand; made when somebody asks, as few rules do.
    pub fn mentions(&self) -> &Mentions {
        self.mentions
            .get_or_init(|| Mentions::of(&self.definition, &self.names, &self.text))
    }

    /// Which providers serve its models, and which of them see a tool.
    pub(super) fn providers_in_use(&self) -> &ProvidersInUse {
        self.providers_in_use
            .get_or_init(|| ProvidersInUse::of(&self.definition))
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
