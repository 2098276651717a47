//! Names of modes and what they name: `invalid_mode`, `duplicate_mode`, `missing_initial_mode`,
//! `invalid_initial_mode`.

use super::{choices, did_you_mean, free_name, listed, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::{Definition, Field};
use crate::syntax::render;
use crate::text::{Map, Set, Span, Text};

/// How many modes are offered to start in.
const MOST_GUESSES: usize = 5;

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    names(analysis, found);
    initial_mode(analysis, found);
    for test in &definition.tests {
        if let Some(mode) = test
            .mode
            .spanned()
            .filter(|mode| analysis.names.mode(&mode.value).is_none())
        {
            let say = |message| Diagnostic::new(Code::InvalidValue, mode.span, message);
            found.push(match worth_guessing(found) {
                true => say(unknown_mode(definition, &mode.value)).with_meant(
                    did_you_mean(&mode.value, mode_names(definition)),
                    render::string,
                ),
                false => say(format!("there is no mode `{}`", mode.value.escape_debug())),
            });
        }
    }
}

fn mode_names(definition: &Definition) -> impl Iterator<Item = &str> + Clone {
    definition
        .modes
        .iter()
        .filter_map(|mode| mode.name.get())
        .map(Text::as_str)
}

fn names(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let taken: Set<&str> = mode_names(&analysis.definition).collect();
    let mut first: Map<&str, Span> = Map::default();
    for mode in &analysis.definition.modes {
        match &mode.name {
            Field::Missing => found.push(Diagnostic::new(
                Code::InvalidMode,
                mode.span,
                "the mode has no `name`; add one, such as `name = \"lookup\"`",
            )),
            Field::Present(name) if name.value.trim().is_empty() => {
                found.push(Diagnostic::new(
                    Code::InvalidMode,
                    name.span,
                    "the mode's name is blank; give it one",
                ));
            }
            Field::Present(name) => match first.get(name.value.as_str()) {
                Some(earlier) => {
                    let free = free_name(&name.value, &taken);
                    let message = format!(
                        "there is already a mode `{}`; rename or remove one",
                        name.value.escape_debug()
                    );
                    found.push(
                        Diagnostic::new(Code::DuplicateMode, name.span, message)
                            .with_related(*earlier, "the first mode of this name")
                            .with_guess(
                                format!("Rename to `{}`", free.escape_debug()),
                                Repair::Replace(render::string(&free)),
                            ),
                    );
                }
                None => {
                    first.insert(&name.value, name.span);
                }
            },
            Field::Invalid(_) => {}
        }
    }
}

fn initial_mode(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    match &definition.initial_mode {
        Field::Invalid(_) => {}
        Field::Present(initial) if !initial.value.is_empty() => {
            if definition.modes.is_empty() {
                found.push(Diagnostic::new(
                    Code::InvalidInitialMode,
                    initial.span,
                    "there is no mode to start in; declare one with `[[modes]]`, or remove `initial_mode`",
                ).with_remedy("Remove `initial_mode`", Repair::RemovePair));
            } else if analysis.names.mode(&initial.value).is_none() {
                let message = unknown_mode(definition, &initial.value);
                found.push(
                    Diagnostic::new(Code::InvalidInitialMode, initial.span, message).with_meant(
                        did_you_mean(&initial.value, mode_names(definition)),
                        render::string,
                    ),
                );
            }
        }
        absent => {
            let Some(mode) = definition.modes.first() else {
                return;
            };
            let span = absent
                .span()
                .unwrap_or_else(|| mode.name.span().unwrap_or(mode.span));
            let names = listed(mode_names(definition).filter(|name| !name.trim().is_empty()));
            let choice = if names.is_empty() {
                String::new()
            } else {
                format!(" to one of {names}")
            };
            let message = format!(
                "there are modes, so a run must know where it starts: set `initial_mode`{choice} at the top level"
            );
            let mut diagnostic = Diagnostic::new(Code::MissingInitialMode, span, message);
            for name in mode_names(definition)
                .filter(|name| !name.trim().is_empty())
                .take(MOST_GUESSES)
            {
                let title = format!("Start in `{}`", name.escape_debug());
                let value = render::string(name);
                let change = match absent {
                    Field::Missing => Repair::AddAtTop(format!("initial_mode = {value}")),
                    _ => Repair::Replace(value),
                };
                // With one mode there is nothing to choose.
                diagnostic = match definition.modes.len() {
                    1 => diagnostic.with_remedy(title, change),
                    _ => diagnostic.with_guess(title, change),
                };
            }
            found.push(diagnostic);
        }
    }
}

fn unknown_mode(definition: &Definition, name: &str) -> String {
    format!(
        "there is no mode `{}`{}",
        name.escape_debug(),
        choices(name, mode_names(definition))
    )
}
