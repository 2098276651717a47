//! `loopls check`: says everything that is wrong with definitions.

use super::project::{Projects, is_settings_file};
use super::report::{Counts, FileReport, github, help, json, sarif, summary, text};
use super::search::{WHAT_IS_SEARCHED, files};
use super::source::{STANDARD_INPUT, Source};
use super::{Failure, Status, fix, output};
use crate::check::{Diagnostic, Levels};
use std::path::{Path, PathBuf};

/// The arguments of `check`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files, directories to search for `*.loop.toml` and `loop.toml` (without hidden, ignored and excluded files), or
    /// `-` for standard input.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Report a code as `off`, `hint`, `information` or `warning`; errors stay errors. May be repeated.
    #[arg(long = "level", value_name = "CODE=LEVEL")]
    levels: Vec<String>,
    /// Apply every fix that has one right answer, and say what was done; what is left is reported. What standard input
    /// held is printed to standard output, and the report to standard error.
    #[arg(long)]
    fix: bool,
    /// Exit with 1 for warnings too.
    #[arg(long)]
    deny_warnings: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: the line with a marker under the place.
    #[default]
    Text,
    /// One JSON document; positions are zero-based, characters UTF-16 units.
    Json,
    /// The Static Analysis Results Interchange Format, version 2.1.0.
    Sarif,
    /// Workflow commands that GitHub turns into annotations.
    Github,
}

/// Checks and reports. What cannot be read is said, the rest is checked all the same.
///
/// # Errors
///
/// A level that cannot be set, settings that are no ground to write files on, or nothing to check.
pub fn check(arguments: &Arguments) -> Result<Status, Failure> {
    let given = levels(&arguments.levels)?;
    let mut projects = Projects::default();
    let (paths, mut problems) = files(&arguments.paths, &mut projects);
    let reads_standard_input = paths.iter().any(|path| path == Path::new(STANDARD_INPUT));
    if arguments.fix {
        if reads_standard_input && paths.len() > 1 {
            return Err(Failure::new(
                "with `--fix`, `-` stands alone: standard output is then the text that was on standard input",
            ));
        }
        projects.must_be_clear(&paths)?;
    }
    let mut fixes = fix::Report::default();
    let mut checked: Vec<(Source, Vec<Diagnostic>)> = Vec::new();
    for path in paths.iter().filter(|path| !is_settings_file(path)) {
        let levels = &projects.of(path).settings.levels;
        let levels = levels.clone().overridden_by(&given);
        match Source::read(path) {
            Ok(mut source) => {
                if arguments.fix
                    && let Err(failure) = fixes.fix(&mut source, &levels)
                {
                    problems.push(failure);
                }
                let diagnostics = source.analysis.diagnostics_in(&source.host);
                checked.push((source, levels.apply(diagnostics)));
            }
            Err(failure) => problems.push(failure),
        }
    }
    let can_fix = !arguments.fix && projects.are_clear();
    let (mut reports, unread) = projects.reports(&paths);
    reports.extend(
        checked
            .iter()
            .map(|(source, diagnostics)| source.report(diagnostics)),
    );
    let counts = Counts::of(&reports);

    // Standard output is for one thing: a document, a report that a program reads, or what a person reads.
    let print: fn(&str) -> Result<(), Failure> = match arguments.fix && reads_standard_input {
        true => output::print_aside,
        false => output::print,
    };
    if arguments.fix {
        match arguments.format {
            Format::Text => print(&fixes.text())?,
            _ => output::print_aside(&fixes.text())?,
        }
        if let [(source, _)] = checked.as_slice()
            && reads_standard_input
        {
            output::print_document(&source.document(&source.text()))?;
        }
    }
    let help = help(counts).filter(|_| can_fix);
    report(arguments.format, &reports, counts, help, print)?;

    problems.extend(unread);
    problems.iter().for_each(Failure::print);
    if !problems.is_empty() {
        return Ok(Status::Unusable);
    }
    if reports.is_empty() {
        return Err(Failure::new("there was nothing to check").help(WHAT_IS_SEARCHED));
    }
    let faulty = counts.errors > 0 || (arguments.deny_warnings && counts.warnings > 0);
    Ok(if faulty { Status::Faulty } else { Status::Good })
}

fn report(
    format: Format,
    reports: &[FileReport<'_>],
    counts: Counts,
    help: Option<String>,
    print: fn(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let summary = summary(reports.len(), counts);
    match format {
        Format::Text => {
            let renderer = output::renderer();
            for file in reports {
                print(&text(file, &renderer))?;
            }
            print(&format!("{summary}\n"))?;
            match help {
                Some(help) => print(&format!("  help: {help}\n")),
                None => Ok(()),
            }
        }
        Format::Json => print(&json(reports)),
        Format::Sarif => {
            // Where it is not known, what is named absolutely stays so.
            let folder = std::env::current_dir().unwrap_or_default();
            print(&sarif(reports, &folder))
        }
        Format::Github => {
            for file in reports {
                print(&github(file))?;
            }
            output::say(&summary);
            Ok(())
        }
    }
}

fn levels(given: &[String]) -> Result<Levels, Failure> {
    let mut levels = Levels::default();
    for given in given {
        let (code, level) = given.split_once('=').ok_or_else(|| {
            Failure::new(format!("--level {given}: a code and a level are expected"))
                .help("such as `--level unused_tool=off`")
        })?;
        levels
            .set(code, level)
            .map_err(|problem| Failure::new(format!("--level {given}: {problem}")))?;
    }
    Ok(levels)
}
