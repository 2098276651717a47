//! Where a tool's results come from: `missing_source`, `conflicting_sources`, placeholders in a command.

use super::{listed, suggestion};
use crate::check::{Analysis, Code, Diagnostic};
use crate::definition::placeholder::{Placeholder, placeholders};
use crate::definition::{CommandArgument, Field, Source, Spanned, Tool};
use crate::syntax::Node;
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
            [source] => one(analysis, tool, source, found),
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

fn one(analysis: &Analysis, tool: &Tool, source: &Spanned<Source>, found: &mut Vec<Diagnostic>) {
    match &source.value {
        Source::Command(Some(arguments)) => command(analysis, tool, source.span, arguments, found),
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
        _ => {}
    }
}

fn command(
    analysis: &Analysis,
    tool: &Tool,
    key: Span,
    arguments: &[CommandArgument],
    found: &mut Vec<Diagnostic>,
) {
    let known = input_properties(tool);
    match arguments.first() {
        None => found.push(Diagnostic::new(
            Code::InvalidValue,
            key,
            "the command is empty; name a program",
        )),
        Some(CommandArgument::One(program)) if program.value.trim().is_empty() => {
            found.push(Diagnostic::new(
                Code::InvalidValue,
                program.span,
                "the program's name is blank",
            ));
        }
        Some(CommandArgument::One(program)) => {
            for placeholder in placeholders(&program.value) {
                let message = format!(
                    "the model would choose the program; `{{{{{}}}}}` may stand in the arguments after it",
                    placeholder.name
                );
                let span = analysis.within(program.span, &placeholder.range);
                found.push(Diagnostic::new(Code::MisplacedPlaceholder, span, message));
            }
        }
        Some(CommandArgument::Optional(group)) => {
            let span = group.iter().find_map(Field::span).unwrap_or(key);
            found.push(Diagnostic::new(
                Code::InvalidValue,
                span,
                "the first item is the program, and it is always there",
            ));
        }
        Some(CommandArgument::Invalid(_)) => {}
    }
    let code_arguments = code_arguments(arguments);
    for (index, argument) in arguments.iter().enumerate().skip(1) {
        let texts: Vec<&Spanned<String>> = match argument {
            CommandArgument::One(text) => vec![text],
            CommandArgument::Optional(group) => group.iter().filter_map(Field::spanned).collect(),
            CommandArgument::Invalid(_) => continue,
        };
        for text in texts {
            for placeholder in placeholders(&text.value) {
                let span = analysis.within(text.span, &placeholder.range);
                if code_arguments.contains(&index) {
                    let message = format!(
                        "`{{{{{}}}}}` would become code that an interpreter runs; pass it as an argument of its own or on standard input",
                        placeholder.name
                    );
                    found.push(Diagnostic::new(Code::PlaceholderInCode, span, message));
                }
                unknown(&placeholder, span, &known, found);
            }
        }
    }
    if let Some(stdin) = tool.stdin.spanned() {
        for placeholder in placeholders(&stdin.value) {
            unknown(
                &placeholder,
                analysis.within(stdin.span, &placeholder.range),
                &known,
                found,
            );
        }
    }
}

fn unknown(placeholder: &Placeholder, span: Span, known: &[&str], found: &mut Vec<Diagnostic>) {
    if known.contains(&placeholder.name) {
        return;
    }
    let hint = suggestion(placeholder.name, known.iter().copied());
    let message = format!(
        "the tool's `input` has no property `{}`{hint}",
        placeholder.name
    );
    found.push(Diagnostic::new(Code::UnknownPlaceholder, span, message));
}

/// The names of the properties that a tool's input declares.
fn input_properties(tool: &Tool) -> Vec<&str> {
    let schema = tool.input.get().and_then(Node::as_table);
    let properties = schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Node::as_table);
    properties.map_or_else(Vec::new, |table| {
        table
            .entries
            .iter()
            .map(|entry| entry.key.name.as_str())
            .collect()
    })
}

