//! `loopls check`: says everything that is wrong with definitions.

use super::report::{Counts, FileReport, github, json, summary, text};
use super::search::search;
use super::source::{STANDARD_INPUT, Source};
use super::{Failure, Status, output};
use crate::check::{Diagnostic, Levels};
use std::collections::HashSet;
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
    /// Workflow commands that GitHub turns into annotations.
    Github,
}

/// Checks and reports. What cannot be read is said, the rest is checked all the same.
pub fn check(arguments: &Arguments) -> Result<Status, Failure> {
    let levels = levels(&arguments.levels)?;
    let (paths, mut problems) = files(&arguments.paths);
    let mut checked: Vec<(Source, Vec<Diagnostic>)> = Vec::new();
    for path in &paths {
        match Source::read(path) {
            Ok(source) => {
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

    let summary = summary(reports.len(), counts);
    match arguments.format {
        Format::Text => {
            let renderer = output::renderer();
            for report in &reports {
                output::print(&text(report, &renderer))?;
            }
            output::print(&format!("{summary}\n"))?;
        }
        Format::Json => output::print(&json(&reports))?,
        Format::Github => {
            for report in &reports {
                output::print(&github(report))?;
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

/// The files that `paths` mean, each once, in order; and what could not be searched.
fn files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<Failure>) {
    let mut files = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        if path != Path::new(STANDARD_INPUT) && path.is_dir() {
            let found = search(path);
            files.extend(found.files);
            problems.extend(found.problems.into_iter().map(Failure::new));
        } else {
            files.push(path.clone());
        }
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    (files, problems)
}
