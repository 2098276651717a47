//! What the engine itself costs: a scripted model, five fixed replies a step, nothing else.
//!
//!     cargo bench --bench engine
//!
//! The first lines are microseconds a call within the engine, which should not grow with the number of steps; the last is
//! a whole process, from its start to its end.

use loopls::bind::{Bindings, Bound, bind};
use loopls::check::{Accepted, Analysis};
use loopls::definition::Nowhere;
use loopls::run::access::Nobody;
use loopls::run::model::client_for;
use loopls::run::{Event, StopReason, TurnContext, TurnRequest, run_turn};
use std::fmt::Write;
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

/// How long a whole process takes.
fn process(path: &std::path::Path) -> Duration {
    let start = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["run", "--json", "--no-transcript"])
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "{status}");
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for steps in [100, 400, 1_600] {
        let bound = runtime.block_on(bound(steps));
        let bound = Arc::new(bound);
        let times = (0..ROUNDS).map(|_| {
            let bound = bound.clone();
            // As a task, as the server runs it.
            let task = runtime.spawn(async move { turn(&bound, steps).await });
            runtime.block_on(task).expect("the turn does not panic")
        });
        let took = median(times.collect());
        let calls = (steps * CALLS_A_STEP) as f64;
        println!(
            "{steps:>5} steps: {:6.2} µs a call",
            took.as_secs_f64() * 1e6 / calls
        );
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bench.loop.toml");
    std::fs::write(&path, text(400)).expect("a file");
    let took = median((0..ROUNDS).map(|_| process(&path)).collect());
    println!(
        "2,000 calls in 400 steps, whole process with --json: {:.0} ms",
        took.as_secs_f64() * 1e3
    );
}