/// Programs that run an argument as code, with the options after which it stands.
const INTERPRETERS: &[(&[&str], &[&str])] = &[
    (
        &["sh", "bash", "dash", "zsh", "ksh", "fish", "ash"],
        &["-c"],
    ),
    (&["python", "pypy"], &["-c"]),
    (
        &["node", "nodejs", "bun"],
        &["-e", "--eval", "-p", "--print"],
    ),
    (&["deno"], &["eval"]),
    (
        &[
            "ruby",
            "perl",
            "lua",
            "luajit",
            "osascript",
            "groovy",
            "Rscript",
        ],
        &["-e", "-E"],
    ),
    (&["php"], &["-r"]),
    (&["sed"], &["-e", "--expression"]),
    (&["cmd"], &["/c", "/C", "/k", "/K"]),
    (
        &["powershell", "pwsh"],
        &["-c", "-Command", "-command", "-EncodedCommand"],
    ),
];

/// Programs that start the program named in a later argument.
const STARTERS: &[&str] = &[
    "env", "sudo", "doas", "nice", "nohup", "timeout", "time", "xargs", "stdbuf", "setsid",
    "busybox", "unshare", "chroot", "docker", "podman", "kubectl", "ssh", "find",
];

/// Programs whose first argument that is no option is code, with the options that take a value after them, and those
/// that name a file with the code instead.
const SCRIPTED: &[(&[&str], &[&str], &[&str])] = &[
    (
        &["awk", "gawk", "mawk", "nawk"],
        &["-v", "-F", "--assign", "--field-separator"],
        &["-f", "--file"],
    ),
    (
        &["sed", "gsed"],
        &["-l", "--line-length"],
        &["-f", "--file", "-e", "--expression"],
    ),
    (&["jq"], &["--indent", "-L"], &["-f", "--from-file"]),
];

/// The indexes of the arguments that an interpreter takes as code.
fn code_arguments(arguments: &[CommandArgument]) -> Vec<usize> {
    let texts: Vec<&str> = arguments
        .iter()
        .map(|argument| match argument {
            CommandArgument::One(text) => text.value.as_str(),
            _ => "",
        })
        .collect();
    let mut code = Vec::new();
    for at in 0..texts.len() {
        if at == 0 || STARTERS.contains(&program_name(texts[0])) {
            interpreted(&texts, at, &mut code);
        }
    }
    code
}

/// The bare name of a program: no folder, no `.exe`, no version.
fn program_name(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

/// Adds the arguments that the program at `at` takes as code.
fn interpreted(texts: &[&str], at: usize, code: &mut Vec<usize>) {
    let program = program_name(texts[at]);
    if let Some((_, options)) = INTERPRETERS
        .iter()
        .find(|(programs, _)| programs.contains(&program))
    {
        // Short options may be bundled: `sh -ec CODE`.
        let bundled = |option: &str, wanted: &str| {
            wanted.len() == 2
                && wanted.starts_with('-')
                && !option.starts_with("--")
                && option.starts_with('-')
                && option.len() > 2
                && option.ends_with(&wanted[1..])
        };
        let matches = |text: &str| {
            options
                .iter()
                .any(|wanted| text == *wanted || bundled(text, wanted))
        };
        if let Some(option) = texts.iter().skip(at + 1).position(|text| matches(text)) {
            let first = at + 1 + option + 1;
            code.push(first);
            // What follows `cmd /c` is all one command line.
            if matches!(program, "cmd" | "powershell" | "pwsh") {
                code.extend(first + 1..texts.len());
            }
        }
    }
    let Some((_, with_value, with_file)) = SCRIPTED
        .iter()
        .find(|(programs, ..)| programs.contains(&program))
    else {
        return;
    };
    if texts
        .iter()
        .skip(at + 1)
        .any(|text| with_file.contains(text))
    {
        return;
    }
    let mut next = at + 1;
    while let Some(text) = texts.get(next) {
        if with_value.contains(text) {
            next += 2;
        } else if text.starts_with('-') {
            next += 1;
        } else {
            code.push(next);
            return;
        }
    }
}
