//! What calls leave behind: nothing, however they end.

use super::*;

/// Gitlawb/zero#469.
#[tokio::test]
async fn however_much_is_printed_memory_is_bounded() {
    const PRINTED: u64 = 50_000_000;
    for (end, prefix, suffix) in [("", "", ""), ("; exit 1", "error: ", "\n[exit status 1]")] {
        let desk = Desk::script(&format!("yes 1234567 | head -c {PRINTED}{end}")).await;
        let outcome = desk.call(json!({})).await;
        let own = (prefix.len() + suffix.len()) as u64;
        // `yes` leaves the last line whole, so a failure adds no line break.
        let own = own - u64::from(!suffix.is_empty());
        assert_eq!(outcome.bytes.len() as u64 + outcome.dropped, PRINTED + own);
        assert!((RESULT_BYTES..RESULT_BYTES + 128 * 1024).contains(&outcome.bytes.len()));
        let (head, tail) = outcome.bytes.split_at(outcome.dropped_at);
        assert!(head.starts_with(format!("{prefix}1234567\n").as_bytes()));
        assert!(tail.ends_with(
            format!("1234567{}", if suffix.is_empty() { "\n" } else { suffix }).as_bytes()
        ));
        assert!(head.len() >= RESULT_BYTES / 2 && tail.len() >= RESULT_BYTES / 2);
    }
}

/// codex#5258.
#[tokio::test]
async fn what_a_tool_leaves_in_the_background_neither_holds_the_result_nor_lives_on() {
    for script in [
        "sleep 1000 & echo $! > pid; echo done",
        "setsid sleep 1000 & echo $! > pid; echo done",
        "(setsid sh -c 'sleep 1000 & echo $! > pid; wait' &); while ! [ -s pid ]; do sleep 0.01; done; echo done",
        "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.01; done' & while ! [ -s pid ]; do sleep 0.01; done; echo done",
        "sleep 1000 >/dev/null 2>&1 & kill -STOP $!; echo $! > pid; echo done",
    ] {
        let desk = Desk::script(script).await;
        let outcome = desk.call(json!({})).await;
        assert_eq!(text(&outcome), "done\n");
        assert!(is_gone(desk.pid("pid").await), "{script}");
    }
}

/// codex#5258.
#[tokio::test]
async fn cancel_ends_everything_that_a_call_started() {
    for script in [
        "sleep 1000",
        "echo $$ > leader; sleep 1000 & echo $! > other; wait",
        // Nobody here reacts to the first request.
        "trap '' TERM; echo $$ > leader; sleep 1000 & echo $! > other; wait; sleep 1000",
        "echo $$ > leader; setsid sh -c 'trap \"\" TERM; echo $$ > other; sleep 1000; sleep 1000' & wait",
        "echo $$ > leader; sleep 1000 & echo $! > other; kill -STOP $$",
    ] {
        let script = if script.contains("leader") {
            script.to_owned()
        } else {
            format!("echo $$ > leader; echo $$ > other; {script}")
        };
        let desk = Desk::script(&format!("echo begun; {script}")).await;
        let cancel = CancellationToken::new();
        let run = tokio::spawn(desk.prepare(json!({})).unwrap().run(context(&cancel)));
        let pids = [desk.pid("leader").await, desk.pid("other").await];
        cancel.cancel();
        let outcome = finished(run).await.unwrap();
        assert_eq!(
            (text(&outcome), outcome.is_error),
            ("error: begun\n[cancelled]", true)
        );
        assert!(pids.into_iter().all(is_gone), "{script}");
    }
}

#[tokio::test]
async fn a_cancelled_tool_may_end_in_good_order() {
    for wait in [
        "while :; do sleep 0.01; done",
        "kill -STOP $$; while :; do sleep 0.01; done",
    ] {
        let desk = Desk::script(&format!(
            "trap 'echo > bye; exit 0' TERM; echo $$ > leader; {wait}"
        ))
        .await;
        let cancel = CancellationToken::new();
        let context = CallContext {
            drain: 3_600_000,
            ..context(&cancel)
        };
        let run = tokio::spawn(desk.prepare(json!({})).unwrap().run(context));
        let leader = desk.pid("leader").await;
        cancel.cancel();
        let outcome = finished(run).await.unwrap();
        // The shell may say before it that a `sleep` was terminated.
        assert!(outcome.is_error && text(&outcome).ends_with("[cancelled]"));
        assert!(is_gone(leader));
        assert!(desk.folder.path().join("bye").exists(), "{wait}");
    }
}

#[tokio::test]
async fn a_call_that_comes_after_the_cancel_does_not_start() {
    let desk = Desk::script("echo > started").await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = desk.prepare(json!({})).unwrap();
    assert_eq!(
        text(&finished(call.run(context(&cancel))).await),
        "error: [cancelled]"
    );
    assert!(!desk.folder.path().join("started").exists());
}

