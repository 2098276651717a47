//! `loopls test`: runs the `[[tests]]` of definitions.

mod report;

use super::binding::{bind_source, notices};
use super::project::Projects;
use super::search::files;
use super::signals::cancel_on_signals;
use super::source::Source;
use super::{Failure, Status, output};
use crate::bind::{BindError, Bound};
use crate::check::Accepted;
use crate::definition::Test;
use crate::run::{Miss, StopReason, TestContext, foreseen, is_live, run_test};
use futures_util::{StreamExt, stream};
use report::{Outcome, Report};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The arguments of `test`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Files, directories to search for `*.loop.toml` and `loop.toml` (without hidden, ignored and excluded files), or
    /// `-` for standard input.
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Only tests whose name contains this.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Run calls of this tool, whose effect is `write`, where a test gives no result; may be repeated.
    #[arg(long, value_name = "TOOL")]
    allow: Vec<String>,
    /// How many tests run at a time; else as many as there are cores.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Only every Nth test, beginning with the Ith, so that N machines run them all.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Run also tests without a script, which ask the real model.
    #[arg(long)]
    live: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON document; positions are zero-based, characters UTF-16 units.
    Json,
    /// The XML that build servers read.
    Junit,
}

/// One machine's part of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    /// From 0.
    index: usize,
    count: usize,
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((index @ 1.., count)) if index <= count => Ok(Shard {
            index: index - 1,
            count,
        }),
        _ => Err("such as `2/3`, the second of three parts".into()),
    }
}

/// A test that was found.
struct Case {
    source: Arc<Source>,
    /// Its place in the definition's `tests`.
    index: usize,
    /// The definition; else its first error.
    accepted: Result<Accepted, Miss>,
}

impl Case {
    fn test(&self) -> &Test {
        &self.source.analysis.definition.tests[self.index]
    }
}

/// Runs the tests and reports. What cannot be read is said, the rest is tested all the same.
pub fn test(arguments: &Arguments) -> Result<Status, Failure> {
    let (paths, mut problems) = files(&arguments.paths, &mut Projects::default());
    let mut cases = Vec::new();
    for path in &paths {
        match Source::read(path) {
            Ok(source) => cases.extend(cases_of(source)),
            Err(failure) => problems.push(failure),
        }
    }
    for problem in &problems {
        problem.print();
    }
    let found = cases.len();
    if let Some(part) = &arguments.filter {
        cases.retain(|case| case.test().name.text().contains(part));
    }
    if cases.is_empty() && problems.is_empty() {
        return Err(nothing_to_test(found));
    }
    if let Some(shard) = arguments.shard {
        let mut number = 0..;
        cases.retain(|_| number.next().unwrap_or(0) % shard.count == shard.index);
    }

    let (reports, cancelled) = run(cases, arguments)?;
    match arguments.format {
        // Every line was printed when it came.
        Format::Text => output::print(&format!("{}\n", report::summary(&reports)))?,
        Format::Json => output::print(&report::json(&reports))?,
        Format::Junit => output::print(&report::junit(&reports))?,
    }
    let failed = |report: &Report| matches!(report.outcome, Outcome::Failed(_));
    Ok(if cancelled {
        Status::Ended(StopReason::Cancelled)
    } else if !problems.is_empty() {
        Status::Unusable
    } else if reports.iter().any(failed) {
        Status::Faulty
    } else {
        Status::Good
    })
}

fn nothing_to_test(found: usize) -> Failure {
    match found {
        0 => Failure::new("there was nothing to test")
            .help("a test is a `[[tests]]` entry of a definition; a directory is searched for `*.loop.toml` and `loop.toml`"),
        1 => Failure::new("--filter: the one test there is has another name"),
        found => Failure::new(format!("--filter: none of the {found} tests has such a name")),
    }
}

