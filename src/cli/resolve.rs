//! `loopls resolve`: shows what each mode of a definition comes to.

use super::printable::printable_line;
use super::report::escape_json;
use super::source::Source;
use super::{Failure, Status, output};
use crate::definition::{Definition, Origin, format_duration, resolve as resolve_modes};
use crate::ide::{self, ShownMode, ToolName};
use crate::text::{Encoding, Span, position_at};
use ropey::Rope;
use std::fmt::Write;
use std::path::PathBuf;

/// The arguments of `resolve`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The definition, or `-` for standard input.
    file: PathBuf,
    /// Only this mode; the empty string is the base.
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// How to show it.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: a table a mode.
    #[default]
    Table,
    /// One JSON document; lines are zero-based, times milliseconds.
    Json,
}

/// Resolves and prints. A definition with errors comes to nothing.
pub fn resolve(arguments: &Arguments) -> Result<Status, Failure> {
    let source = Source::read(&arguments.file)?;
    let Some(accepted) = source.accept() else {
        return Ok(Status::Faulty);
    };
    let modes = modes(&source, accepted.definition(), arguments.mode.as_deref())?;
    let text = match arguments.format {
        Format::Table => table(&source, accepted.definition(), &modes),
        Format::Json => document(&source, accepted.definition(), &modes),
    };
    output::print(&text)?;
    Ok(Status::Good)
}

fn modes<'a>(
    source: &Source,
    definition: &'a Definition,
    wanted: Option<&str>,
) -> Result<Vec<ShownMode<'a>>, Failure> {
    let mut modes = resolve_modes(definition);
    if let Some(wanted) = wanted {
        let names: Vec<&str> = modes.iter().map(|mode| mode.name).collect();
        if !names.contains(&wanted) {
            return Err(unknown_mode(wanted, &names[1..]));
        }
        modes.retain(|mode| mode.name == wanted);
    }
    modes
        .into_iter()
        .map(|mode| {
            let system = mode.system(definition, &source.host);
            let system = system.map_err(|(span, problem)| {
                let line = line(&source.analysis.rope, span) + 1;
                Failure::new(format!("{}:{line}: {problem}", source.name))
            })?;
            Ok(ShownMode { mode, system })
        })
        .collect()
}

/// What to say about a mode that no definition declares; `declared` are those that it does.
pub fn unknown_mode(wanted: &str, declared: &[&str]) -> Failure {
    let failure = Failure::new(format!("there is no mode `{wanted}`"));
    match declared.is_empty() {
        true => failure.help("the definition declares no modes"),
        false => failure.help(format!("its modes are {}", quoted(declared))),
    }
}

/// `` `one`, `other` ``.
pub fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// The zero-based line of a place.
fn line(rope: &Rope, span: Span) -> u32 {
    position_at(rope, span.start, Encoding::Utf16).line
}

/// `--format json`: version 1.
fn document(source: &Source, definition: &Definition, modes: &[ShownMode<'_>]) -> String {
    let document = ide::resolved(definition, &source.analysis.rope, modes, &source.host);
    format!("{}\n", escape_json(&format!("{document:#}")))
}

/// `--format table`.
fn table(source: &Source, definition: &Definition, modes: &[ShownMode<'_>]) -> String {
    let mut out = String::new();
    for shown in modes {
        if !out.is_empty() {
            out.push('\n');
        }
        mode_table(&mut out, source, definition, shown);
    }
    out
}

fn mode_table(out: &mut String, source: &Source, definition: &Definition, shown: &ShownMode<'_>) {
    const BOLD: clap::builder::styling::Style = clap::builder::styling::Style::new().bold();
    let mode = &shown.mode;
    let title = match mode.mode {
        None => format!("{} (base)", definition.name.text()),
        Some(_) if mode.name == definition.initial_mode.text() => {
            format!("{} (mode, initial)", mode.name)
        }
        Some(_) => format!("{} (mode)", mode.name),
    };
    // Writing to a string does not fail.
    let _ = writeln!(out, "{BOLD}{}{BOLD:#}", printable_line(&title));

    let limits: Vec<(&str, String, String)> = mode
        .limits
        .named()
        .into_iter()
        .map(|(name, limit)| {
            (
                name,
                limit_words(name, limit.value),
                origin_words(&source.analysis.rope, limit.origin),
            )
        })
        .collect();
    let width = limits
        .iter()
        .map(|(_, value, _)| value.len())
        .max()
        .unwrap_or(0);
    for (name, value, origin) in limits {
        let dim = output::DIM;
        let _ = writeln!(out, "  {name:<12}  {value:>width$}  {dim}{origin}{dim:#}");
    }

    let tools: Vec<String> = ide::tool_names(definition, mode, &source.host)
        .into_iter()
        .map(|tool| match tool {
            ToolName::Known(name) => name.into_owned(),
            ToolName::ServerOf(name) => format!("those of server `{name}`, known at bind"),
        })
        .collect();
    let tools = if tools.is_empty() {
        "none".to_owned()
    } else {
        tools.join(", ")
    };
    let model = mode.model.map_or_else(
        || "none".to_owned(),
        |model| format!("{} {}", model.provider.text(), model.name.text()),
    );
    let effort = mode
        .effort
        .map_or("the model decides", |effort| effort.as_str());
    let system = system_words(&shown.system);
    let mut rows = vec![
        ("tools", tools.as_str()),
        ("model", &model),
        ("effort", effort),
        ("system", &system),
    ];
    let delegates = ide::delegates(definition).join(", ");
    if mode.mode.is_none() && !delegates.is_empty() {
        rows.push(("delegates", &delegates));
    }
    for (name, value) in rows {
        let _ = writeln!(out, "  {name:<12}  {}", printable_line(value));
    }
}

fn limit_words(name: &str, value: i64) -> String {
    match (name, value) {
        ("time", 0) => "none".to_owned(),
        ("time", milliseconds) => format_duration(milliseconds),
        (_, 0) => "no cap".to_owned(),
        (_, value) => value.to_string(),
    }
}

fn origin_words(rope: &Rope, origin: Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::Base(span) => format!("base, line {}", line(rope, span) + 1),
        Origin::Mode(span) => format!("mode, line {}", line(rope, span) + 1),
    }
}

/// The first words of a system prompt, and how long it is.
fn system_words(system: &str) -> String {
    const SHOWN: usize = 60;
    if system.is_empty() {
        return "none".to_owned();
    }
    let lines = system.lines().count();
    let characters = system.chars().count();
    let first = system
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("")
        .trim();
    if lines == 1 && characters <= SHOWN {
        return first.to_owned();
    }
    let start: String = first.chars().take(SHOWN).collect();
    let noun = if lines == 1 { "line" } else { "lines" };
    format!(
        "{} … ({lines} {noun}, {characters} characters)",
        start.trim_end()
    )
}