#[tokio::test]
async fn a_call_whose_guard_is_killed_fails_and_ends() {
    // Input comes once the guard has told which group it started.
    let desk = Desk::script(
        "cat > input; echo $PPID > guard; echo $$ > leader; sleep 1000 & echo $! > other; wait",
    )
    .await;
    let call = desk.prepare(json!({})).unwrap();
    let run = tokio::spawn(call.run(context(&CancellationToken::new())));
    let pids = [desk.pid("leader").await, desk.pid("other").await];
    rustix::process::kill_process(desk.pid("guard").await, rustix::process::Signal::KILL).unwrap();
    let outcome = finished(run).await.unwrap();
    assert_eq!(
        text(&outcome),
        "error: [the guard of the process was ended]"
    );
    eventually(|| pids.into_iter().all(has_ended).then_some(())).await;
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_soon() {
    let desk = Desk::script(
        "trap '' TERM; echo $$ > leader; setsid sleep 1000 & echo $! > other; wait; sleep 1000",
    )
    .await;
    let call = desk.prepare(json!({})).unwrap();
    let run = tokio::spawn(call.run(context(&CancellationToken::new())));
    let pids = [desk.pid("leader").await, desk.pid("other").await];
    run.abort();
    eventually(|| pids.into_iter().all(is_gone).then_some(())).await;
}

/// A guard without a loopls: what a kill of loopls leaves.
struct LoneGuard {
    guard: std::process::Child,
    control: UnixStream,
    folder: TempDir,
}

impl LoneGuard {
    /// A guard that was told to run `script`, and whose drain would be an hour.
    fn run(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut control, its) = UnixStream::pair().unwrap();
        let guard = Command::new(env!("CARGO_BIN_EXE_loopls"))
            .arg(loopls::bind::guard::ARGUMENT)
            .stdin(Stdio::from(OwnedFd::from(its)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let order = json!({ "start": {
            "program": { "Unix": b"/bin/sh" },
            "arguments": ["-c", script],
            "directory": { "Unix": folder.path().as_os_str().as_encoded_bytes() },
            "environment": [["PATH", std::env::var("PATH").unwrap()]],
            "drain": 3_600_000,
        } });
        writeln!(control, "{order}").unwrap();
        Self {
            guard,
            control,
            folder,
        }
    }

    async fn pids(&self) -> [Pid; 2] {
        let path = |name: &str| self.folder.path().join(name);
        [pid(&path("leader")).await, pid(&path("other")).await]
    }
}

#[tokio::test]
async fn a_guard_that_lost_loopls_ends_everything_and_itself() {
    for script in [
        "echo $$ > leader; sleep 1000 & echo $! > other; wait",
        "trap '' TERM; echo $$ > leader; setsid sleep 1000 & echo $! > other; wait; sleep 1000",
        // The leader is over already; loopls was still reading.
        "echo $$ > leader; setsid sleep 1000 & echo $! > other",
    ] {
        let mut lone = LoneGuard::run(script);
        let pids = lone.pids().await;
        drop(lone.control);
        assert!(
            eventually(|| lone.guard.try_wait().unwrap())
                .await
                .success(),
            "{script}"
        );
        assert!(pids.into_iter().all(is_gone), "{script}");
    }
}

#[tokio::test]
async fn a_guard_outlives_what_is_sent_to_everything_called_loopls() {
    let mut lone = LoneGuard::run("echo $$ > leader; sleep 1000 & echo $! > other; wait");
    let pids = lone.pids().await;
    let guard = Pid::from_child(&lone.guard);
    for signal in ["HUP", "INT", "TERM"] {
        let kill = Command::new("kill")
            .args(["-s", signal, &guard.as_raw_nonzero().to_string()])
            .status();
        assert!(kill.unwrap().success());
    }
    // Whatever they did to the guard would come before the answer to this.
    lone.control.write_all(b"\"end\"\n").unwrap();
    let reports: Vec<String> = BufReader::new(&lone.control)
        .lines()
        .map(Result::unwrap)
        .collect();
    assert_eq!(
        reports,
        [
            format!(r#"{{"started":{}}}"#, pids[0].as_raw_nonzero()),
            r#"{"exited":{"signal":15}}"#.to_owned()
        ]
    );
    assert!(
        eventually(|| lone.guard.try_wait().unwrap())
            .await
            .success()
    );
    assert!(pids.into_iter().all(is_gone));
}

/// AutoRAG#1500.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_calls_leave_no_zombie_and_no_open_file() {
    let open_files = || fs::read_dir("/proc/self/fd").unwrap().count();
    let zombies = || {
        let parent = std::process::id().to_string();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let of_ours = processes.filter(|process| {
            let status = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            let fields = status.rsplit_once(')').map_or("", |(_, fields)| fields);
            let mut fields = fields.split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(&parent)
        });
        of_ours.count()
    };
    let desk = Desk::script("sleep 1000 >/dev/null 2>&1 & echo $!").await;
    desk.call(json!({})).await;
    let before = open_files();
    // None of them waits for what it left, or a hundred would take far too long.
    finished(async {
        for _ in 0..100 {
            assert!(!desk.call(json!({})).await.is_error);
        }
    })
    .await;
    // Other tests run beside this one, so only what a hundred calls would leave counts.
    eventually(|| (open_files() < before + 50).then_some(())).await;
    eventually(|| (zombies() == 0).then_some(())).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_tool_has_a_session_and_a_group_of_its_own() {
    // `number (name) state parent group session …`
    let ids = |status: &str| -> (String, String) {
        let fields: Vec<&str> = status
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .collect();
        (fields[2].to_owned(), fields[3].to_owned())
    };
    let desk = Desk::script("cat /proc/$$/stat").await;
    let tool = ids(text(&desk.call(json!({})).await));
    let own = ids(&fs::read_to_string("/proc/self/stat").unwrap());
    assert_ne!(tool.0, own.0);
    assert_ne!(tool.1, own.1);
    // The guard leads the session, so that a Ctrl-C for the tool's group would miss it.
    assert_ne!(tool.0, tool.1);
}
