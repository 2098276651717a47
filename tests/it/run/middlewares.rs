//! `[[middlewares]]`: what is done around a call.

use super::fake::{calls, echo, says, tool};
use super::scene::Scene;
use loopls::bind::Outcome;
use loopls::definition::Effect;
use loopls::run::access::Answer;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A tool that fails as often as `failures`, and then says how often it was called.
fn shaky(name: &str, failures: usize) -> super::fake::FakeTool {
    let count = Arc::new(AtomicUsize::new(0));
    tool(name, move |_input, _context| {
        let call = count.fetch_add(1, Ordering::Relaxed) + 1;
        async move {
            match call <= failures {
                true => Outcome::error(format_args!("busy {call}")),
                false => Outcome::text(format!("done at {call}")),
            }
        }
    })
}

const RETRY: &str = "[[middlewares]]\nkind = \"retry\"\nattempts = 3\nbackoff = \"100ms\"\n";

#[tokio::test(start_paused = true)]
async fn retry_makes_a_call_again_until_it_works_or_was_tried_enough() {
    for (failures, expected, retries) in [
        (0, "a get: done at 1", &[][..]),
        (
            2,
            "a get: done at 3",
            &[
                "retry 1 after 100: attempt 1 of 3 failed: busy 1",
                "retry 1 after 200: attempt 2 of 3 failed: busy 2",
            ],
        ),
        (
            3,
            "a get: error: busy 3",
            &[
                "retry 1 after 100: attempt 1 of 3 failed: busy 1",
                "retry 1 after 200: attempt 2 of 3 failed: busy 2",
            ],
        ),
    ] {
        let scene = Scene::new(RETRY, [calls([("get", "")]), says("done")]);
        let ran = scene.tools([shaky("get", failures)]).run().await;
        assert_eq!(ran.results(), [expected]);
        assert_eq!(ran.lines_of(&["retry"]), retries);
        // Attempts are no calls.
        assert_eq!(ran.ended(), "ended answer after 1/1: done");
    }
}

/// `docs/security.md`, 10.
#[tokio::test(start_paused = true)]
async fn retry_is_for_tools_that_read_whatever_its_patterns_say() {
    for (effect, expected) in [
        (Effect::Read, "a x: done at 2"),
        (Effect::Write, "a x: error: busy 1"),
        (Effect::Irreversible, "a x: error: busy 1"),
    ] {
        let tables = format!("{RETRY}tools = [\"x\"]\n");
        let scene = Scene::new(&tables, [calls([("x", "")]), says("done")]);
        let ran = scene.tools([shaky("x", 1).effect(effect)]).allowing("x");
        assert_eq!(ran.run().await.results(), [expected], "{effect:?}");
    }
}

