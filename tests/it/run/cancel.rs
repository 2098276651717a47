//! Cancel: at any time, to the end within the drain timeout, and every call of the history keeps a result.

use super::fake::{Reply, calls, echo, endless, says, tool, until_cancelled};
use super::scene::Scene;
use loopls::bind::{Outcome, Stream};
use loopls::definition::Effect;
use loopls::run::model::ReplyPart;
use loopls::run::{Event, StopReason};
use std::sync::Arc;
use std::sync::mpsc::channel;

#[tokio::test]
async fn before_the_first_step_nothing_goes_out() {
    let scene = Scene::new("", [says("done")]);
    scene.cancel.cancel();
    assert_eq!(scene.run().await.lines(), ["ended cancelled after 0/0"]);
}

#[tokio::test]
async fn while_the_model_streams() {
    let scene = Scene::new("", [Reply::Hang(vec![ReplyPart::Text("It".into())])]);
    let ran = scene.cancel_at("text It").run().await;
    assert_eq!(
        ran.lines(),
        ["step 1", "text It", "ended cancelled after 0/0"]
    );
    assert_eq!(ran.turn.history.len(), 1);
}

#[tokio::test]
async fn while_a_request_waits_to_be_sent_again() {
    let scene = Scene::new("", [Reply::Fail(super::fake::busy(Some(300_000)))]);
    let ran = scene.cancel_at("retry after 300000: busy").run().await;
    assert_eq!(ran.stop(), StopReason::Cancelled);
}

#[tokio::test]
async fn while_a_person_is_asked() {
    let batch = calls([("get", ""), ("put", ""), ("put", ""), ("git", "")]);
    let scene = Scene::new("", [batch]).tools([echo("get"), echo("put").effect(Effect::Write)]);
    let ran = scene.cancel_at("asked 2 put (write): act {}").run().await;
    assert_eq!(
        ran.results(),
        [
            "a get: error: not run: cancelled",
            "b put: error: not run: cancelled",
            "c put: error: not run: cancelled",
            "d git: error: there is no tool `git`; the tools are get, put",
        ]
    );
    assert_eq!(
        ran.lines_of(&["step", "allow", "ended"]),
        [
            "step 1",
            "allow 1 by effect",
            "step 1 done: tool_use",
            "ended cancelled after 1/4",
        ]
    );
}

/// claude-code#1776.
#[tokio::test(start_paused = true)]
async fn while_calls_run() {
    let tools = [
        echo("quick"),
        until_cancelled("obedient"),
        endless("stubborn").effect(Effect::Write),
        echo("waiting"),
    ];
    let batch = calls([
        ("quick", ""),
        ("obedient", ""),
        ("stubborn", ""),
        ("waiting", ""),
    ]);
    let scene = Scene::new("[limits]\nparallel = 2", [batch]).top("drain_timeout = \"3s\"");
    let ran = scene
        .tools(tools)
        .allowing("stubborn")
        .cancel_at("completed 1 quick: {}")
        .run()
        .await;
    assert_eq!(
        ran.results(),
        [
            "a quick: {}",
            "b obedient: error: cancelled\nwhat it had so far",
            "c stubborn: error: not run: cancelled",
            "d waiting: error: not run: cancelled",
        ]
    );
    assert_eq!(ran.stop(), StopReason::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn the_turn_ends_although_a_tool_does_not() {
    let stubborn = tool("stubborn", |_, context| async move {
        (context.output)(Stream::Stdout, b"begun");
        std::future::pending().await
    });
    let scene = Scene::new("", [calls([("stubborn", "")])]).top("drain_timeout = \"3s\"");
    let scene = scene
        .tools([stubborn.effect(Effect::Write)])
        .allowing("stubborn");
    let ran = scene.cancel_at("output 1 stdout: begun").run().await;
    assert_eq!(
        ran.results(),
        ["a stubborn: error: cancelled; it may have taken effect"]
    );
    let Event::RunEnded { ms, .. } = ran.turn.ended else {
        unreachable!()
    };
    assert_eq!(
        ms, 3_500,
        "the drain timeout, and what reading and reaping may take"
    );
}

/// A tool that blocks its thread cannot be ended; the turn ends all the same, and hears nothing of it any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_turn_ends_although_a_tool_blocks_its_thread() {
    let (release, wait) = channel::<()>();
    let wait = Arc::new(std::sync::Mutex::new(wait));
    let blocking = tool("blocking", move |_, context| {
        let wait = wait.clone();
        async move {
            (context.output)(Stream::Stdout, b"begun");
            let _ = wait.lock().unwrap().recv();
            (context.output)(Stream::Stdout, b"too late");
            Outcome::text("")
        }
    });
    let scene = Scene::new("", [calls([("blocking", "")])]).top("drain_timeout = \"1ms\"");
    let ran = scene
        .tools([blocking])
        .cancel_at("output 1 stdout: begun")
        .run()
        .await;
    assert_eq!(ran.results(), ["a blocking: error: cancelled"]);
    drop(release);
}

#[tokio::test]
async fn dropping_the_turn_ends_its_calls() {
    let (told, mut hear) = tokio::sync::mpsc::unbounded_channel();
    let waiting = tool("waiting", move |_, _| {
        struct Tells(tokio::sync::mpsc::UnboundedSender<&'static str>);
        impl Drop for Tells {
            fn drop(&mut self) {
                let _ = self.0.send("ended");
            }
        }
        let tells = Tells(told.clone());
        async move {
            let _ = tells.0.send("begun");
            std::future::pending::<()>().await;
            Outcome::text("")
        }
    });
    let scene = Scene::new("", [calls([("waiting", "")])]).tools([waiting]);
    let running = tokio::spawn(scene.run());
    assert_eq!(hear.recv().await, Some("begun"));
    running.abort();
    assert_eq!(hear.recv().await, Some("ended"));
}

#[tokio::test]
async fn input_that_takes_long_to_check_holds_up_neither_others_nor_a_cancel() {
    let batch = [calls([("get", ""), ("slow", ""), ("get", "")])];
    // Nobody opens the gate until the run is over, so nothing of it may wait for the check.
    let (open, gate) = std::sync::mpsc::channel();
    let slow = echo("slow").waits_for(gate);
    let scene = Scene::new("", batch).tools([echo("get"), slow]);
    let cancel = scene.cancel.clone();
    let running = tokio::spawn(async move { scene.run().await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!running.is_finished());
    cancel.cancel();
    let ran = running.await.unwrap();
    drop(open);
    assert_eq!(ran.stop(), StopReason::Cancelled);
    let not_run = "error: not run: cancelled";
    assert_eq!(
        ran.results(),
        [
            format!("a get: {not_run}"),
            format!("b slow: {not_run}"),
            format!("c get: {not_run}"),
        ]
    );
}

#[tokio::test]
async fn what_was_checked_aside_runs_like_any_other() {
    let (open, gate) = std::sync::mpsc::channel();
    drop(open);
    let batch = calls([("slow", "{\"n\":1}"), ("slow", "{\"misfit\":1}")]);
    let scene = Scene::new("", [batch, says("done")]);
    let ran = scene.tools([echo("slow").waits_for(gate)]).run().await;
    assert_eq!(
        ran.results(),
        [
            "a slow: {\"n\":1}",
            "b slow: error: the input does not fit: /misfit",
        ]
    );
}
