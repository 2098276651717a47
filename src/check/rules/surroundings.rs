//! What the text alone does not decide: `missing_file`, `path_outside`, `command_not_found`, `environment_not_set`.

use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::{
    CommandArgument, Field, FileProblem, Source, Spanned, Surroundings, variables,
};
use crate::text::Text;
use std::path::Path;

pub fn check(analysis: &Analysis, surroundings: &dyn Surroundings, found: &mut Vec<Diagnostic>) {
    let definition = &analysis.definition;
    file(&definition.system_file, surroundings, found);
    for mode in &definition.modes {
        file(&mode.instructions_file, surroundings, found);
    }
    let models = definition
        .modes
        .iter()
        .map(|mode| &mode.model)
        .chain([&definition.model]);
    for model in models.filter_map(Field::get) {
        if let Some(name) = model.api_key_env.spanned() {
            variable(&name.value, name, surroundings, found);
        }
    }
    for name in definition.secrets.items() {
        variable(&name.value, name, surroundings, found);
    }
    for tool in &definition.tools {
        let mut texts: Vec<&Spanned<Text>> = tool
            .env
            .iter()
            .filter_map(|(_, value)| value.spanned())
            .collect();
        match tool.sources.first().map(|source| &source.value) {
            Some(Source::Command(Some(arguments))) => {
                if let Some(CommandArgument::One(name)) = arguments.first() {
                    program(name, surroundings, found);
                }
            }
            Some(Source::Http(Some(http))) => {
                texts.extend(http.url.spanned());
                texts.extend(http.headers.iter().filter_map(|(_, value)| value.spanned()));
            }
            Some(Source::Mcp(Some(mcp))) => {
                texts.extend(mcp.url.spanned());
                texts.extend(mcp.headers.iter().filter_map(|(_, value)| value.spanned()));
                if let Some(name) = mcp.command.items().next() {
                    program(name, surroundings, found);
                }
            }
            Some(Source::Loop(path)) => file(path, surroundings, found),
            _ => {}
        }
        for text in texts {
            for used in variables(&text.value) {
                variable(used.name, text, surroundings, found);
            }
        }
    }
}

fn file(path: &Field<Text>, surroundings: &dyn Surroundings, found: &mut Vec<Diagnostic>) {
    let Some(path) = path.spanned() else { return };
    let Err(problem) = surroundings.file(Path::new(&path.value)) else {
        return;
    };
    let code = match problem {
        // Nothing can be said of files before the definition has a place.
        FileProblem::NoPlace => return,
        FileProblem::Outside => Code::PathOutside,
        FileProblem::Missing | FileProblem::Unreadable(_) => Code::MissingFile,
    };
    found.push(Diagnostic::new(
        code,
        path.span,
        format!("`{}`: {problem}", path.value.escape_debug()),
    ));
}

fn program(name: &Spanned<Text>, surroundings: &dyn Surroundings, found: &mut Vec<Diagnostic>) {
    // A placeholder as a program is reported as such.
    if name.value.trim().is_empty()
        || name.value.contains("{{")
        || surroundings.program(&name.value).is_some()
        || !surroundings.knows_machine()
    {
        return;
    }
    let message = format!(
        "there is no program `{}` on this machine",
        name.value.escape_debug()
    );
    found.push(Diagnostic::new(Code::CommandNotFound, name.span, message));
}

fn variable(
    name: &str,
    place: &Spanned<Text>,
    surroundings: &dyn Surroundings,
    found: &mut Vec<Diagnostic>,
) {
    if name.trim().is_empty() || surroundings.variable_is_set(name) || !surroundings.knows_machine()
    {
        return;
    }
    let message = format!(
        "the environment variable `{}` is not set here",
        name.escape_debug()
    );
    found.push(Diagnostic::new(
        Code::EnvironmentNotSet,
        place.span,
        message,
    ));
}
