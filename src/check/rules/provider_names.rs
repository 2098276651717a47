//! `tool_name_for_provider`: a name that a model's provider refuses, and with it the whole request.

use super::renaming::rename;
use super::{listed, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::provider::{NameRule, Provider, ProvidersInUse};
use crate::definition::{Definition, Spanned};
use crate::text::{Map, Span};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let in_use = analysis.providers_in_use();
    let names = names(&analysis.definition, in_use);
    let mut taken = None;
    for (name, providers) in &names {
        let refusing: Vec<Refusal> = providers
            .iter()
            .filter_map(|provider| Some((*provider, &provider.tool_names.as_ref()?.value)))
            .filter(|(_, rule)| !rule.takes(name.value))
            .collect();
        if !refusing.is_empty() {
            let taken = taken.get_or_insert_with(|| Taken::by(&names));
            let guess = worth_guessing(found);
            found.push(refused(analysis, *name, &refusing, taken, guess));
        }
    }
}

/// A provider with the rule that a name goes against.
type Refusal = (&'static Provider, &'static NameRule);

/// A name under which a model sees a tool, with the providers that see it.
type Seen<'a> = (Spanned<&'a str>, &'a [&'static Provider]);

/// The names that are taken, each with its place and the number that the next tool of this name would get.
#[derive(Default)]
struct Taken(Map<String, (Span, usize)>);

impl Taken {
    fn by(names: &[Seen]) -> Self {
        let mut taken = Self::default();
        for (name, _) in names {
            taken.take(name.value, name.span);
        }
        taken
    }

    fn take(&mut self, name: &str, span: Span) {
        self.0.entry(name.to_owned()).or_insert((span, 2));
    }

    /// `plain`, or with a number if it is taken, and where it is taken; `with_suffix` makes room for the number.
    fn free(
        &mut self,
        plain: &str,
        with_suffix: impl Fn(&str) -> String,
    ) -> (String, Option<Span>) {
        let Some((span, mut number)) = self.0.get(plain).copied() else {
            return (plain.to_owned(), None);
        };
        let mut free = with_suffix(&format!("_{number}"));
        while self.0.contains_key(&free) {
            number += 1;
            free = with_suffix(&format!("_{number}"));
        }
        self.0.insert(plain.to_owned(), (span, number + 1));
        (free, Some(span))
    }
}

/// All of them. What a server offers is not known yet.
fn names<'a>(definition: &'a Definition, in_use: &'a ProvidersInUse) -> Vec<Seen<'a>> {
    let of_tools = definition
        .tools
        .iter()
        .enumerate()
        .flat_map(|(index, tool)| {
            let names = tool.produced_names().unwrap_or_default();
            names
                .into_iter()
                .map(move |name| (name, in_use.of_tool(index)))
        });
    let of_delegates = definition.delegates.items().map(|delegate| {
        let value = delegate.value.trim();
        (
            Spanned {
                value,
                span: delegate.span,
            },
            in_use.all(),
        )
    });
    of_tools
        .chain(of_delegates)
        .filter(|(name, _)| !name.value.is_empty())
        .collect()
}

fn refused(
    analysis: &Analysis,
    name: Spanned<&str>,
    refusing: &[Refusal],
    taken: &mut Taken,
    guess: bool,
) -> Diagnostic {
    let plain = fitting(name.value, refusing);
    let longest = refusing.iter().map(|(_, rule)| rule.longest).min();
    let longest = longest.unwrap_or(plain.len());
    // A name that fits is ASCII, so bytes are characters.
    let with_suffix = |suffix: &str| {
        let kept = plain.len().min(longest.saturating_sub(suffix.len()));
        format!("{}{suffix}", &plain[..kept])
    };
    let (free, other) = taken.free(&plain, with_suffix);
    taken.take(&free, name.span);
    let message = format!(
        "{} the tool name `{}`: {}; `{free}` fits",
        refuse(refusing.iter().map(|(provider, _)| provider.name)),
        name.value.escape_debug(),
        reasons(name.value, refusing),
    );
    let diagnostic = match other {
        Some(span) => {
            let message = format!("{message}, for `{plain}` would be two tools");
            Diagnostic::new(Code::ToolNameForProvider, name.span, message)
                .with_related(span, format!("the other `{plain}`"))
        }
        None => Diagnostic::new(Code::ToolNameForProvider, name.span, message),
    };
    let repair = guess.then(|| rename(analysis, name.span, name.value, &free));
    match repair.flatten() {
        // Other programs may know the tool by its name, so nothing is renamed unasked.
        Some(repair) => diagnostic.with_guess(format!("Rename to `{free}`"), repair),
        None => diagnostic,
    }
}

/// The name near `name` that all of them take.
fn fitting(name: &str, refusing: &[Refusal]) -> String {
    let mut fits = name.to_owned();
    // Each round cuts the name or leaves fewer characters to replace.
    while let Some((_, rule)) = refusing.iter().find(|(_, rule)| !rule.takes(&fits)) {
        fits = rule.fit(&fits);
    }
    fits
}

/// `` `a` refuses ``, `` `a` and `b` refuse ``.
pub(super) fn refuse(providers: impl ExactSizeIterator<Item = &'static str>) -> String {
    let verb = if providers.len() == 1 {
        "refuses"
    } else {
        "refuse"
    };
    format!("{} {verb}", listed(providers))
}

/// What the name goes against; where providers differ, whose rule it is.
fn reasons(name: &str, refusing: &[Refusal]) -> String {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for (provider, rule) in refusing {
        let reason = rule.broken_by(name).join(" and ");
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, providers)) => providers.push(provider.name),
            None => reasons.push((reason, vec![provider.name])),
        }
    }
    if let [(reason, _)] = reasons.as_slice() {
        return format!("a name {reason}");
    }
    let each = reasons.iter().map(|(reason, providers)| {
        format!("for {} a name {reason}", listed(providers.iter().copied()))
    });
    each.collect::<Vec<_>>().join(", ")
}
