//! Patterns with wildcards in `access` and `middlewares`: they mention every tool that they match.

use crate::check::Analysis;
use crate::definition::pattern::literal;
use crate::definition::{Pattern, Spanned, Target};
use crate::text::Text;

/// A pattern that is a glob.
pub struct WrittenPattern<'a> {
    /// The string.
    pub written: &'a Spanned<Text>,
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

/// Every pattern of `access` and of middlewares that is a glob and that is `wanted`.
pub fn patterns<'a>(
    analysis: &'a Analysis,
    wanted: impl Fn(&Spanned<Text>) -> bool,
) -> Vec<WrittenPattern<'a>> {
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
    let mut patterns = Vec::new();
    for (list, items, also_entries) in access.chain(middlewares) {
        for written in items.items().filter(|written| wanted(written)) {
            if let Ok(pattern) = Pattern::new(&written.value) {
                patterns.push(WrittenPattern {
                    written,
                    pattern,
                    list,
                    also_entries,
                });
            }
        }
    }
    patterns
}

/// Whether a pattern can match more than one name.
pub fn is_wild(written: &Spanned<Text>) -> bool {
    literal(&written.value).is_none()
}

/// The pattern with wildcards under the cursor.
pub fn pattern_at(analysis: &Analysis, offset: usize) -> Option<WrittenPattern<'_>> {
    let wanted = |written: &Spanned<Text>| written.span.touches(offset) && is_wild(written);
    patterns(analysis, wanted).pop()
}