/// `docs/security.md`, 10.
#[tokio::test(start_paused = true)]
async fn one_approval_is_one_start() {
    let tables = format!("[access]\nask = [\"get\"]\n{RETRY}");
    for (answer, expected) in [
        (Answer::Once, "a get: error: busy 1"),
        (Answer::ForRun, "a get: done at 2"),
    ] {
        let scene = Scene::new(&tables, [calls([("get", "")]), says("done")]);
        let scene = scene.tools([shaky("get", 1)]).answers(0, [answer]);
        assert_eq!(scene.run().await.results(), [expected], "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_wait_for_the_next_attempt() {
    let scene = Scene::new(RETRY, [calls([("get", "")])]);
    let scene = scene.tools([shaky("get", 2)]);
    let line = "retry 1 after 100: attempt 1 of 3 failed: busy 1";
    let ran = scene.cancel_at(line).run().await;
    assert_eq!(ran.lines_of(&["retry"]), [line]);
    assert_eq!(ran.ended(), "ended cancelled after 1/1");
}

#[tokio::test(start_paused = true)]
async fn attempts_and_waits_are_within_the_timeout_of_the_call() {
    let tables = "[[middlewares]]\nkind = \"retry\"\nbackoff = \"400ms\"\n";
    let scene = Scene::new(tables, [calls([("get", "")]), says("done")]);
    let ran = scene.tools([shaky("get", 2).timeout(500)]).run().await;
    assert_eq!(
        ran.results(),
        ["a get: error: timed out after 500ms\nbusy 2"]
    );
}

#[tokio::test]
async fn redact_replaces_in_results_and_shows_no_piece_of_them_before() {
    let tables = "[[middlewares]]\nkind = \"redact\"\ntools = [\"g*\"]\npatterns = ['\\d{4}']\n";
    let speaks = |name| {
        tool(name, |_input, context| async move {
            (context.output)(loopls::bind::Stream::Stdout, b"12");
            (context.output)(loopls::bind::Stream::Stdout, b"34 paid");
            Outcome::text("1234 paid")
        })
    };
    let batch = calls([("get", ""), ("other", "")]);
    let scene = Scene::new(tables, [batch, says("done")]);
    let ran = scene.tools([speaks("get"), speaks("other")]).run().await;
    assert_eq!(
        ran.results(),
        ["a get: [redacted] paid", "b other: 1234 paid"]
    );
    let output = ran.lines_of(&["output"]);
    assert!(output.iter().all(|line| line.starts_with("output 2 ")));
    let transcript = String::from_utf8(ran.transcript()).unwrap();
    let of_get = transcript
        .lines()
        .filter(|line| line.contains("\"call\":1,"));
    assert!(of_get.clone().count() > 1);
    assert!(of_get.into_iter().all(|line| !line.contains("1234")));
}

#[tokio::test(start_paused = true)]
async fn why_a_call_is_made_again_holds_nothing_that_is_redacted() {
    // Whether it is inside or outside.
    let redact = "[[middlewares]]\nkind = \"redact\"\npatterns = [\"bus.\"]\n";
    for tables in [format!("{redact}{RETRY}"), format!("{RETRY}{redact}")] {
        let scene = Scene::new(&tables, [calls([("get", "")]), says("done")]);
        let ran = scene.tools([shaky("get", 1)]).run().await;
        assert_eq!(
            ran.lines_of(&["retry"]),
            ["retry 1 after 100: attempt 1 of 3 failed: [redacted] 1"]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn log_writes_a_line_a_call_as_seen_from_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let log = |name: &str| {
        format!(
            "[[middlewares]]\nkind = \"log\"\nfile = '{}'\n",
            place(name)
        )
    };
    let tables = [&log("outer.jsonl"), RETRY, &log("inner.jsonl")].concat();
    let batch = calls([("get", "{\"order\":\"private\"}"), ("none", "")]);
    let scene = Scene::new(&tables, [batch, says("done")]);
    let ran = scene.tools([shaky("get", 1)]).run().await;
    assert_eq!(ran.results()[0], "a get: done at 2");

    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(
            !text.contains("private") && !text.contains("done at"),
            "{text}"
        );
        let (first, lines) = text.split_once('\n').unwrap();
        assert_eq!(first, "{\"loopls\":\"log\",\"version\":1}");
        let lines = lines.lines().map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            // It differs from run to run.
            assert!(line["time"].take().as_f64().unwrap() > 1.7e9);
            assert!(line["ms"].take().is_u64());
            line.to_string()
        });
        lines.collect::<Vec<_>>()
    };
    let line = |attempts: u32, is_error: bool, bytes: usize| {
        format!(
            "{{\"time\":null,\"run\":\"run-1\",\"loop\":\"test\",\"call\":1,\"tool\":\"get\",\"effect\":\"read\",\
             \"attempts\":{attempts},\"is_error\":{is_error},\"bytes\":{bytes},\"ms\":null}}"
        )
    };
    assert_eq!(lines("outer.jsonl"), [line(2, false, "done at 2".len())]);
    let failed = "error: busy 1".len();
    assert_eq!(
        lines("inner.jsonl"),
        [line(1, true, failed), line(1, false, "done at 2".len())]
    );
}

#[tokio::test]
async fn a_call_that_cannot_be_logged_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls.jsonl");
    let tables = format!(
        "[[middlewares]]\nkind = \"log\"\nfile = '{}'\n",
        path.display()
    );
    let scene = Scene::new(&tables, [calls([("get", "")]), says("done")]);
    let scene = scene.tools([tool("get", |_input, _context| async {
        panic!("it is made");
    })]);
    let bound = scene.bound();
    // Somebody else's file came in its place.
    std::fs::write(&path, "{}\n").unwrap();
    let ran = scene.run_bound(&bound).await;
    let result = &ran.results()[0];
    assert!(
        result.starts_with(
            "a get: error: not run: its log cannot be written: it was not begun by loopls"
        ),
        "{result}"
    );
}

#[tokio::test]
async fn tools_that_a_middleware_does_not_name_are_left_alone() {
    let tables = "[[middlewares]]\nkind = \"redact\"\ntools = [\"other\"]\npatterns = [\"n\"]\n";
    let batch = calls([("get", "{\"n\":1}")]);
    let scene = Scene::new(tables, [batch, says("done")]);
    let ran = scene.tools([echo("get"), echo("other")]).run().await;
    assert_eq!(ran.results(), ["a get: {\"n\":1}"]);
}
