//! Which tools modes list: `unknown_tool`, `empty_mode_tools`, `repeated_tool`, `unused_tool`, `many_tools`,
//! `similar_tools`.

use super::{did_you_mean, hint, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::{Definition, Field, Mode, Target, Tool, resolve};
use crate::syntax::render;
use crate::text::{Map, Set, Span, Text};

/// More tools than a model chooses well from.
const MANY_TOOLS: usize = 30;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    for mode in &definition.modes {
        listed(analysis, mode, found);
    }
    unused(definition, found);
    many(analysis, found);
    similar(&definition.tools, found);
}

fn listed(analysis: &Analysis, mode: &Mode, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let known = || {
        let names = definition.tools.iter().filter_map(|tool| tool.name.get());
        names.map(Text::as_str)
    };
    if let Some(list) = mode.tools.spanned().filter(|list| list.value.is_empty()) {
        found.push(Diagnostic::new(
            Code::EmptyModeTools,
            list.span,
            "an empty list is not \"no tools\": this mode has all base tools; leave `tools` out to say so",
        ).with_remedy("Remove `tools`, which says the same", Repair::RemovePair));
    }
    let mut seen: Map<&str, Span> = Map::default();
    for name in mode.tools.items() {
        let shown = name.value.escape_debug();
        if let Some(first) = seen.get(name.value.as_str()) {
            let message = format!("`{shown}` is listed already, and a name twice counts once");
            found.push(
                Diagnostic::new(Code::RepeatedTool, name.span, message)
                    .with_remedy("Remove the second", Repair::RemoveItem)
                    .with_related(*first, "the first"),
            );
            continue;
        }
        seen.insert(&name.value, name.span);
        if analysis.names.tool(&name.value).is_some() {
            continue;
        }
        let makes_it = match analysis.names.produced(&name.value) {
            Some(Target::Produced { tool, .. }) => definition.tools.get(tool),
            _ => None,
        };
        let say = |hint: String| {
            Diagnostic::new(
                Code::UnknownTool,
                name.span,
                format!("there is no tool `{shown}`{hint}"),
            )
        };
        let makes_it = makes_it.map(|tool| tool.name.text());
        // An entry without a name cannot be listed.
        found.push(match makes_it.filter(|entry| !entry.trim().is_empty()) {
            Some(entry) => say(format!(
                "; modes list entries, and `{}` makes this one",
                entry.escape_debug()
            ))
            .with_remedy(
                format!("Change to `{}`", entry.escape_debug()),
                Repair::Replace(render::string(entry)),
            ),
            None => {
                let guess = worth_guessing(found).then(|| did_you_mean(&name.value, known()));
                let meant = guess.flatten();
                let diagnostic = say(hint(meant)).with_meant(meant, render::string);
                match mode.tools.get().map_or(0, Vec::len) {
                    // Without its only tool the mode would have them all.
                    0 | 1 => diagnostic,
                    _ => diagnostic.with_guess(format!("Remove `{shown}`"), Repair::RemoveItem),
                }
            }
        });
    }
}

/// A tool that no mode has, while every mode lists its tools: a run never starts in the base then.
fn unused(definition: &Definition, found: &mut Vec<Diagnostic>) {
    let lists = |mode: &Mode| mode.tools.get().is_some_and(|tools| !tools.is_empty());
    if definition.modes.is_empty() || !definition.modes.iter().all(lists) {
        return;
    }
    let listed: Set<&str> = definition
        .modes
        .iter()
        .flat_map(|mode| mode.tools.items())
        .map(|name| name.value.as_str())
        .collect();
    for name in definition
        .tools
        .iter()
        .filter_map(|tool| tool.name.spanned())
    {
        if !listed.contains(&name.value.as_str()) && !name.value.trim().is_empty() {
            let message = format!(
                "every mode lists its tools, and none lists `{}`",
                name.value.escape_debug()
            );
            found.push(Diagnostic::new(Code::UnusedTool, name.span, message));
        }
    }
}

/// A mode, or a base without modes, with more tools than a model chooses well from.
fn many(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    let modes = resolve(definition);
    // The base's tools are run only where there is no mode; else a mode that inherits them says it.
    let produced: Vec<usize> = definition
        .tools
        .iter()
        .map(|tool| tool.produced_names().map_or(1, |names| names.len()))
        .collect();
    let of_base = produced.iter().sum();
    for resolved in modes.iter().skip(usize::from(modes.len() > 1)) {
        let count: usize = match resolved.own_tools {
            true => resolved.tools.iter().map(|index| produced[*index]).sum(),
            false => of_base,
        };
        if count > MANY_TOOLS {
            let span = match resolved.mode {
                Some(mode) => mode.tools.span().or(mode.name.span()).unwrap_or(mode.span),
                None => definition
                    .name
                    .span()
                    .unwrap_or(Span::empty(analysis.start())),
            };
            let message = format!(
                "{count} tools at once: models choose worse among more than {MANY_TOOLS}; split them over modes"
            );
            found.push(Diagnostic::new(Code::ManyTools, span, message));
        }
    }
}

fn similar(tools: &[Tool], found: &mut Vec<Diagnostic>) {
    let mut names: Map<Text, (&str, Span)> = Map::default();
    let mut descriptions: Map<&str, Span> = Map::default();
    names.reserve(tools.len());
    descriptions.reserve(tools.len());
    for tool in tools {
        for name in tool
            .produced_names()
            .unwrap_or_default()
            .into_iter()
            .filter(|name| !name.value.is_empty())
        {
            let folded = folded(name.value);
            match names.get(&folded) {
                // Equal names are an error already.
                Some((earlier, _)) if *earlier == name.value => {}
                Some((earlier, span)) => {
                    let message = format!(
                        "a model takes this for `{}` easily; make the names differ more",
                        earlier.escape_debug()
                    );
                    found.push(
                        Diagnostic::new(Code::SimilarTools, name.span, message)
                            .with_related(*span, "the other one"),
                    );
                }
                None => {
                    names.insert(folded, (name.value, name.span));
                }
            }
        }
        let Field::Present(description) = &tool.description else {
            continue;
        };
        let text = description.value.trim();
        if text.is_empty() {
            continue;
        }
        match descriptions.get(text) {
            Some(span) => {
                let message = "another tool has the same description, so a model cannot tell them apart by it";
                found.push(
                    Diagnostic::new(Code::SimilarTools, description.span, message)
                        .with_related(*span, "the other one"),
                );
            }
            None => {
                descriptions.insert(text, description.span);
            }
        }
    }
}

/// What two names have in common that a model takes for each other.
fn folded(name: &str) -> Text {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | '.'));
    letters.flat_map(char::to_lowercase).collect()
}
