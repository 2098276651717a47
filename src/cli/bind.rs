//! `loopls bind`: binds a definition and lists the tools that the model would see.

use super::binding::{bind_failure, bind_source, failed, notices};
use super::printable::printable_line;
use super::report::escape_json;
use super::signals::cancel_on_signals;
use super::source::Source;
use super::{Failure, Status, output};
use crate::bind::{Bound, ToolInfo, told};
use crate::run::StopReason;
use clap::builder::styling::Style;
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// The arguments of `bind`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The definition, or `-` for standard input.
    file: PathBuf,
    /// How to show it.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Take the environment variables in this file too, `NAME=VALUE` one a line, before those of this process.
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: a tool with its input, and the tools of each mode.
    #[default]
    Text,
    /// One JSON document, with whole schemas; lines are zero-based.
    Json,
}

/// Binds and prints. What was started for it ends with it.
pub fn bind(arguments: &Arguments) -> Result<Status, Failure> {
    let mut source = Source::read(&arguments.file)?;
    if let Some(path) = &arguments.env_file {
        source.add_environment(path)?;
    }
    let Some(accepted) = source.accept() else {
        return Ok(Status::Faulty);
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(format!("nothing can be started: {error}")))?;
    let cancel = CancellationToken::new();
    runtime.spawn(cancel_on_signals(cancel.clone(), output::say));
    let bound = runtime.block_on(async {
        let bound = tokio::select! {
            bound = bind_source(&source, &accepted, None) => bound,
            () = cancel.cancelled() => return None,
        };
        if let Ok(bound) = &bound {
            bound.end().await;
        }
        Some(bound)
    });
    runtime.shutdown_background();
    let Some(bound) = bound else {
        return Ok(Status::Ended(StopReason::Cancelled));
    };
    let bound = bound.map_err(|error| bind_failure(&source, &error))?;
    for notice in notices(&source, &bound) {
        output::say(&notice);
    }
    output::print(&match arguments.format {
        Format::Text => text(&bound),
        Format::Json => format!("{}\n", escape_json(&format!("{:#}", told(&bound)))),
    })?;
    Ok(Status::Good)
}

/// `--format text`: every tool once, then the names that each mode has.
fn text(bound: &Bound) -> String {
    const BOLD: Style = Style::new().bold();
    let mut out = String::new();
    let mut shown: Vec<&str> = Vec::new();
    for tool in bound.modes.iter().flat_map(|mode| &mode.tools) {
        let info = tool.info();
        if !shown.contains(&info.name.as_str()) {
            shown.push(&info.name);
            tool_text(&mut out, info);
        }
    }
    for mode in &bound.modes {
        let title = match mode.name.as_str() {
            "" => "(base)".to_owned(),
            name => printable_line(name),
        };
        let names = mode.tools.iter().map(|tool| &*tool.info().name);
        let names = names.collect::<Vec<_>>().join(", ");
        let names = match names.as_str() {
            "" => "no tools",
            names => names,
        };
        // Writing to a string does not fail.
        let _ = writeln!(out, "{BOLD}{title}{BOLD:#}: {}", printable_line(names));
    }
    out
}

fn tool_text(out: &mut String, info: &ToolInfo) {
    const BOLD: Style = Style::new().bold();
    let dim = output::DIM;
    let mut origin = info.effect.as_str().to_owned();
    if info.definition != info.name {
        origin = format!("{origin}, of `{}`", info.definition);
    }
    let (name, origin) = (printable_line(&info.name), printable_line(&origin));
    let _ = writeln!(out, "{BOLD}{name}{BOLD:#}  {dim}{origin}{dim:#}");
    for line in info.description.trim().lines() {
        let _ = writeln!(out, "  {}", printable_line(line));
    }
    let nothing = Map::new();
    let properties = info.input_schema["properties"].as_object();
    let properties = properties.unwrap_or(&nothing);
    let required = info.input_schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
    let width = properties.keys().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0);
    for (name, schema) in properties {
        let mut words = kind(schema);
        if is_required(name) {
            words.push_str(", required");
        }
        if let Some(description) = schema["description"].as_str() {
            words = format!("{words}: {}", description.trim());
        }
        let (name, words) = (printable_line(name), printable_line(&words));
        let _ = writeln!(out, "  {name:<width$}  {words}");
    }
    out.push('\n');
}

/// What values a property takes, in a word or two.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return values.join(" | ");
    }
    match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" | ")
        }
        _ => "any".to_owned(),
    }
}
