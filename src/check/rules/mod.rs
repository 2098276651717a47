//! The rules: one file a small family. A rule reads an [`Analysis`] and says what is wrong.

mod access;
mod base_url;
mod delegates;
mod input;
mod interpreters;
mod keys;
mod limits;
mod loops;
mod middlewares;
mod models;
mod modes;
mod name;
mod output;
mod placeholders;
mod provider_efforts;
mod provider_keys;
mod provider_names;
mod provider_schemas;
mod renaming;
mod secrets;
mod sources;
mod surroundings;
mod swallowed;
mod syntax;
mod tests;
mod tools;
mod tools_of_modes;
mod values;

use super::{Analysis, Diagnostic, MOST_DIAGNOSTICS};
use crate::definition::Surroundings;
use crate::text::Set;

/// Rules that the text alone decides, in the order in which harness looks, then those that only a file needs.
const TEXT_RULES: &[fn(&Analysis, &mut Vec<Diagnostic>)] = &[
    syntax::check,
    name::check,
    models::check,
    limits::check,
    delegates::check,
    tools::check,
    modes::check,
    output::check,
    keys::check,
    values::check,
    sources::check,
    placeholders::check,
    input::check,
    access::check,
    middlewares::check,
    tools_of_modes::check,
    tests::check,
    secrets::check,
    provider_names::check,
    provider_schemas::check,
    provider_efforts::check,
    provider_keys::check,
];

/// What the text alone says, in order of the text.
pub fn check_text(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in TEXT_RULES {
        rule(analysis, &mut found);
    }
    swallowed::hold_back(analysis, &mut found);
    found.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    found
}

/// What the text and `surroundings` say together; run each time, for the world changes under a text.
pub fn check_surroundings(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    found: &mut Vec<Diagnostic>,
) {
    surroundings::check(analysis, surroundings, found);
    middlewares::check_surroundings(analysis, surroundings, found);
    loops::check(analysis, surroundings, found);
}

/// How many names a guess is looked for among.
const MOST_CANDIDATES: usize = 1_000;

/// Whether guesses at what was meant are worth their time: what is found after so much else is not shown.
pub(super) fn worth_guessing(found: &[Diagnostic]) -> bool {
    found.len() < MOST_DIAGNOSTICS
}

/// The name among `known` that was probably meant by `word`.
pub(super) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let folded = |text: &str| text.to_lowercase().replace(['_', '-', '.', ' '], "");
    let wanted = folded(word);
    let (length, wanted_length) = (word.chars().count(), wanted.chars().count());
    let distance = |candidate: &'a str| {
        let limit = candidate.chars().count().max(length) / 3;
        let folded = folded(candidate);
        // No cheaper than the difference in length, and that is cheap to know.
        let fewest = folded.chars().count().abs_diff(wanted_length);
        let distance = (fewest <= limit).then(|| strsim::osa_distance(&wanted, &folded));
        Some((distance.filter(|distance| *distance <= limit)?, candidate))
    };
    known
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter(|candidate| *candidate != word)
        .filter_map(distance)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean …?`, or nothing.
pub(super) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    hint(did_you_mean(word, known))
}

/// The same for what was [meant](did_you_mean).
pub(super) fn hint(meant: Option<&str>) -> String {
    meant.map_or(String::new(), |name| {
        format!("; did you mean `{}`?", name.escape_debug())
    })
}

/// `; did you mean …?`, else `; there are …`, else nothing.
pub(super) fn choices<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let hint = suggestion(word, known.clone());
    if !hint.is_empty() {
        return hint;
    }
    match listed(known) {
        names if names.is_empty() => names,
        names => format!("; there are {names}"),
    }
}

/// `name` with a number behind it that makes it unlike all of `taken`.
pub(super) fn free_name(name: &str, taken: &Set<&str>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut free = numbered.filter(|candidate| !taken.contains(candidate.as_str()));
    // The numbers do not end before the names do.
    free.next().unwrap_or_default()
}

/// Why a text is none.
pub(super) fn no_regular_expression(error: &regex::Error) -> String {
    // Of a syntax error the last line is what is wrong; those before it draw the expression.
    let error = error.to_string();
    let problem = error.lines().last().unwrap_or_default();
    let problem = problem.trim_start_matches("error: ");
    format!("this is no regular expression: {problem}")
}

/// How many names a message lists at the most.
const LISTED: usize = 12;

/// `a`, `a and b`, `a, b and c`, each in backticks; of very many the first ones.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut rest = names.into_iter();
    let mut names: Vec<String> = rest
        .by_ref()
        .take(LISTED)
        .map(|name| format!("`{}`", name.escape_debug()))
        .collect();
    match rest.count() {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
