//! `loopls check`: says everything that is wrong with definitions.

use super::report::{Counts, FileReport, github, json, sarif, summary, text};
use super::search::files;
use super::source::{STANDARD_INPUT, Source};
use super::{Failure, Status, fix, output};
use crate::check::{Diagnostic, Levels};
use std::path::{Path, PathBuf};

/// The arguments of `check`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files, directories to search for `*.loop.toml` and `loop.toml` (hidden and ignored files are left out), or `-`
    /// for standard input.
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
pub fn check(arguments: &Arguments) -> Result<Status, Failure> {
    let levels = levels(&arguments.levels)?;
    let (paths, mut problems) = files(&arguments.paths);
    let reads_standard_input = paths.iter().any(|path| path == Path::new(STANDARD_INPUT));
    if arguments.fix && reads_standard_input && paths.len() > 1 {
        return Err(Failure::new(
            "with `--fix`, `-` stands alone: standard output is then the text that was on standard input",
        ));
    }
    let mut fixes = fix::Report::default();
    let mut checked: Vec<(Source, Vec<Diagnostic>)> = Vec::new();
    for path in &paths {
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
    let reports: Vec<FileReport<'_>> = checked
        .iter()
        .map(|(source, diagnostics)| source.report(diagnostics))
        .collect();
    let counts = Counts::of(&reports);

    // Standard output is for one thing.
    let report = |text: &str| match arguments.fix && reads_standard_input {
        true if text.is_empty() => Ok(()),
        true => {
            output::say(text.trim_end_matches('\n'));
            Ok(())
        }
        false => output::print(text),
    };
    if arguments.fix {
        match arguments.format {
            Format::Text => report(&fixes.text())?,
            _ => output::say(fixes.text().trim_end()),
        }
        if let [(source, _)] = checked.as_slice()
            && reads_standard_input
        {
            output::print_document(&source.document(&source.text()))?;
        }
    }
    let summary = summary(reports.len(), counts);
    match arguments.format {
        Format::Text => {
            let renderer = output::renderer();
            for file in &reports {
                report(&text(file, &renderer))?;
            }
            report(&format!("{summary}\n"))?;
        }
        Format::Json => report(&json(&reports))?,
        Format::Sarif => {
            // Where it is not known, what is named absolutely stays so.
            let folder = std::env::current_dir().unwrap_or_default();
            report(&sarif(&reports, &folder))?;
        }
        Format::Github => {
            for file in &reports {
                report(&github(file))?;
            }
            output::say(&summary);
        }
    }

    for problem in &problems {
        problem.print();
    }
    if !problems.is_empty() {
        return Ok(Status::Unusable);
    }
    if reports.is_empty() {
        return Err(Failure::new("there was nothing to check")
            .help("a directory is searched for `*.loop.toml` and `loop.toml`, without hidden and ignored files"));
    }
    let faulty = counts.errors > 0 || (arguments.deny_warnings && counts.warnings > 0);
    Ok(if faulty { Status::Faulty } else { Status::Good })
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
