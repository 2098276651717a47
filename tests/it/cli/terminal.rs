//! A person at a terminal.
#![cfg(unix)]

use super::loopls;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A program on a terminal of its own.
struct Terminal {
    keyboard: File,
    screen: Arc<(Mutex<Screen>, Condvar)>,
    child: Child,
}

#[derive(Default)]
struct Screen {
    /// All that was shown.
    text: String,
    /// How much of it was expected so far.
    expected: usize,
}

impl Terminal {
    /// Starts the program with its three streams on a terminal, except standard output where the command says so.
    fn start(mut command: Command, piped: bool) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let line = File::options()
            .read(true)
            .write(true)
            .custom_flags(OFlags::NOCTTY.bits() as i32)
            .open(name.to_str().unwrap())
            .unwrap();
        command.stdin(line.try_clone().unwrap());
        command.stderr(line.try_clone().unwrap());
        match piped {
            true => command.stdout(Stdio::piped()),
            false => command.stdout(line),
        };
        let child = command.spawn().unwrap();
        // The command holds the terminal's other end open, and nobody would see the end of it.
        drop(command);

        let keyboard = File::from(master);
        let screen = Arc::new((Mutex::new(Screen::default()), Condvar::new()));
        let (mut from, to) = (keyboard.try_clone().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            // The end of a terminal is an error.
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let (screen, changed) = &*to;
                let text = String::from_utf8_lossy(&bytes[..count]);
                screen.lock().unwrap().text.push_str(&text);
                changed.notify_all();
            }
        });
        Self {
            keyboard,
            screen,
            child,
        }
    }

    /// Waits until `words` were shown after what was expected before.
    fn expect(&self, words: &str) {
        let (screen, changed) = &*self.screen;
        let found = |screen: &Screen| screen.text[screen.expected..].find(words);
        let (mut screen, _) = changed
            .wait_timeout_while(screen.lock().unwrap(), Duration::from_secs(20), |screen| {
                found(screen).is_none()
            })
            .unwrap();
        let Some(at) = found(&screen) else {
            panic!("{words:?} is not shown in {:?}", screen.text)
        };
        screen.expected += at + words.len();
    }

    fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Exit status, what was shown, and what came out of the pipe, if there is one.
    fn end(self) -> (Option<i32>, String, String) {
        let output = self.child.wait_with_output().unwrap();
        let shown = self.screen.0.lock().unwrap().text.clone();
        let out = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), shown, out)
    }
}

