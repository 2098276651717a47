//! `tool_name_for_provider`: a name that a model's provider refuses, and with it the whole request.

use super::listed;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::provider::{NameRule, Provider, ProvidersInUse};
use crate::definition::{Definition, Spanned};
use crate::text::Span;
use std::collections::HashMap;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let in_use = ProvidersInUse::of(&analysis.definition);
    let names = names(&analysis.definition, &in_use);
    let mut taken: HashMap<String, Span> = HashMap::new();
    for (name, _) in &names {
        taken.entry(name.value.to_owned()).or_insert(name.span);
    }
    for (name, providers) in names {
        let refusing: Vec<(&Provider, &NameRule)> = providers
            .iter()
            .filter_map(|provider| Some((*provider, &provider.tool_names.as_ref()?.value)))
            .filter(|(_, rule)| !rule.takes(name.value))
            .collect();
        if !refusing.is_empty() {
            found.push(refused(name, &refusing, &mut taken));
        }
    }
}

/// Every name under which a model sees a tool, with the providers that see it. What a server offers is not known yet.
fn names<'a>(
    definition: &'a Definition,
    in_use: &'a ProvidersInUse,
) -> Vec<(Spanned<&'a str>, &'a [&'static Provider])> {
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
    name: Spanned<&str>,
    refusing: &[(&Provider, &NameRule)],
    taken: &mut HashMap<String, Span>,
) -> Diagnostic {
    let plain = fitting(name.value, "", refusing);
    let mut fits = plain.clone();
    let mut number = 2;
    while taken.contains_key(&fits) {
        fits = fitting(name.value, &format!("_{number}"), refusing);
        number += 1;
    }
    let mut message = format!(
        "{} the tool name `{}`: {}; `{fits}` fits",
        refuse(refusing.iter().map(|(provider, _)| provider.name)),
        name.value.escape_debug(),
        reasons(name.value, refusing),
    );
    let other = taken.get(&plain).copied();
    if other.is_some() {
        message.push_str(&format!(" (`{plain}` would be two tools)"));
    }
    taken.insert(fits, name.span);
    let diagnostic = Diagnostic::new(Code::ToolNameForProvider, name.span, message);
    match other {
        Some(span) => diagnostic.with_related(span, format!("the other `{plain}`")),
        None => diagnostic,
    }
}

/// A name near `name` that all of them take and that ends in `suffix`.
fn fitting(name: &str, suffix: &str, refusing: &[(&Provider, &NameRule)]) -> String {
    let shortest = refusing.iter().map(|(_, rule)| rule.longest).min();
    let mut fits = name.to_owned();
    // Each round cuts the name or leaves fewer characters to replace.
    while let Some((_, rule)) = refusing.iter().find(|(_, rule)| !rule.takes(&fits)) {
        fits = rule.fit(&fits);
    }
    fits.truncate(shortest.unwrap_or(fits.len()).saturating_sub(suffix.len()));
    fits + suffix
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
fn reasons(name: &str, refusing: &[(&Provider, &NameRule)]) -> String {
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
