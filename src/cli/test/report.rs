//! Results of tests as people and machines read them.

use crate::cli::output::{DIM, ERROR};
use crate::cli::printable::{printable, printable_line};
use crate::cli::report::{Range, escape_json, range};
use crate::cli::source::Source;
use crate::run::Miss;
use crate::text::{Encoding, Span, position_at};
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const GOOD: Style = AnsiColor::Green.on_default();

/// What came of one test.
pub struct Report {
    pub source: Arc<Source>,
    pub name: String,
    /// The test's header.
    pub span: Span,
    pub outcome: Outcome,
    pub took: Duration,
}

/// Whether a test passed.
pub enum Outcome {
    Passed,
    /// What was not as expected.
    Failed(Vec<Miss>),
    /// Why it was not run.
    Skipped(String),
}

#[derive(Clone, Copy, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Counts {
    fn of<'a>(reports: impl IntoIterator<Item = &'a Report>) -> Self {
        let mut counts = Self::default();
        for report in reports {
            *match report.outcome {
                Outcome::Passed => &mut counts.passed,
                Outcome::Failed(_) => &mut counts.failed,
                Outcome::Skipped(_) => &mut counts.skipped,
            } += 1;
        }
        counts
    }
}

/// `3 tests: 1 passed, 1 failed, 1 skipped`.
pub fn summary(reports: &[Report]) -> String {
    let Counts {
        passed,
        failed,
        skipped,
    } = Counts::of(reports);
    let noun = if reports.len() == 1 { "test" } else { "tests" };
    let mut text = format!("{} {noun}: {passed} passed", reports.len());
    for (count, word) in [(failed, "failed"), (skipped, "skipped")] {
        if count > 0 {
            let _ = write!(text, ", {count} {word}");
        }
    }
    text
}

/// The lines of one test, under the name of its file where the test before was of another.
pub fn text(report: &Report, path_before: Option<&str>) -> String {
    let path = report.source.name.as_str();
    let mut text = String::new();
    // Writing to a string does not fail.
    if path_before != Some(path) {
        let _ = writeln!(text, "{}", printable_line(path));
    }
    let name = printable_line(&report.name);
    let took = report.took.as_millis();
    let _ = match &report.outcome {
        Outcome::Passed => writeln!(text, "  {GOOD}✓{GOOD:#} {name} {DIM}· {took} ms{DIM:#}"),
        Outcome::Failed(_) => writeln!(text, "  {ERROR}✗ {name}{ERROR:#} {DIM}· {took} ms{DIM:#}"),
        Outcome::Skipped(reason) => writeln!(text, "  - {name} {DIM}· skipped: {reason}{DIM:#}"),
    };
    if let Outcome::Failed(misses) = &report.outcome {
        for miss in misses {
            let place = printable_line(&report.source.place(miss.span));
            let _ = writeln!(text, "      {place}: {}", printable(&miss.message));
        }
    }
    text
}

#[derive(Serialize)]
struct Output<'a> {
    version: u32,
    tests: Vec<Entry<'a>>,
    passed: usize,
    failed: usize,
    skipped: usize,
}

#[derive(Serialize)]
struct Entry<'a> {
    path: &'a str,
    name: &'a str,
    range: Range,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    ms: u128,
    misses: Vec<MissEntry<'a>>,
}

#[derive(Serialize)]
struct MissEntry<'a> {
    message: &'a str,
    range: Range,
}

/// One JSON document with a newline at its end; version 1, positions as in LSP (zero-based, UTF-16). `range` is the
/// test's header, that of a miss the expectation; a skipped test has a `reason`.
pub fn json(reports: &[Report]) -> String {
    let counts = Counts::of(reports);
    let tests = reports.iter().map(|report| {
        let rope = &report.source.analysis.rope;
        let (status, misses, reason) = match &report.outcome {
            Outcome::Passed => ("passed", &[][..], None),
            Outcome::Failed(misses) => ("failed", misses.as_slice(), None),
            Outcome::Skipped(reason) => ("skipped", &[][..], Some(reason.as_str())),
        };
        let misses = misses.iter().map(|miss| MissEntry {
            message: &miss.message,
            range: range(rope, miss.span),
        });
        Entry {
            path: &report.source.name,
            name: &report.name,
            range: range(rope, report.span),
            status,
            reason,
            ms: report.took.as_millis(),
            misses: misses.collect(),
        }
    });
    let output = Output {
        version: 1,
        tests: tests.collect(),
        passed: counts.passed,
        failed: counts.failed,
        skipped: counts.skipped,
    };
    // Strings, numbers and lists with text keys always serialize.
    let text = serde_json::to_string_pretty(&output).unwrap_or_default();
    format!("{}\n", escape_json(&text))
}

/// JUnit's XML: a suite a file, a case a test.
pub fn junit(reports: &[Report]) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<testsuites {}>", attributes(reports));
    for suite in reports.chunk_by(|one, other| Arc::ptr_eq(&one.source, &other.source)) {
        let path = escape_xml(&suite[0].source.name);
        let _ = writeln!(xml, "  <testsuite name=\"{path}\" {}>", attributes(suite));
        for report in suite {
            let start = position_at(
                &report.source.analysis.rope,
                report.span.start,
                Encoding::Utf32,
            );
            let _ = write!(
                xml,
                "    <testcase classname=\"{path}\" name=\"{}\" file=\"{path}\" line=\"{}\" time=\"{:.3}\"",
                escape_xml(&report.name),
                start.line + 1,
                report.took.as_secs_f64(),
            );
            let inner = match &report.outcome {
                Outcome::Passed => {
                    xml.push_str("/>\n");
                    continue;
                }
                Outcome::Skipped(reason) => {
                    format!("<skipped message=\"{}\"/>", escape_xml(reason))
                }
                Outcome::Failed(misses) => failure(&report.source, misses),
            };
            let _ = writeln!(xml, ">\n      {inner}\n    </testcase>");
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn failure(source: &Source, misses: &[Miss]) -> String {
    let first = misses.first().map_or("", |miss| &miss.message);
    let lines = misses
        .iter()
        .map(|miss| format!("{}: {}", source.place(miss.span), miss.message));
    let text = lines.collect::<Vec<_>>().join("\n");
    format!(
        "<failure message=\"{}\">{}</failure>",
        escape_xml(first),
        escape_xml(&text)
    )
}

fn attributes(reports: &[Report]) -> String {
    let counts = Counts::of(reports);
    let time: Duration = reports.iter().map(|report| report.took).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{:.3}\"",
        reports.len(),
        counts.failed,
        counts.skipped,
        time.as_secs_f64(),
    )
}

/// `text` for an attribute or between tags. What XML cannot hold at all is written out.
fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // A reader makes spaces of line breaks in attributes.
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(character));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_written_out() {
        for (text, expected) in [
            (
                "a < b && \"c\" > d",
                "a &lt; b &amp;&amp; &quot;c&quot; &gt; d",
            ),
            ("one\r\n\ttwo", "one&#13;&#10;&#9;two"),
            ("\u{1b}[2J\u{0}\u{ffff}", "\\u{1b}[2J\\u{0}\\u{ffff}"),
        ] {
            assert_eq!(escape_xml(text), expected);
        }
    }
}
