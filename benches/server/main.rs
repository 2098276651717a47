//! Types into generated definitions and takes the time of what a person waits for.
//!
//!     cargo bench --bench server                       every server that is there, every length
//!     cargo bench --bench server -- loopls 1200        that one, that many lines
//!
//! `LOOPLS=/path/of/loopls` takes that server instead of building one. Beside loopls stand tombi and taplo, servers for
//! TOML as such, where they are on `PATH`. Every server gets the same text and the same keys: a line is typed into the
//! middle and taken away again, so that most of the texts are half typed. Each number is what the client sees, from the
//! first byte sent to the last byte read.

mod client;
mod definition;

use client::Client;
use definition::Definition;
use std::fmt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

const LINES: [usize; 3] = [100, 1_200, 11_000];

/// What is typed, and taken away again.
const TYPED: &str = "retry = { attempts = 2, delay = \"1s\" }";

/// How often.
const ROUNDS: usize = 6;

/// How often a server is started.
const STARTS: usize = 30;

/// Between two keys, so that a server goes to sleep as it does between the keys of a person.
const PAUSE: Duration = Duration::from_millis(5);

fn main() {
    // cargo passes `--bench`.
    let wanted = std::env::args().skip(1).filter(|it| !it.starts_with('-'));
    let (lines, names): (Vec<_>, Vec<_>) = wanted.partition(|it| it.parse::<usize>().is_ok());
    let mut lines: Vec<usize> = lines.iter().filter_map(|it| it.parse().ok()).collect();
    if lines.is_empty() {
        lines.extend(LINES);
    }
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let root = format!("file://{}", folder.path().display());

    println!("p50 / p99, in milliseconds");
    println!();
    println!(
        "| server | lines | start | key to diagnostics | hover | completion | tokens | memory | threads |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, command) in servers() {
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        let Some(starts) = starts(&command, &root) else {
            eprintln!("`{}` does not answer", command.join(" "));
            continue;
        };
        for &lines in &lines {
            let row = measure(&command, &root, lines);
            println!("| {name} | {lines} | {starts} | {row} |");
        }
    }
}

/// The servers that are there, by name, with their command lines.
fn servers() -> Vec<(String, Vec<String>)> {
    let ours = std::env::var("LOOPLS").unwrap_or_else(|_| env!("CARGO_BIN_EXE_loopls").to_owned());
    let mut servers = vec![("loopls".to_owned(), vec![ours, "lsp".to_owned()])];
    for (name, arguments) in [("tombi", &["lsp"][..]), ("taplo", &["lsp", "stdio"])] {
        if let Some(program) = on_path(name) {
            let arguments = arguments.iter().map(|&it| it.to_owned());
            let command = std::iter::once(program.display().to_string()).chain(arguments);
            servers.push((name.to_owned(), command.collect()));
        }
    }
    servers
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = std::env::split_paths(&path).map(|folder| folder.join(program));
    places.into_iter().find(|place| place.is_file())
}

/// How long it takes to start `command`; `None` where it does not answer.
fn starts(command: &[String], root: &str) -> Option<Times> {
    let mut starts = Times::default();
    for _ in 0..STARTS {
        let (client, time) = Client::start(command, root)?;
        starts.take(time);
        client.finish();
    }
    Some(starts)
}

/// Types into a definition of `lines` lines; returns the rest of the table's row.
fn measure(command: &[String], root: &str, lines: usize) -> String {
    let definition = Definition::of_lines(lines);
    let (mut client, _) = Client::start(command, root).expect("it did before");
    let found = client.open(&definition.text);
    let fault = |found: &[serde_json::Value]| {
        let mut lines = found.iter().map(|it| &it["range"]["start"]["line"]);
        lines.any(|line| *line == definition.fault)
    };
    assert!(fault(&found), "the fault is not found: {found:#?}");

    let [mut keys, mut hover, mut completion, mut tokens] = [(); 4].map(|()| Times::default());
    for _ in 0..ROUNDS {
        let columns = 0..TYPED.len() as u32;
        let there = columns.clone().map(|column| (column, true));
        let back = columns.rev().map(|column| (column, false));
        for (column, types) in there.chain(back) {
            sleep(PAUSE);
            let at = column as usize;
            let (sent, cursor) = match types {
                true => (
                    client.edit(definition.typed, column, column, &TYPED[at..=at]),
                    column + 1,
                ),
                false => (
                    client.edit(definition.typed, column, column + 1, ""),
                    column,
                ),
            };
            let (_, came) = client.diagnostics();
            keys.take(came - sent);
            let mut ask = |method, place, times: &mut Times| {
                let (result, time) = client.ask(method, place);
                times.take(time);
                result
            };
            ask(
                "textDocument/completion",
                Some((definition.typed, cursor)),
                &mut completion,
            );
            ask("textDocument/hover", Some(definition.mode_name), &mut hover);
            ask("textDocument/semanticTokens/full", None, &mut tokens);
        }
    }
    // A last key, after which all is as it was.
    client.edit(definition.typed, 0, 0, " ");
    assert!(
        fault(&client.diagnostics().0),
        "the fault is not found at the end"
    );
    let memory = client.peak_memory().map_or("?".to_owned(), |kib| {
        format!("{:.1} MiB", kib as f64 / 1024.0)
    });
    let threads = client.threads().map_or("?".to_owned(), |it| it.to_string());
    client.finish();
    format!("{keys} | {hover} | {completion} | {tokens} | {memory} | {threads}")
}

/// Times of the same thing, again and again.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn take(&mut self, time: Duration) {
        self.0.push(time);
    }
}

/// The median and the time that one in a hundred exceeds.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let share = |part: f64| {
            let at = ((sorted.len() as f64 * part) as usize).min(sorted.len() - 1);
            sorted[at].as_secs_f64() * 1e3
        };
        write!(f, "{:.2} / {:.2}", share(0.5), share(0.99))
    }
}
