//! `loopls explain`: the page of a code.

use super::output::{DIM, ERROR, WARNING};
use super::{Failure, Status, output};
use crate::check::{Code, Severity, pages};
use clap::builder::styling::{AnsiColor, Style};
use std::fmt::Write;

/// The arguments of `explain`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A code, as it stands in brackets in what `check` says; without one all codes are listed.
    code: Option<String>,
}

/// Prints the page of a code, or lists all codes.
///
/// # Errors
///
/// There is no such code.
pub fn explain(arguments: &Arguments) -> Result<Status, Failure> {
    let text = match &arguments.code {
        None => list(),
        Some(name) => page(named(name)?),
    };
    output::print(&text)?;
    Ok(Status::Good)
}

fn named(name: &str) -> Result<Code, Failure> {
    // How `check` prints it may be pasted: `error[zero_limit]`.
    let bare = name
        .rsplit_once('[')
        .map_or(name, |(_, rest)| rest.trim_end_matches([']', ':']));
    Code::from_name(bare).ok_or_else(|| {
        let help = match Code::meant_by(bare) {
            Some(code) => format!("did you mean `{code}`?"),
            None => "`loopls explain` lists all codes".into(),
        };
        Failure::new(format!("there is no code `{name}`")).help(help)
    })
}

/// Every code on a line, with its severity and the first sentence of its page.
fn list() -> String {
    let longest = Code::ALL.iter().map(|code| code.as_str().len()).max();
    let width = longest.unwrap_or_default();
    let mut text = String::new();
    for code in Code::ALL.iter().copied() {
        let severity = code.severity();
        let style = style(severity);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:width$}  {style}{:11}{style:#}  {}",
            code.as_str(),
            severity.as_str(),
            pages::summary(code)
        );
    }
    text
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
        Severity::Information => AnsiColor::Blue.on_default(),
        Severity::Hint => AnsiColor::Cyan.on_default(),
    }
}

/// The page as it is, with headings and examples set off by style alone.
fn page(code: Code) -> String {
    const HEADING: Style = Style::new().bold();
    let mut text = String::new();
    let mut in_example = false;
    for line in pages::page(code).lines() {
        let fence = line.starts_with("```");
        in_example ^= fence;
        let style = match line {
            _ if fence => DIM,
            _ if in_example => AnsiColor::Cyan.on_default(),
            line if line.starts_with('#') => HEADING,
            _ => Style::new(),
        };
        let _ = writeln!(text, "{style}{line}{style:#}");
    }
    text
}
