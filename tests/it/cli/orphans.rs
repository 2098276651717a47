//! Many calls that end in every way: no process, no zombie and no open file is left of them.
//!
//! `LOOPLS_TEST_CALLS` says how many calls there are in all; a thousand and more take minutes.
#![cfg(target_os = "linux")]

use super::LOOPLS;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const CALLS_A_STEP: usize = 8;

fn calls() -> usize {
    let given = std::env::var("LOOPLS_TEST_CALLS").ok();
    given.map_or(160, |calls| calls.parse().expect("a number of calls"))
}

/// A run whose calls end by themselves, leave something in the background or come to their timeout.
struct Busy {
    child: Child,
    events: Lines<BufReader<ChildStdout>>,
    /// How long everything sleeps that it starts, which is what tells it from all else.
    seconds: String,
    /// A variable in the environment of the program and its guards.
    mark: String,
    _folder: tempfile::TempDir,
}

impl Busy {
    fn start(steps: usize) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let seconds = format!("200000.{:07}{number:03}", std::process::id());
        let mark = format!("LOOPLS_TEST_MARK={seconds}");
        let batch = ["quick", "leaves", "late", "leaves"].repeat(CALLS_A_STEP / 4);
        let batch: Vec<_> = batch
            .iter()
            .map(|tool| format!("{{ tool = \"{tool}\" }}"))
            .collect();
        let batch = format!("{{ calls = [{}] }},\n", batch.join(", "));
        let text = format!(
            r#"name = "busy"
prompt = "Go."
drain_timeout = "200ms"

[limits]
iterations = 1000000
calls = 1000000

[[tools]]
name = "quick"
effect = "read"
command = ["true"]

[[tools]]
name = "leaves"
effect = "read"
command = ["sh", "-c", "(sleep {seconds}; sleep {seconds}) >/dev/null 2>&1 & setsid sleep {seconds} >/dev/null 2>&1 & echo done"]

[[tools]]
name = "late"
effect = "read"
command = ["sleep", "{seconds}"]
timeout = "30ms"

[model]
provider = "scripted"
name = "m"
script = [
{}{{ text = "Done.", delay = "1s" }},
]
"#,
            batch.repeat(steps)
        );
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("busy.loop.toml");
        fs::write(&file, text).unwrap();
        let (name, value) = mark.split_once('=').unwrap();
        let mut child = Command::new(LOOPLS)
            .args(["run", "--json", "--no-transcript"])
            .arg(&file)
            .env(name, value)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            events: BufReader::new(child.stdout.take().unwrap()).lines(),
            child,
            seconds,
            mark,
            _folder: folder,
        }
    }

    /// Reads events up to one that holds `text`.
    fn until(&mut self, text: &str) {
        let found = self.events.by_ref().map_while(Result::ok);
        assert!(found.into_iter().any(|line| line.contains(text)), "{text}");
    }

    fn open_files(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.child.id());
        fs::read_dir(folder).unwrap().count()
    }

    /// Ends it with a signal, or lets it end; then nothing of it may be left.
    fn end(mut self, signal: Option<&str>) {
        if let Some(signal) = signal {
            let id = self.child.id().to_string();
            let status = Command::new("kill").args([signal, &id]).status().unwrap();
            assert!(status.success());
        }
        // A run whose standard output nobody reads is cancelled.
        self.events.by_ref().map_while(Result::ok).for_each(drop);
        self.child.wait().unwrap();
        let start = Instant::now();
        loop {
            let left = left(&self.seconds, &self.mark);
            if left.is_empty() {
                return;
            }
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{signal:?}: {left:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The processes that sleep for `seconds` or have `mark` in their environment.
fn left(seconds: &str, mark: &str) -> Vec<String> {
    let holds = |path: &Path, text: &str| {
        let bytes = fs::read(path).unwrap_or_default();
        let mut parts = bytes.split(|byte| *byte == 0);
        parts.any(|part| part == text.as_bytes())
    };
    let of_it = processes().filter(|process| {
        holds(&process.join("cmdline"), seconds) || holds(&process.join("environ"), mark)
    });
    let told = of_it.map(|process| fs::read_to_string(process.join("stat")).unwrap_or_default());
    told.collect()
}

/// The children of `parent` that have ended and that it has not reaped.
fn zombies(parent: u32) -> usize {
    let of_it = processes().filter(|process| {
        let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        let mut fields = fields.split_ascii_whitespace();
        fields.next() == Some("Z") && fields.next() == Some(&parent.to_string())
    });
    of_it.count()
}

fn processes() -> impl Iterator<Item = std::path::PathBuf> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbered = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().bytes().all(|c| c.is_ascii_digit())
    });
    numbered.map(|entry| entry.path())
}

/// AutoRAG#1500, codex#5258.
#[test]
fn a_run_of_many_calls_holds_nothing_of_them() {
    let steps = calls().div_ceil(CALLS_A_STEP) / 2;
    let mut run = Busy::start(steps);
    run.until("\"type\":\"step_started\",\"step\":2");
    let before = run.open_files();
    // The last reply takes its time.
    run.until(&format!("\"type\":\"step_started\",\"step\":{}", steps + 1));
    let after = run.open_files();
    assert!(
        after <= before,
        "{after} open files, {before} after one step"
    );
    assert_eq!(zombies(run.child.id()), 0);
    assert_eq!(left(&run.seconds, "none").len(), 0);
    run.end(None);
}

/// claude-code#1776, codex#5258.
#[test]
fn a_run_that_is_ended_in_the_middle_of_many_calls_leaves_nothing() {
    let signals = ["-KILL", "-INT", "-TERM", "-HUP"];
    let runs = calls().div_ceil(2 * CALLS_A_STEP).div_ceil(signals.len());
    for round in 0..runs {
        for signal in signals {
            let mut run = Busy::start(1_000);
            // Each time a little later in a batch.
            let call = 1 + round % CALLS_A_STEP;
            run.until(&format!("\"type\":\"tool_started\",\"call\":{call},"));
            run.until("\"type\":\"tool_completed\"");
            run.end(Some(signal));
        }
    }
}