/// The tests of a definition, also of one that has an error: each of its tests fails for that.
fn cases_of(source: Source) -> Vec<Case> {
    let source = Arc::new(source);
    let accepted = Accepted::new(source.analysis.clone(), &source.host).map_err(|rejected| {
        let message = match rejected.0.first() {
            Some(error) => format!("{rejected}: {} [{}]", error.message, error.code),
            None => rejected.to_string(),
        };
        let span = rejected
            .0
            .first()
            .map_or_else(Default::default, |error| error.span);
        Miss { span, message }
    });
    let indexes = 0..source.analysis.definition.tests.len();
    indexes
        .map(|index| Case {
            source: source.clone(),
            index,
            accepted: accepted.clone(),
        })
        .collect()
}

/// Runs `cases`, several at a time; returns their reports in order, and whether somebody cancelled.
fn run(cases: Vec<Case>, arguments: &Arguments) -> Result<(Vec<Report>, bool), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("the tests cannot start: {error}")))?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.map_or_else(cores, usize::from);
    let cancel = CancellationToken::new();
    runtime.spawn(cancel_on_signals(cancel.clone(), output::say));
    let reports = runtime.block_on(async {
        let running = stream::iter(cases).map(|case| {
            let run_case = run_case(
                case,
                arguments.allow.clone(),
                arguments.live,
                cancel.clone(),
            );
            tokio::spawn(run_case)
        });
        let mut running = running.buffered(jobs);
        let mut reports: Vec<Report> = Vec::new();
        while let Some(report) = running.next().await {
            let report =
                report.map_err(|error| Failure::new(format!("a test broke off: {error}")))?;
            if arguments.format == Format::Text {
                let path = reports.last().map(|report| report.source.name.as_str());
                output::print(&report::text(&report, path))?;
            }
            reports.push(report);
        }
        Ok(reports)
    });
    runtime.shutdown_background();
    Ok((reports?, cancel.is_cancelled()))
}

/// Binds for the test called `name`: with the servers that it needs.
async fn bind_for_test(
    source: &Source,
    accepted: &Accepted,
    name: &str,
) -> Result<Bound, BindError> {
    let foreseen = foreseen(accepted.definition(), name);
    bind_source(source, accepted, foreseen).await
}

/// Runs one test, which is bound for itself: nothing is shared between two tests.
async fn run_case(case: Case, allow: Vec<String>, live: bool, cancel: CancellationToken) -> Report {
    let start = Instant::now();
    let test = case.test();
    let (name, span) = (test.name.text().to_owned(), test.span);
    let miss = |message: String| Outcome::Failed(vec![Miss { span, message }]);
    let outcome = match &case.accepted {
        Err(error) => Outcome::Failed(vec![error.clone()]),
        Ok(accepted) if !live && is_live(accepted.definition(), test) => {
            Outcome::Skipped("it has no script and asks the real model; --live runs it".into())
        }
        Ok(accepted) => match bind_for_test(&case.source, accepted, &name).await {
            Err(error) => Outcome::Failed(vec![Miss {
                span: error.span().unwrap_or(span),
                message: error.to_string(),
            }]),
            Ok(bound) => {
                for notice in notices(&case.source, &bound) {
                    output::say(&notice);
                }
                let context = TestContext {
                    run: Uuid::new_v4().to_string(),
                    uri: case.source.uri(),
                    allow,
                    live,
                    events: Arc::new(|_| {}),
                    cancel,
                };
                let tested = run_test(&bound, &name, context).await;
                bound.end().await;
                match tested {
                    Err(error) => miss(error.to_string()),
                    Ok(outcome) if outcome.passed() => Outcome::Passed,
                    Ok(outcome) => Outcome::Failed(outcome.misses),
                }
            }
        },
    };
    Report {
        name,
        span,
        outcome,
        took: start.elapsed(),
        source: case.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards() {
        for (text, expected) in [
            ("1/1", Some((0, 1))),
            ("2/3", Some((1, 3))),
            ("3/3", Some((2, 3))),
            ("0/3", None),
            ("4/3", None),
            ("1/0", None),
            ("1", None),
            ("a/b", None),
        ] {
            let expected = expected.map(|(index, count)| Shard { index, count });
            assert_eq!(shard(text).ok(), expected, "{text}");
        }
    }
}
