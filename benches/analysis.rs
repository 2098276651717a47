//! How long the analysis of a text takes, phase by phase, and which text of all half-typed ones takes longest.
//!
//! `cargo bench --bench analysis --no-default-features`, on an idle machine. An argument is the length of a generated
//! text in lines; keys are then typed into it for a while, for a profiler.

#[path = "server/definition.rs"]
#[expect(
    dead_code,
    reason = "places in the text, which only the server's driver needs"
)]
mod definition;

use definition::Definition;
use loopls::check::{Analysis, Diagnostic, Severity};
use loopls::definition::{Mentions, Names, Nowhere, lower};
use loopls::syntax::{Table, parse};
use ropey::Rope;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let lines = std::env::args().find_map(|argument| argument.parse().ok());
    if let Some(lines) = lines {
        typed(&Definition::of_lines(lines).text, 2_000);
        return;
    }
    println!(
        "time in milliseconds: half of all runs took at most the first, 99 of 100 the second\n"
    );
    for lines in [100, 1_200, 11_000] {
        phases(lines);
    }
    half_typed();
}

fn phases(lines: usize) {
    let text = Definition::of_lines(lines).text;
    let rope = Rope::from_str(&text);
    let (tree, errors) = parse(&text);
    assert_eq!(errors, [], "the generated text is TOML");
    let (table, _) = Table::build(&tree);
    let lowered = lower(&table);
    let analysis = Analysis::new(rope.clone());
    let found = analysis.diagnostics_in(&Nowhere);
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    // A key that stands twice, which the generated text has on purpose.
    assert_eq!(found.iter().filter(is_error).count(), 1, "{found:#?}");
    println!(
        "{} lines, {} bytes, {} diagnostics",
        text.lines().count(),
        text.len(),
        found.len()
    );
    let runs = 2_000_000 / text.len().max(10_000) + 20;
    row("parse", runs, || parse(&text));
    row("tables", runs, || Table::build(&tree));
    row("definition", runs, || lower(&table));
    let names = Names::of(&lowered);
    row("names", runs, || Names::of(&lowered));
    row("mentions", runs, || Mentions::of(&lowered, &names, &text));
    row("whole analysis", runs, || Analysis::new(rope.clone()));
    row("and surroundings", runs, || {
        analysis.diagnostics_in(&Nowhere)
    });
    typed(&text, runs);
    println!();
}

/// Analyses `text` after each key that is typed in the middle of it, and deleted again.
fn typed(text: &str, runs: usize) {
    let middle = text[..text.len() / 2]
        .rfind("Its colour")
        .expect("it is in each part");
    let texts = ["", "x"]
        .map(|typed| Rope::from_str(&format!("{}{typed}{}", &text[..middle], &text[middle..])));
    let mut analysis = Some(Analysis::new(texts[0].clone()));
    let times = (1..=runs).map(|run| {
        let mut before = analysis.take().expect("each run puts it back");
        let rope = texts[run % 2].clone();
        let start = Instant::now();
        let after = Analysis::after(&mut before, rope);
        black_box(after.diagnostics_in(&Nowhere));
        let time = start.elapsed();
        analysis = Some(after);
        time
    });
    print_row("after a key", times.collect());
}

fn row<T>(name: &str, runs: usize, work: impl Fn() -> T) {
    print_row(name, (0..runs).map(|_| time(&work)).collect());
}

fn print_row(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let [half, most] = [50, 99].map(|percent| times[(times.len() - 1) * percent / 100]);
    println!(
        "  {name:<18} {:>8.3} {:>8.3}",
        milliseconds(half),
        milliseconds(most)
    );
}

/// The time of the work, without that of dropping what it made: that is somebody else's.
fn time<T>(work: impl Fn() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(work());
    let time = start.elapsed();
    drop(made);
    time
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The texts that `recovery` among the tests has; the longest time of each kind.
fn half_typed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let files = std::fs::read_dir(folder).expect("the examples are there");
    let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    println!("the longest of one analysis");
    for path in files {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("an example is text");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        for (kind, texts) in kinds(&text) {
            let longest = texts.map(|text| {
                let rope = Rope::from_str(&text);
                let analyse = || Analysis::new(rope.clone()).diagnostics_in(&Nowhere);
                // The shortest of a few, which other work on the machine did not hold up.
                (0..3).map(|_| time(analyse)).min().unwrap_or_default()
            });
            let longest = longest.max().unwrap_or_default();
            println!("  {name:<28} {kind:<18} {:>8.3}", milliseconds(longest));
        }
    }
}

type Texts<'t> = Box<dyn Iterator<Item = String> + 't>;

/// Every beginning of `text`, all with one character dropped, and all with one line doubled.
fn kinds(text: &str) -> [(&'static str, Texts<'_>); 3] {
    let prefixes = text.char_indices().map(|(at, _)| text[..at].to_owned());
    let dropped = text
        .char_indices()
        .map(|(at, dropped)| format!("{}{}", &text[..at], &text[at + dropped.len_utf8()..]));
    let mut at = 0;
    let doubled = text.split_inclusive('\n').map(move |line| {
        at += line.len();
        format!("{}{line}{}", &text[..at], &text[at..])
    });
    [
        ("beginnings", Box::new(prefixes)),
        ("one byte less", Box::new(dropped)),
        ("one line twice", Box::new(doubled)),
    ]
}
