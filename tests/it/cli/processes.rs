//! What is left of a run that is ended: nothing.
#![cfg(target_os = "linux")]

use super::loopls;
use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const DEFINITION: &str = r#"
name = "sleeper"
prompt = "Sleep."
drain_timeout = "DRAIN"

[model]
provider = "scripted"
name = "sleeper-1"

[[model.script]]
calls = [{ tool = "sleep", input = {} }]

[[tools]]
name = "sleep"
description = "Sleeps, in the background too."
effect = "read"
timeout = "1h"
command = ["sh", "sleep.sh"]
"#;

/// A run whose tool sleeps and has put another sleep into the background.
struct Sleeping {
    child: Child,
    messages: Lines<BufReader<ChildStderr>>,
    /// How long both sleep, which is what tells them from all others.
    seconds: String,
    _folder: tempfile::TempDir,
}

impl Sleeping {
    /// Starts it; `script` is run before the sleeps.
    fn start(script: &str, drain_timeout: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let seconds = format!("100000.{:07}{number:03}", std::process::id());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sleep.loop.toml");
        std::fs::write(&file, DEFINITION.replace("DRAIN", drain_timeout)).unwrap();
        let script = format!("{script}\nsleep {seconds} &\necho both\nsleep {seconds}\n");
        std::fs::write(folder.path().join("sleep.sh"), script).unwrap();

        let mut command = loopls(&["run", "--json", file.to_str().unwrap()]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let records = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut records = records.map_while(Result::ok);
        assert!(records.any(|line| line.contains("tool_output")));
        // A run whose standard output nobody reads is cancelled.
        std::thread::spawn(move || records.for_each(drop));
        let sleeping = Self {
            messages: BufReader::new(child.stderr.take().unwrap()).lines(),
            child,
            seconds,
            _folder: folder,
        };
        within_two_seconds(|| sleeping.sleepers() == 2);
        sleeping
    }

    fn sleepers(&self) -> usize {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let command_lines =
            processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
        let sleeper = format!("sleep\0{}\0", self.seconds);
        command_lines
            .filter(|line| *line == sleeper.as_bytes())
            .count()
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(status.success());
    }

    fn next_message(&mut self) -> String {
        self.messages.next().unwrap().unwrap()
    }

    /// Waits for the end, sees that nothing is left, and returns the exit status.
    fn end(mut self) -> Option<i32> {
        let status = self.child.wait().unwrap();
        within_two_seconds(|| self.sleepers() == 0);
        status.code()
    }
}

fn within_two_seconds(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(2));
        std::thread::sleep(Duration::from_millis(10));
    }
}

const CANCELLING: &str = "cancelling; Ctrl-C again leaves at once";

#[test]
fn a_run_that_is_killed_leaves_no_process() {
    let run = Sleeping::start("", "1h");
    run.signal("-KILL");
    assert_eq!(run.end(), None);
}

#[test]
fn a_signal_cancels_and_leaves_no_process() {
    for signal in ["-INT", "-TERM"] {
        let mut run = Sleeping::start("", "1h");
        run.signal(signal);
        assert_eq!(run.next_message(), CANCELLING);
        assert_eq!(run.end(), Some(130), "{signal}");
    }
}

#[test]
fn a_second_interrupt_does_not_wait_for_a_tool_that_will_not_end() {
    let mut run = Sleeping::start("trap '' TERM", "1h");
    run.signal("-INT");
    assert_eq!(run.next_message(), CANCELLING);
    run.signal("-INT");
    assert_eq!(run.end(), Some(130));
}

#[test]
fn a_run_without_a_reader_is_cancelled() {
    let mut command = loopls(&["run", "--json", "run.loop.toml"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child = command
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut err = String::new();
    let mut pipe = child.stderr.take().unwrap();
    pipe.read_to_string(&mut err).unwrap();
    assert_eq!(
        err,
        "standard output cannot be written; the run is cancelled\n"
    );
    child.wait().unwrap();
}
