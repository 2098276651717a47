//! Patterns of tools: `invalid_value` for one that is no glob, `unmatched_pattern`, `irreversible_allowed`.

use super::{did_you_mean, hint, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{Definition, Effect, List, Pattern, Spanned, Tool};
use crate::syntax::render;
use crate::text::{Set, Span, Text};

/// How often a pattern with wildcards is tried on a name in all; a file with more of both gets no advice on the rest.
const MOST_TRIALS: usize = 1_000_000;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    if let Some(access) = definition.access.get() {
        // A `deny` that fits nothing is caution, not a mistake.
        let deny = patterns(&access.deny, found);
        let ask = patterns(&access.ask, found);
        let allow = patterns(&access.allow, found);
        let mut trials = Trials(MOST_TRIALS);
        let tools = Tools::of(analysis);
        for pattern in &ask {
            tools.unmatched(pattern, true, &mut trials, found);
        }
        let irreversible = irreversible(definition, deny.iter().chain(&ask), &mut trials);
        for pattern in &allow {
            tools.unmatched(pattern, false, &mut trials, found);
            irreversible_allowed(pattern, &irreversible, &mut trials, found);
        }
    }
    for middleware in &definition.middlewares {
        patterns(&middleware.tools, found);
    }
}

/// A pattern as it is written, and what it is.
type Written<'a> = (&'a Spanned<Text>, Pattern);

/// The patterns of `list` that are globs; the others are reported.
fn patterns<'a>(list: &'a List<Text>, found: &mut Vec<Diagnostic>) -> Vec<Written<'a>> {
    let mut patterns = Vec::new();
    for written in list.items() {
        let message = match (written.value.trim(), Pattern::new(&written.value)) {
            ("", _) => "the pattern is blank; name a tool, or remove it".to_owned(),
            (_, Ok(pattern)) => {
                patterns.push((written, pattern));
                continue;
            }
            (shown, Err(problem)) => format!(
                "`{}` is no name or pattern of tools: {problem}",
                shown.escape_debug()
            ),
        };
        found.push(Diagnostic::new(Code::InvalidValue, written.span, message));
    }
    patterns
}

/// How many trials are left.
struct Trials(usize);

impl Trials {
    /// Whether `pattern` matches `name`; `None` when there were too many trials already.
    fn matches(&mut self, pattern: &Pattern, name: &str) -> Option<bool> {
        self.0 = self.0.checked_sub(1)?;
        Some(pattern.matches(name))
    }
}

/// What patterns are tried on.
struct Tools<'a> {
    analysis: &'a Analysis,
    /// Whether the tools are all known from the text: those of a server and delegates only a bind tells.
    all_known: bool,
    produced: Vec<&'a str>,
}

impl<'a> Tools<'a> {
    fn of(analysis: &'a Analysis) -> Self {
        let tools = &analysis.definition.tools;
        let produced = tools.iter().map(Tool::produced_names);
        Self {
            analysis,
            all_known: analysis.definition.delegates.is_missing()
                && produced.clone().all(|names| names.is_some()),
            produced: produced
                .flat_map(Option::unwrap_or_default)
                .map(|name| name.value)
                .collect(),
        }
    }

    fn matches(&self, pattern: &Pattern, also_entries: bool, trials: &mut Trials) -> bool {
        let names = &self.analysis.names;
        if let Some(name) = pattern.literal() {
            return names.produced(name).is_some() || also_entries && names.tool(name).is_some();
        }
        let entries = self.analysis.definition.tools.iter();
        let entries = entries.map(|tool| tool.name.text().trim());
        let mut candidates = self
            .produced
            .iter()
            .copied()
            .chain(entries.filter(|_| also_entries));
        candidates.any(|name| trials.matches(pattern, name).unwrap_or(true))
    }

    fn unmatched(
        &self,
        (written, pattern): &Written,
        also_entries: bool,
        trials: &mut Trials,
        found: &mut Vec<Diagnostic>,
    ) {
        if !self.all_known || self.matches(pattern, also_entries, trials) {
            return;
        }
        let meant = match worth_guessing(found) {
            true => did_you_mean(&written.value, self.produced.iter().copied()),
            false => None,
        };
        let shown = written.value.escape_debug();
        let message = format!("`{shown}` fits no tool{}", hint(meant));
        found.push(
            Diagnostic::new(Code::UnmatchedPattern, written.span, message)
                .with_meant(meant, render::string),
        );
    }
}

/// A name whose calls cannot be undone, with the place of its effect.
type Irreversible<'a> = (&'a str, Span);

/// The names whose calls cannot be undone, but for those that `others` deny or ask about anyway: they are no surprise.
fn irreversible<'a>(
    definition: &'a Definition,
    others: impl Iterator<Item = &'a Written<'a>>,
    trials: &mut Trials,
) -> Vec<Irreversible<'a>> {
    let (mut literals, mut globs) = (Set::default(), Vec::new());
    for (_, other) in others {
        match other.literal() {
            Some(name) => drop(literals.insert(name)),
            None => globs.push(other),
        }
    }
    let mut otherwise = |name: &str| {
        let mut globs = globs.iter();
        literals.contains(name) || globs.any(|glob| trials.matches(glob, name).unwrap_or(true))
    };
    let tools = definition.tools.iter();
    tools
        .filter(|tool| tool.effect() == Effect::Irreversible)
        .flat_map(|tool| {
            let span = tool.effect.span().unwrap_or(tool.span);
            let names = tool.produced_names().unwrap_or_default();
            names.into_iter().map(move |name| (name.value, span))
        })
        .filter(|(name, _)| !otherwise(name))
        .collect()
}

fn irreversible_allowed(
    (written, pattern): &Written,
    irreversible: &[Irreversible],
    trials: &mut Trials,
    found: &mut Vec<Diagnostic>,
) {
    let mut names = irreversible.iter();
    let hit = names.find(|(name, _)| trials.matches(pattern, name).unwrap_or(false));
    if let Some((name, span)) = hit {
        let message = format!(
            "`{}` cannot be undone, so a person is asked each time all the same",
            name.escape_debug()
        );
        found.push(
            Diagnostic::new(Code::IrreversibleAllowed, written.span, message)
                .with_related(*span, "its effect"),
        );
    }
}