#[test]
fn each_call_is_asked_about_and_enter_denies() {
    let mut terminal = Terminal::start(loopls(&["run", "write.loop.toml"]), false);
    terminal.expect("? refund");
    terminal.expect("(write) of write.loop.toml");
    terminal.expect("printf");
    terminal.expect("allow refund for this [r]un: ");
    terminal.type_keys("o\n");
    terminal.expect("? close");
    terminal.expect("(irreversible)");
    terminal.expect("Deny [Enter], allow [o]nce: ");
    terminal.type_keys("\n");
    terminal.expect("Done.");
    terminal.expect("✓ answer");
    let (code, shown, _) = terminal.end();
    assert_eq!(code, Some(0));
    for words in ["✓ refund", "paid back", "✗ close"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let mut command = loopls(&["run", "write.loop.toml"]);
    command.env("NO_COLOR", "1");
    let mut terminal = Terminal::start(command, false);
    terminal.expect("[r]un: ");
    // Two answers at once: the second was typed before its question was shown.
    terminal.type_keys("o\no\n");
    terminal.expect("[o]nce: ");
    terminal.type_keys("n\n");
    terminal.expect("✗ close");
    assert_eq!(terminal.end().0, Some(0));
}

#[test]
fn an_interrupt_ends_an_open_question() {
    let terminal = Terminal::start(loopls(&["run", "write.loop.toml"]), false);
    terminal.expect("[r]un: ");
    let id = terminal.child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    terminal.expect("✗ cancelled");
    assert_eq!(terminal.end().0, Some(130));
}

#[test]
fn the_prompt_is_read_and_only_a_terminal_is_shown_written_out_controls() {
    let mut terminal = Terminal::start(loopls(&["run", "unprompted.loop.toml"]), false);
    terminal.expect("prompt:");
    terminal.type_keys("Is it shipped?\n");
    terminal.expect("\\u{1b}[2Jshipped\r\n");
    let (code, shown, _) = terminal.end();
    assert_eq!(code, Some(0));
    assert_eq!(
        shown.matches("shipped\r\n").count(),
        1,
        "the answer once: {shown}"
    );

    let mut terminal = Terminal::start(loopls(&["run", "unprompted.loop.toml"]), true);
    terminal.type_keys("Is it shipped?\n");
    terminal.expect("✓ answer");
    let (code, shown, out) = terminal.end();
    assert_eq!((code, out.as_str()), (Some(0), "\u{1b}[2Jshipped\n"));
    assert!(!shown.contains("[2J"), "{shown}");
}

#[test]
fn a_transcript_on_a_terminal_steers_nothing() {
    let mut terminal = Terminal::start(loopls(&["run", "--json", "unprompted.loop.toml"]), false);
    terminal.expect("prompt:");
    terminal.type_keys("\u{202e}Is it shipped?\n");
    terminal.expect("\"prompt\":\"\\u202eIs it shipped?\"");
    terminal.expect("\\u001b[2Jshipped");
    terminal.expect("run_ended");
    assert_eq!(terminal.end().0, Some(0));
}

/// The tool waits until the test lets it go on.
#[test]
fn a_line_says_what_goes_on_and_goes_before_anything_else_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mut command = loopls(&["run", "slow.loop.toml"]);
    command.env("LOOPLS_TEST_GO", &go).env("NO_COLOR", "1");
    let mut terminal = Terminal::start(command, false);
    terminal.expect("▶ wait {} #1\r\n");
    terminal.expect("… 1/25 iterations · 1/100 calls · 0.");
    terminal.expect(" s · wait");
    // Nothing that is typed reaches the tool.
    terminal.type_keys("a line\n");
    std::fs::write(&go, "").unwrap();
    // It is gone before the result is shown: overwritten with blanks.
    terminal.expect(" \r✓ wait #1");
    terminal.expect("alone");
    terminal.expect("Done.");
    terminal.expect("✓ answer · 1/25 iterations · 1/100 calls · 1.2k tokens · ");
    let (code, shown, _) = terminal.end();
    assert_eq!(code, Some(0));
    // Its last line is the summary's.
    let last = shown.rsplit("\r\n").find(|line| !line.is_empty());
    assert!(
        last.is_some_and(|line| line.contains("✓ answer")),
        "{shown:?}"
    );
}

/// kimi-cli#1579, OpenHarness#179: neither the terminal nor what loopls itself reads.
#[test]
fn a_tool_gets_nothing_from_the_terminal_and_an_empty_input() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    std::fs::write(&go, "").unwrap();
    for piped in [false, true] {
        let mut command = loopls(&["run", "slow.loop.toml"]);
        command.env("LOOPLS_TEST_GO", &go);
        let mut terminal = Terminal::start(command, piped);
        terminal.type_keys("for loopls\n");
        terminal.expect("alone");
        assert_eq!(terminal.end().0, Some(0));
    }
}

#[test]
fn no_such_line_is_drawn_where_standard_error_is_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let mut command = loopls(&["run", "slow.loop.toml"]);
    command
        .env("LOOPLS_TEST_GO", &go)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut err = child.stderr.take().unwrap();
    let mut first = [0; 8];
    err.read_exact(&mut first).unwrap();
    // Long enough for a line, if there were one.
    std::thread::sleep(Duration::from_millis(400));
    std::fs::write(&go, "").unwrap();
    let mut rest = String::new();
    err.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!rest.contains('…') && !rest.contains('\r'), "{rest}");
}
