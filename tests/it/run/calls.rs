//! The calls of a batch: checked, run together, answered in call order; a failure is a result, not an end.

use super::fake::{calls, echo, endless, says, tool, until_cancelled};
use super::scene::Scene;
use loopls::bind::{CANCELLED, Outcome, Stream};
use loopls::definition::Effect;
use loopls::run::StopReason;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Barrier;

/// openai-agents-js#664, langchain#34242.
#[tokio::test]
async fn input_is_checked_before_a_call_runs() {
    for (tool_name, input, expected) in [
        ("get", "{\"a\": 1}", "{\"a\":1}"),
        (" get ", "{}", "{}"),
        ("get", "", "{}"),
        ("get", " \n", "{}"),
        ("get", "null", "{}"),
        (
            "get",
            "[1]",
            "error: the input must be a JSON object, not an array",
        ),
        (
            "get",
            "\"a\"",
            "error: the input must be a JSON object, not a string",
        ),
        (
            "get",
            "5",
            "error: the input must be a JSON object, not a number",
        ),
        (
            "get",
            "{\"a\":",
            "error: the input is not JSON: EOF while parsing a value at line 1 column 5",
        ),
        (
            "get",
            "{\"misfit\": 1}",
            "error: the input does not fit: /misfit",
        ),
        (
            "git",
            "{}",
            "error: there is no tool `git`; the tools are get, put",
        ),
    ] {
        let scene = Scene::new("", [calls([(tool_name, input)]), says("done")]);
        let ran = scene.tools([echo("get"), echo("put")]).run().await;
        assert_eq!(
            ran.results(),
            [format!("a {tool_name}: {expected}")],
            "{input}"
        );
        assert_eq!(ran.ended(), "ended answer after 1/1: done", "{input}");
    }
    let ran = Scene::new("", [calls([("get", "")]), says("done")])
        .run()
        .await;
    assert_eq!(
        ran.results(),
        ["a get: error: there is no tool `get`; there are no tools"]
    );

    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20));
    let ran = Scene::new("", [calls([("get", &long)]), says("done")])
        .tools([echo("get")])
        .run()
        .await;
    assert_eq!(
        ran.results(),
        ["a get: error: the input is longer than 1 MiB"]
    );
}

#[tokio::test]
async fn the_events_of_a_batch() {
    let batch = calls([("get", "{\"a\":1}"), ("git", "not JSON"), ("get", "")]);
    let ran = Scene::new("", [batch, says("done")])
        .tools([echo("get").sequential()])
        .run()
        .await;
    assert_eq!(
        ran.lines(),
        [
            "step 1",
            "started 1 get {\"a\":1}",
            "started 2 git \"not JSON\"",
            "started 3 get {}",
            "allow 1 by effect",
            "allow 3 by effect",
            "completed 2 git: error: there is no tool `git`; the tools are get",
            "completed 1 get: {\"a\":1}",
            "completed 3 get: {}",
            "step 1 done: tool_use",
            "step 2",
            "text done",
            "step 2 done: end_turn",
            "ended answer after 1/3: done",
        ]
    );
}

/// vercel/ai#16577.
#[tokio::test]
async fn results_go_back_in_call_order_whatever_order_they_finish_in() {
    let (send, receive) = tokio::sync::watch::channel(false);
    let first = tool("first", move |_, _| {
        let mut receive = receive.clone();
        async move {
            receive
                .wait_for(|second_is_done| *second_is_done)
                .await
                .unwrap();
            Outcome::text("1")
        }
    });
    let second = tool("second", move |_, _| {
        let send = send.clone();
        async move {
            send.send(true).unwrap();
            Outcome::text("2")
        }
    });
    let batch = calls([("first", ""), ("second", "")]);
    let ran = Scene::new("", [batch, says("done")])
        .tools([first, second])
        .run()
        .await;
    assert_eq!(
        ran.lines_of(&["completed"]),
        ["completed 2 second: 2", "completed 1 first: 1"]
    );
    assert_eq!(ran.results(), ["a first: 1", "b second: 2"]);
}

