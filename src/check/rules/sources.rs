//! Where a tool's results come from: `missing_source`, `conflicting_sources`, and what each source needs.

use super::{base_url, listed};
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::placeholder::placeholders;
use crate::definition::{CommandArgument, Field, Http, Source, Spanned, Tool};
use crate::text::Span;

const SOURCES: [&str; 5] = ["command", "http", "mcp", "loop", "reply"];

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    for tool in &analysis.definition.tools {
        match tool.sources.as_slice() {
            [] => found.push(Diagnostic::new(
                Code::MissingSource,
                tool.name.span().unwrap_or(tool.span),
                format!(
                    "nothing says where the tool's results come from; give it one of {}",
                    listed(SOURCES)
                ),
            )),
            [source] => one(tool, source, found),
            [first, rest @ ..] => {
                for source in rest {
                    let message = format!(
                        "the tool has a source already; keep one of {}",
                        listed(SOURCES)
                    );
                    found.push(
                        Diagnostic::new(Code::ConflictingSources, source.span, message)
                            .with_related(first.span, "the first source"),
                    );
                }
            }
        }
    }
}

fn one(tool: &Tool, source: &Spanned<Source>, found: &mut Vec<Diagnostic>) {
    match &source.value {
        Source::Command(Some(arguments)) => command(source.span, arguments, found),
        Source::Http(Some(fields)) => http(fields, found),
        Source::Mcp(Some(mcp)) => {
            for (key, span) in [
                ("description", tool.description.span()),
                ("input", tool.input.span()),
            ] {
                if let Some(span) = span {
                    let message = format!(
                        "the server itself tells the `{key}` of its tools; remove this one"
                    );
                    found.push(
                        Diagnostic::new(Code::ConflictingSources, span, message)
                            .with_related(source.span, "the server"),
                    );
                }
            }
            match (mcp.command.span(), mcp.url.span()) {
                (None, None) => found.push(Diagnostic::new(
                    Code::MissingKey,
                    source.span,
                    "a server is started by `command` or reached at `url`; give it one",
                )),
                (Some(command), Some(url)) => found.push(
                    Diagnostic::new(
                        Code::ConflictingSources,
                        command.max(url),
                        "a server is either started by `command` or reached at `url`; keep one",
                    )
                    .with_related(command.min(url), "the other one"),
                ),
                _ => {}
            }
        }
        Source::Loop(_) => {
            if let Some(span) = tool.input.span() {
                let message = "a loop takes `{ message }` and nothing else; remove this `input`";
                found.push(
                    Diagnostic::new(Code::ConflictingSources, span, message)
                        .with_related(source.span, "the loop"),
                );
            }
        }
        _ => {}
    }
}

/// A command names its program first.
fn command(key: Span, arguments: &[CommandArgument], found: &mut Vec<Diagnostic>) {
    let (span, message) = match arguments.first() {
        None => (key, "the command is empty; name a program"),
        Some(CommandArgument::One(program)) if program.value.trim().is_empty() => {
            (program.span, "the program's name is blank")
        }
        Some(CommandArgument::Optional(group)) => {
            let span = group.iter().find_map(Field::span).unwrap_or(key);
            (
                span,
                "the first item is the program, and it is always there",
            )
        }
        _ => return,
    };
    found.push(Diagnostic::new(Code::InvalidValue, span, message));
}

/// A request goes where the file says, over a connection that nobody reads.
fn http(http: &Http, found: &mut Vec<Diagnostic>) {
    if let Some(url) = http.url.spanned()
        && let Err(problem) = base_url::check(&without_placeholders(&url.value))
    {
        found.push(Diagnostic::new(
            Code::InvalidValue,
            url.span,
            format!("`url` {problem}"),
        ));
    }
}

/// The address with every placeholder filled in; one in the host is reported as misplaced.
fn without_placeholders(url: &str) -> String {
    let mut filled_in = String::with_capacity(url.len());
    let mut done = 0;
    for placeholder in placeholders(url) {
        filled_in.push_str(&url[done..placeholder.range.start]);
        filled_in.push('0');
        done = placeholder.range.end;
    }
    filled_in + &url[done..]
}
