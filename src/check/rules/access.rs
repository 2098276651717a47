//! Patterns of tools: `invalid_value` for one that is no glob, `unmatched_pattern`, `irreversible_allowed`.

use super::did_you_mean;
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{Access, Definition, Effect, List, Spanned};
use crate::syntax::render;
use globset::{Glob, GlobBuilder, GlobMatcher};

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    if let Some(access) = definition.access.get() {
        // A `deny` that fits nothing is caution, not a mistake.
        globs(&access.deny, found);
        for (pattern, glob) in globs(&access.ask, found) {
            unmatched(definition, pattern, &glob, true, found);
        }
        for (pattern, glob) in globs(&access.allow, found) {
            unmatched(definition, pattern, &glob, false, found);
            irreversible(definition, access, pattern, &glob, found);
        }
    }
    for middleware in &definition.middlewares {
        globs(&middleware.tools, found);
    }
}

/// The patterns of `list` that are globs; the others are reported.
fn globs<'a>(
    list: &'a List<String>,
    found: &mut Vec<Diagnostic>,
) -> Vec<(&'a Spanned<String>, GlobMatcher)> {
    let mut globs = Vec::new();
    for pattern in list.items() {
        let problem = match compile(&pattern.value) {
            _ if pattern.value.trim().is_empty() => String::new(),
            Err(error) => error.kind().to_string(),
            Ok(glob) => {
                globs.push((pattern, glob.compile_matcher()));
                continue;
            }
        };
        let message = match pattern.value.trim() {
            "" => "the pattern is blank; name a tool, or remove it".to_owned(),
            shown => format!(
                "`{}` is no name or pattern of tools: {problem}",
                shown.escape_debug()
            ),
        };
        found.push(Diagnostic::new(Code::InvalidValue, pattern.span, message));
    }
    globs
}

/// A pattern as a run compiles it: spaces around it count for nothing, and a backslash escapes on every system.
fn compile(pattern: &str) -> Result<Glob, globset::Error> {
    GlobBuilder::new(pattern.trim())
        .backslash_escape(true)
        .build()
}

/// Whether the tools are all known from the text: those of a server and delegates only a bind tells.
fn all_known(definition: &Definition) -> bool {
    definition.delegates.is_missing()
        && definition
            .tools
            .iter()
            .all(|tool| tool.produced_names().is_some())
}

fn unmatched(
    definition: &Definition,
    pattern: &Spanned<String>,
    glob: &GlobMatcher,
    also_definitions: bool,
    found: &mut Vec<Diagnostic>,
) {
    if !all_known(definition) {
        return;
    }
    let matches = definition.tools.iter().any(|tool| {
        let names = tool.produced_names().unwrap_or_default();
        names.iter().any(|name| glob.is_match(name.value))
            || also_definitions && glob.is_match(tool.name.text().trim())
    });
    if matches {
        return;
    }
    let known = definition
        .tools
        .iter()
        .flat_map(|tool| tool.produced_names().unwrap_or_default());
    let meant = did_you_mean(&pattern.value, known.map(|name| name.value));
    let hint = meant.map_or(String::new(), |name| {
        format!("; did you mean `{}`?", name.escape_debug())
    });
    let message = format!("`{}` fits no tool{hint}", pattern.value.escape_debug());
    found.push(
        Diagnostic::new(Code::UnmatchedPattern, pattern.span, message)
            .with_meant(meant, render::string),
    );
}

fn irreversible(
    definition: &Definition,
    access: &Access,
    pattern: &Spanned<String>,
    glob: &GlobMatcher,
    found: &mut Vec<Diagnostic>,
) {
    // A tool that is denied or asked about anyway is no surprise.
    let otherwise = |name: &str| {
        access.deny.items().chain(access.ask.items()).any(|other| {
            compile(&other.value).is_ok_and(|other| other.compile_matcher().is_match(name))
        })
    };
    for tool in definition
        .tools
        .iter()
        .filter(|tool| tool.effect() == Effect::Irreversible)
    {
        let names = tool.produced_names().unwrap_or_default();
        let Some(name) = names
            .iter()
            .find(|name| glob.is_match(name.value) && !otherwise(name.value))
        else {
            continue;
        };
        let message = format!(
            "`{}` cannot be undone, so a person is asked each time all the same",
            name.value.escape_debug()
        );
        let span = tool.effect.span().unwrap_or(tool.span);
        found.push(
            Diagnostic::new(Code::IrreversibleAllowed, pattern.span, message)
                .with_related(span, "its effect"),
        );
        return;
    }
}