#[tokio::test]
async fn at_most_parallel_calls_run_at_a_time_and_sequential_ones_alone_and_first() {
    let running = Arc::new(AtomicUsize::new(0));
    let seen: Arc<Mutex<Vec<(String, usize)>>> = Arc::default();
    let barrier = Arc::new(Barrier::new(2));
    let counting = |name: &'static str, together: bool| {
        let (running, seen, barrier) = (running.clone(), seen.clone(), barrier.clone());
        tool(name, move |_, _| {
            let (running, seen, barrier) = (running.clone(), seen.clone(), barrier.clone());
            async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                seen.lock().unwrap().push((name.into(), now));
                if together {
                    // Two really run together, else this waits for ever.
                    barrier.wait().await;
                } else {
                    tokio::task::yield_now().await;
                }
                running.fetch_sub(1, Ordering::SeqCst);
                Outcome::text("")
            }
        })
    };
    let tools = [
        counting("alone", false).sequential(),
        counting("many", true),
    ];
    let batch = calls([
        ("many", ""),
        ("alone", ""),
        ("many", ""),
        ("many", ""),
        ("alone", ""),
        ("many", ""),
    ]);
    let ran = Scene::new("[limits]\nparallel = 2", [batch, says("done")])
        .tools(tools)
        .run()
        .await;
    assert_eq!(ran.stop(), StopReason::Answer);
    let seen = seen.lock().unwrap();
    let names: Vec<_> = seen.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["alone", "alone", "many", "many", "many", "many"]);
    assert_eq!(
        seen.iter()
            .filter(|(name, _)| name == "alone")
            .map(|(_, now)| *now)
            .max(),
        Some(1)
    );
    assert_eq!(seen.iter().map(|(_, now)| *now).max(), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_call_past_its_timeout_is_an_error_that_says_what_may_have_happened() {
    let tools = [
        until_cancelled("get").timeout(1_500),
        endless("put").effect(Effect::Write).timeout(90_000),
        echo("fast").timeout(1),
    ];
    let batch = calls([("get", ""), ("put", ""), ("fast", "")]);
    let ran = Scene::new("", [batch, says("done")])
        .tools(tools)
        .allowing("put")
        .run()
        .await;
    assert_eq!(
        ran.results(),
        [
            "a get: error: timed out after 1s500ms\nwhat it had so far",
            "b put: error: timed out after 1m30s; it may have taken effect",
            "c fast: {}",
        ]
    );
    assert_eq!(ran.stop(), StopReason::Answer);
}

/// Each case: what a tool makes of being ended, and what comes of the call.
#[tokio::test(start_paused = true)]
async fn a_call_that_was_ended_says_why_and_what_output_there_was() {
    for (last, expected) in [
        (Outcome::error(CANCELLED), "error: timed out after 1s"),
        (
            Outcome::error(format_args!("begun\n{CANCELLED}")),
            "error: timed out after 1s\nbegun",
        ),
        (
            Outcome::text("begun\n"),
            "error: timed out after 1s\nbegun\n",
        ),
        (
            Outcome {
                dropped_at: "error: be".len(),
                dropped: 5,
                ..Outcome::error("begun")
            },
            "error: timed out after 1s\nbe\n[tool output truncated: omitted 5 of 36 bytes]\ngun",
        ),
    ] {
        let slow = tool("slow", move |_, context| {
            let last = last.clone();
            async move {
                context.cancel.cancelled().await;
                last
            }
        });
        let scene = Scene::new("", [calls([("slow", "")]), says("done")]);
        let ran = scene.tools([slow.timeout(1_000)]).run().await;
        assert_eq!(ran.results(), [format!("a slow: {expected}")]);
    }
}

#[tokio::test]
async fn a_tool_that_panics_is_an_error_result() {
    let broken = tool("broken", |_, _| async { panic!("a bug in a tool") });
    let batch = calls([("broken", ""), ("get", "")]);
    let ran = Scene::new("", [batch, says("done")])
        .tools([broken, echo("get")])
        .run()
        .await;
    assert_eq!(
        ran.results(),
        ["a broken: error: the tool crashed", "b get: {}"]
    );
    assert_eq!(ran.stop(), StopReason::Answer);
}

#[tokio::test]
async fn output_comes_while_a_call_runs_and_not_after() {
    let kept = Arc::new(Mutex::new(None));
    let keep = kept.clone();
    let chatty = tool("chatty", move |_, context| {
        (context.output)(Stream::Stdout, b"half a character: \xe2\x82");
        (context.output)(Stream::Stderr, b"and \xff");
        (context.output)(Stream::Stdout, b"\xac.");
        *keep.lock().unwrap() = Some(context.output.clone());
        std::future::ready(Outcome::text("done"))
    });
    let second = tool("second", move |_, _| {
        (kept.lock().unwrap().as_ref().unwrap())(Stream::Stdout, b"too late");
        std::future::ready(Outcome::text(""))
    });
    let replies = [
        calls([("chatty", "")]),
        calls([("second", "")]),
        says("done"),
    ];
    let ran = Scene::new("", replies).tools([chatty, second]).run().await;
    assert_eq!(
        ran.lines_of(&["output"]),
        [
            "output 1 stdout: half a character: ",
            "output 1 stderr: and \u{fffd}",
            "output 1 stdout: €."
        ]
    );
}

/// nano-rlm#61.
#[tokio::test]
async fn invalid_bytes_are_repaired_and_the_run_goes_on() {
    let raw = tool("raw", |_, _| async {
        Outcome::text(b"a\xff\xfeb\xe2\x82c".to_vec())
    });
    let ran = Scene::new("", [calls([("raw", "")]), says("done")])
        .tools([raw])
        .run()
        .await;
    assert_eq!(ran.results(), ["a raw: a\u{fffd}b\u{fffd}c"]);
    assert_eq!(ran.stop(), StopReason::Answer);
}

#[tokio::test]
async fn a_huge_result_is_cut_at_the_hard_bound_and_marked() {
    let huge = tool("huge", |_, _| async {
        Outcome {
            bytes: vec![b'x'; (8 << 20) + 10],
            dropped_at: 4 << 20,
            dropped: 42 << 20,
            is_error: false,
        }
    });
    let ran = Scene::new("", [calls([("huge", "")]), says("done")])
        .tools([huge])
        .run()
        .await;
    let result = &ran.results()[0];
    let total = (50 << 20) + 10;
    let kept = result.matches('x').count();
    assert!(result.len() <= (8 << 20) + "a huge: ".len());
    assert!(
        result.contains(&format!("omitted {} of {total} bytes", total - kept)),
        "{kept}"
    );
}

#[tokio::test(start_paused = true)]
async fn slow_tools_run_side_by_side() {
    let slow = tool("slow", |_, _| async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Outcome::text("")
    });
    let batch = calls([("slow", ""); 8]);
    let ran = Scene::new("[limits]\nparallel = 4", [batch, says("done")])
        .tools([slow])
        .run()
        .await;
    let loopls::run::Event::RunEnded { ms, .. } = ran.turn.ended else {
        unreachable!()
    };
    assert_eq!(ms, 1_000);
}
