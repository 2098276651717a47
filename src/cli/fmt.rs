//! `loopls fmt`: lays definitions out.

use super::printable::printable_line;
use super::project::Projects;
use super::search::{WHAT_IS_SEARCHED, files};
use super::source::{STANDARD_INPUT, Source};
use super::{Failure, Status, output, report};
use crate::check::{Code, Diagnostic};
use crate::ide;
use crate::text::apply_edits;
use std::path::{Path, PathBuf};

/// The arguments of `fmt`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files, directories to search for `*.loop.toml` and `loop.toml` (without hidden, ignored and excluded files), or
    /// `-` for standard input, which is printed to standard output as it should be.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Write nothing; list the files that would change, and exit with 1 if there are any.
    #[arg(long)]
    check: bool,
}

/// Formats files in their place. What cannot be read is said, the rest is formatted all the same.
///
/// # Errors
///
/// There is no file to format, `-` is not alone, or the settings of a project have errors.
pub fn fmt(arguments: &Arguments) -> Result<Status, Failure> {
    let mut projects = Projects::default();
    let (paths, mut problems) = files(&arguments.paths, &mut projects);
    let reads_standard_input = paths.iter().any(|path| path == Path::new(STANDARD_INPUT));
    if reads_standard_input && paths.len() > 1 {
        return Err(Failure::new(
            "`-` stands alone: standard output is then the text that was on standard input",
        ));
    }
    projects.must_be_clear(&paths)?;
    let (mut changed, mut kept, mut broken) = (0, 0, 0);
    for path in &paths {
        let outcome =
            Source::read(path).and_then(|mut source| format(&mut source, arguments.check));
        match outcome {
            Ok(Outcome::Changed) => changed += 1,
            Ok(Outcome::Kept) => kept += 1,
            Ok(Outcome::Broken) => broken += 1,
            Err(failure) => problems.push(failure),
        }
    }
    problems.iter().for_each(Failure::print);
    if changed + kept + broken == 0 && problems.is_empty() {
        return Err(Failure::new("there was nothing to format").help(WHAT_IS_SEARCHED));
    }
    if !reads_standard_input {
        let summary = summary(changed, kept, broken, arguments.check);
        output::print(&format!("{summary}\n"))?;
    }
    Ok(match (problems.is_empty(), broken) {
        (false, _) => Status::Unusable,
        (true, 0) if changed == 0 || !arguments.check => Status::Good,
        _ => Status::Faulty,
    })
}

/// What came of a file.
enum Outcome {
    /// It is, or would be, another.
    Changed,
    /// It is as it should be.
    Kept,
    /// It has syntax errors.
    Broken,
}

fn format(source: &mut Source, only_check: bool) -> Result<Outcome, Failure> {
    let text = source.text();
    // Syntax errors, and what is too large to be looked at.
    let mut broken = source.analysis.diagnostics.clone();
    broken.retain(|diagnostic| diagnostic.code == Code::Syntax);
    if !broken.is_empty() {
        complain(source, &broken);
        return Ok(Outcome::Broken);
    }
    let edits = ide::format(&source.analysis);
    // The edits of one formatting do not overlap.
    let formatted = apply_edits(&text, &edits).unwrap_or_else(|| text.clone());
    let name = printable_line(&source.name);
    let changes = formatted != text;
    match (changes, only_check) {
        (true, true) => output::print(&format!("would format {name}\n"))?,
        (true, false) if source.path.is_some() => {
            source.replace(&formatted)?;
            output::print(&format!("formatted {name}\n"))?;
        }
        (_, false) if source.path.is_none() => {
            output::print_document(&source.document(&formatted))?;
        }
        _ => {}
    }
    Ok(if changes {
        Outcome::Changed
    } else {
        Outcome::Kept
    })
}

/// Says why a file was not formatted.
fn complain(source: &Source, broken: &[Diagnostic]) {
    let report = report::text(&source.report(broken), &output::renderer());
    output::say(report.trim_end());
    let name = printable_line(&source.name);
    output::complain("error", &format!("{name}: it was not formatted"));
}

/// `1 file formatted, 2 files already formatted`.
fn summary(changed: usize, kept: usize, broken: usize, only_check: bool) -> String {
    let files = |count: usize| format!("{count} file{}", if count == 1 { "" } else { "s" });
    let formatted = if only_check {
        "would be formatted"
    } else {
        "formatted"
    };
    let words = [formatted, "already formatted", "could not be formatted"];
    let parts = [changed, kept, broken].into_iter().zip(words);
    let parts: Vec<String> = parts
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{} {words}", files(count)))
        .collect();
    match parts.is_empty() {
        true => "no file formatted".to_owned(),
        false => parts.join(", "),
    }
}
