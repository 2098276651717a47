//! What is left of a run that is ended: nothing.
#![cfg(target_os = "linux")]

use super::loopls;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A run whose tool sleeps and has put another sleep into the background, both with `seconds` in their command lines.
struct Sleeping {
    child: Child,
    seconds: String,
    _folder: tempfile::TempDir,
}

impl Sleeping {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Nobody else sleeps for this long.
        let nonce = folder
            .path()
            .to_string_lossy()
            .bytes()
            .fold(7_u64, |sum, byte| {
                (sum * 31 + u64::from(byte)) % 1_000_000_007
            });
        let seconds = format!("100000.{nonce}");
        let file = folder.path().join("sleep.loop.toml");
        let script = format!("sleep {seconds} & echo both; exec sleep {seconds}");
        std::fs::write(folder.path().join("sleep.sh"), script).unwrap();
        std::fs::write(
            &file,
            "name = \"sleeper\"\nprompt = \"Sleep.\"\ndrain_timeout = \"200ms\"\n\
             [model]\nprovider = \"scripted\"\nname = \"x\"\n\
             [[model.script]]\ncalls = [{ tool = \"sleep\", input = {} }]\n\
             [[tools]]\nname = \"sleep\"\ndescription = \"Sleeps.\"\neffect = \"read\"\n\
             timeout = \"1h\"\ncommand = [\"sh\", \"sleep.sh\"]\n",
        )
        .unwrap();
        let mut command = loopls(&["run", "--json", file.to_str().unwrap()]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = lines.map_while(Result::ok);
        assert!(
            seen.any(|line| line.contains("tool_output")),
            "the tool has started"
        );
        // Keep reading, so that the run is not cancelled for want of a reader.
        std::thread::spawn(move || seen.for_each(drop));
        let sleeping = Self {
            child,
            seconds,
            _folder: folder,
        };
        wait_until(|| sleeping.sleepers() == 2);
        sleeping
    }

    fn sleepers(&self) -> usize {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
            .filter(|line| {
                let line = String::from_utf8_lossy(line);
                line.starts_with("sleep\0") && line.contains(&self.seconds)
            })
            .count()
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Exit status; none left two seconds after the end.
    fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        wait_until(|| self.sleepers() == 0);
        let mut err = String::new();
        let pipe = self.child.stderr.as_mut().unwrap();
        std::io::Read::read_to_string(pipe, &mut err).unwrap();
        (status.code(), err)
    }
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "not within two seconds"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_run_that_is_killed_leaves_no_process() {
    let run = Sleeping::start();
    run.signal("-KILL");
    assert_eq!(run.end().0, None);
}

#[test]
fn an_interrupt_cancels_and_leaves_no_process() {
    for signal in ["-INT", "-TERM"] {
        let run = Sleeping::start();
        run.signal(signal);
        let (code, err) = run.end();
        assert_eq!(code, Some(130), "{signal}: {err}");
        assert!(
            err.contains("cancelling; Ctrl-C again leaves at once"),
            "{signal}: {err}"
        );
    }
}
