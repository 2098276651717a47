//! Patterns with wildcards in `access` and `middlewares`: they mention every tool that they match.

use crate::check::Analysis;
use crate::definition::{Pattern, Spanned, Target};
use crate::text::Span;

/// A pattern that is a glob.
pub struct WrittenPattern<'a> {
    /// The string.
    pub written: &'a Spanned<String>,
    /// What it is.
    pub pattern: Pattern,
    /// The list that it stands in: `access.allow`.
    pub list: &'static str,
    /// Whether it is tried on the name of an entry too, and not only on what the model sees.
    also_entries: bool,
}

impl WrittenPattern<'_> {
    /// Whether it matches a tool of this name: of an entry, or as the model sees it.
    pub fn matches(&self, name: &str, is_produced: bool) -> bool {
        (is_produced || self.also_entries) && self.pattern.matches(name.trim())
    }

    /// Everything that it matches, in declared order, each tool or produced name once.
    pub fn targets(&self, analysis: &Analysis) -> Vec<Target> {
        let mut targets = Vec::new();
        for (index, tool) in analysis.definition.tools.iter().enumerate() {
            let before = targets.len();
            if tool.produces.is_missing() {
                for name in tool.produced_names().unwrap_or_default() {
                    if self.matches(name.value, true) {
                        targets.push(Target::Tool(index));
                    }
                }
            }
            let produces = tool.produces.get().into_iter().flatten().enumerate();
            for (name, item) in produces {
                if item.get().is_some_and(|name| self.matches(name, true)) {
                    targets.push(Target::Produced { tool: index, name });
                }
            }
            if targets.len() == before && self.matches(tool.name.text(), false) {
                targets.push(Target::Tool(index));
            }
        }
        let delegates = analysis.definition.delegates.get().into_iter().flatten();
        for (index, item) in delegates.enumerate() {
            if item.get().is_some_and(|name| self.matches(name, true)) {
                targets.push(Target::Delegate(index));
            }
        }
        targets
    }
}

/// Every pattern of `access` and of middlewares that is a glob, names without wildcards among them.
pub fn patterns(analysis: &Analysis) -> Vec<WrittenPattern<'_>> {
    let definition = &analysis.definition;
    let access = definition.access.get();
    let access = access.into_iter().flat_map(|access| {
        [
            ("access.allow", &access.allow, false),
            ("access.ask", &access.ask, true),
            ("access.deny", &access.deny, true),
        ]
    });
    let middlewares = definition.middlewares.iter();
    let middlewares = middlewares.map(|middleware| ("middlewares.tools", &middleware.tools, false));
    let patterns = access
        .chain(middlewares)
        .flat_map(|(list, items, also_entries)| {
            items.items().filter_map(move |written| {
                Some(WrittenPattern {
                    written,
                    pattern: Pattern::new(&written.value).ok()?,
                    list,
                    also_entries,
                })
            })
        });
    patterns.collect()
}

/// The pattern with wildcards under the cursor.
pub fn pattern_at(analysis: &Analysis, offset: usize) -> Option<WrittenPattern<'_>> {
    let touched = |span: Span| span.touches(offset);
    patterns(analysis)
        .into_iter()
        .find(|found| touched(found.written.span) && found.pattern.literal().is_none())
}
