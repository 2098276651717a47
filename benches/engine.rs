//! What the engine itself costs: a scripted model, five fixed replies a step, nothing else; and what a whole process takes.
//!
//!     cargo bench --bench engine
//!
//! Prints a table of medians, each beside what it should be at most (`docs/performance.md`). The time of a call within
//! the engine should not grow with the number of steps.

use loopls::bind::{Bindings, Bound, bind};
use loopls::check::{Accepted, Analysis};
use loopls::definition::Nowhere;
use loopls::run::access::Nobody;
use loopls::run::model::client_for;
use loopls::run::{Event, StopReason, TurnContext, TurnRequest, run_turn};
use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const CALLS_A_STEP: usize = 5;

/// How often each is measured; the median counts.
const ROUNDS: usize = 9;

/// A loop whose model calls its tool in each of `steps` steps.
fn text(steps: usize) -> String {
    let calls: Vec<_> = (0..CALLS_A_STEP)
        .map(|order| format!("{{ tool = \"lookup\", input = {{ order = {order} }} }}"))
        .collect();
    let mut text = format!(
        r#"name = "bench"
prompt = "Go."

[limits]
iterations = {steps}
calls = {}

[[tools]]
name = "lookup"
description = "Looks an order up."
effect = "read"
reply = "order 1042: shipped on Monday, and it will arrive on Wednesday"
input.properties.order = {{ type = "integer", description = "Its number." }}

[model]
provider = "scripted"
name = "m"
script = [
"#,
        steps * CALLS_A_STEP
    );
    for step in 0..steps {
        let calls = calls.join(", ");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{{ text = \"Step {step}.\", calls = [{calls}] }},");
    }
    text.push_str("{ text = \"Done.\" }]\n");
    text
}

async fn bound(steps: usize) -> Bound {
    let analysis = Arc::new(Analysis::new(ropey::Rope::from_str(&text(steps))));
    let accepted = Accepted::new(analysis, &Nowhere).expect("the definition has no error");
    let bindings = Bindings {
        session_id: Uuid::new_v4(),
        loop_id: Uuid::new_v4(),
        extra_tools: Vec::new(),
        folder: std::env::temp_dir(),
        guard: env!("CARGO_BIN_EXE_loopls").into(),
        untrusted_folders: Vec::new(),
        environment: Vec::new(),
    };
    bind(&accepted, bindings, &Nowhere).await.expect("it binds")
}

/// How long one turn takes.
async fn turn(bound: &Bound, steps: usize) -> Duration {
    let context = TurnContext {
        model: client_for(bound, bound.initial_mode()).expect("the model is embedded"),
        events: Arc::new(|record| {
            std::hint::black_box(record);
        }),
        approver: Arc::new(Nobody),
        cancel: CancellationToken::new(),
    };
    let request = TurnRequest {
        prompt: "Go.".into(),
        ..TurnRequest::default()
    };
    let start = Instant::now();
    let turn = run_turn(bound, request, context).await;
    let took = start.elapsed();
    match turn.ended {
        Event::RunEnded {
            stop: StopReason::Answer,
            calls,
            ..
        } => assert_eq!(calls as usize, steps * CALLS_A_STEP),
        other => panic!("the run did not answer: {other:?}"),
    }
    took
}

/// A whole process: how long it took, and the most memory that it held, in KiB, where the system tells.
struct Process {
    took: Duration,
    memory: Option<u64>,
}

/// Runs `text` in a process of its own, from its start to its end.
fn process(text: &str) -> Process {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bench.loop.toml");
    std::fs::write(&path, text).expect("a file");
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["run", "--json", "--no-transcript"])
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut events = BufReader::new(child.stdout.take().expect("a pipe"));
    let (mut line, mut memory) = (String::new(), None);
    while events.read_line(&mut line).expect("UTF-8") > 0 {
        // While the model takes its time over its last reply, all was held that ever will be.
        if line.contains("\"type\":\"step_started\",\"step\":2") {
            memory = peak_memory(child.id());
        }
        line.clear();
    }
    let status = child.wait().expect("it ends");
    assert!(status.success(), "{status}");
    let took = start.elapsed();
    Process { took, memory }
}

/// The most memory that a process held so far, in KiB.
fn peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// A loop whose model calls `command` as often as `calls` in one step, and takes `delay` over its last reply.
fn commands(calls: usize, command: &str, delay: &str) -> String {
    let batch = vec!["{ tool = \"work\" }"; calls].join(", ");
    format!(
        r#"name = "bench"
prompt = "Go."

[limits]
parallel = 4

[[tools]]
name = "work"
description = "Works."
effect = "read"
command = {command}

[model]
provider = "scripted"
name = "m"
script = [{{ calls = [{batch}] }}, {{ text = "Done.", delay = "{delay}" }}]
"#
    )
}

fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.into_iter().collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// One row of the table.
fn row(what: &str, value: String, at_most: &str) {
    println!("{what:<58} {value:>12}   at most {at_most}");
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for steps in [100, 400, 1_600] {
        let bound = Arc::new(runtime.block_on(bound(steps)));
        let took = median((0..ROUNDS).map(|_| {
            let bound = bound.clone();
            // As a task, as the server runs it.
            let task = runtime.spawn(async move { turn(&bound, steps).await });
            runtime.block_on(task).expect("the turn does not panic")
        }));
        let a_call = took.as_secs_f64() * 1e6 / (steps * CALLS_A_STEP) as f64;
        row(
            &format!("one call within the engine, {steps} steps"),
            format!("{a_call:.2} µs"),
            "10 µs",
        );
    }
    let took = median((0..ROUNDS).map(|_| process(&text(400)).took));
    row(
        "2,000 calls in 400 steps, whole process with --json",
        format!("{:.0} ms", took.as_secs_f64() * 1e3),
        "500 ms",
    );
    let half_a_second = commands(8, r#"["sleep", "0.5"]"#, "0s");
    let took = median((0..3).map(|_| process(&half_a_second).took));
    row(
        "eight half-second commands, parallel = 4, whole process",
        format!("{:.0} ms", took.as_secs_f64() * 1e3),
        "1100 ms",
    );
    let much = r#"["sh", "-c", "yes 1234567 | head -c 50000000"]"#;
    let much = process(&commands(1, much, "1s"));
    let memory = much
        .memory
        .map(|kib| format!("{:.1} MiB", kib as f64 / 1024.0));
    row(
        "50 MB from one tool, most memory of the process",
        memory.unwrap_or_else(|| "not known".into()),
        "64 MiB",
    );
}
