//! Limits: counted before anything runs, and named with their line when they end a turn.

use super::fake::{calls, echo, endless, part, parts, says, tokens, tool};
use super::scene::{Ran, Scene};
use loopls::bind::Outcome;
use loopls::definition::Effect;
use loopls::run::access::Answer;
use loopls::run::model::{ReplyPart, ReplyStop};
use loopls::run::{Event, LimitReached};

/// The line in the text of a scene that reads `line`.
fn line_number(scene: &Scene, line: &str) -> Option<u32> {
    let text = scene.text();
    text.lines()
        .position(|known| known == line)
        .map(|number| number as u32)
}

fn limit(ran: &Ran) -> LimitReached {
    match &ran.turn.ended {
        Event::RunEnded {
            limit: Some(limit), ..
        } => limit.clone(),
        other => panic!("{other:?}"),
    }
}

/// anvia#397.
#[tokio::test]
async fn a_batch_over_a_limit_does_not_run_and_the_limit_is_named() {
    let two = || calls([("get", ""), ("get", "")]);
    let tables = "[limits]\niterations = 1\ncalls = 3";
    let scene = Scene::new(tables, [two(), two()]).tools([echo("get")]);
    let line = line_number(&scene, "iterations = 1");
    let ran = scene.run().await;
    assert_eq!(
        ran.lines_of(&["step", "completed", "ended"]),
        [
            "step 1",
            "completed 1 get: {}",
            "completed 2 get: {}",
            "step 1 done: tool_use",
            "step 2",
            // Both are exceeded; what ended it is named with what would have been reached.
            "ended limit after 1/2: tool limit reached: 2/1 iterations, 4/3 calls",
        ]
    );
    let expected = LimitReached {
        name: "iterations".into(),
        reached: 2,
        max: 1,
        line,
    };
    assert_eq!(limit(&ran), expected);
    assert!(line.is_some());
    // What ran stays: the prompt, the first batch and its results.
    assert_eq!(ran.turn.history.len(), 3);
}

#[tokio::test]
async fn a_limit_of_the_mode_is_named_with_the_modes_line_and_a_default_with_none() {
    let one = || calls([("get", "")]);
    let two = || calls([("get", ""), ("get", "")]);
    let tables = "[limits]\ncalls = 9\n[[modes]]\nname = \"fast\"\n[modes.limits]\ncalls = 1";
    let scene = Scene::new(tables, [two()])
        .top("initial_mode = \"fast\"")
        .tools([echo("get")]);
    let line = line_number(&scene, "calls = 1");
    let ran = scene.run().await;
    assert_eq!(
        limit(&ran),
        LimitReached {
            name: "calls".into(),
            reached: 2,
            max: 1,
            line
        }
    );
    assert!(line.is_some());

    let ran = Scene::new("", (0..26).map(|_| one()))
        .tools([echo("get")])
        .run()
        .await;
    assert_eq!(
        limit(&ran),
        LimitReached {
            name: "iterations".into(),
            reached: 26,
            max: 25,
            line: None
        }
    );
}

/// anvia#397.
#[tokio::test]
async fn text_at_the_limit_is_an_answer() {
    let replies = [calls([("get", "")]), says("done")];
    let tables = "[limits]\niterations = 1\ncalls = 1\ntokens = 1";
    let ran = Scene::new(tables, replies).tools([echo("get")]).run().await;
    assert_eq!(ran.ended(), "ended answer after 1/1: done");
}

#[tokio::test]
async fn tokens_end_the_turn_before_the_next_batch() {
    let step = || {
        parts([
            part(0, Some("x"), Some("get"), ""),
            tokens(30, 20),
            ReplyPart::Stop(ReplyStop::ToolUse),
        ])
    };
    let scene = Scene::new("[limits]\ntokens = 100", [step(), step(), step()]).tools([echo("get")]);
    let line = line_number(&scene, "tokens = 100");
    let ran = scene.run().await;
    assert_eq!(
        ran.ended(),
        "ended limit after 2/2: token limit reached: 150/100 tokens"
    );
    assert_eq!(
        limit(&ran),
        LimitReached {
            name: "tokens".into(),
            reached: 150,
            max: 100,
            line
        }
    );
}

#[tokio::test(start_paused = true)]
async fn time_ends_calls_and_replies() {
    let tables = "[limits]\ntime = \"2s\"";
    let ran = Scene::new(tables, [calls([("put", ""), ("get", "")])])
        .tools([endless("put").effect(Effect::Write), echo("get")])
        .allowing("put")
        .run()
        .await;
    assert_eq!(ran.ended(), "ended limit after 1/2: time limit reached: 2s");
    assert_eq!(
        ran.results(),
        [
            "a put: error: the time limit of the turn was reached; it may have taken effect",
            "b get: {}",
        ]
    );
    assert_eq!(limit(&ran).reached, 2_000);

    let hanging = super::fake::Reply::Hang(vec![ReplyPart::Text("It".into())]);
    let ran = Scene::new(tables, [hanging]).run().await;
    assert_eq!(
        ran.lines()[1..],
        ["text It", "ended limit after 0/0: time limit reached: 2s"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_time_that_a_person_takes_does_not_count() {
    let slow = tool("slow", |_, _| async {
        tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
        Outcome::text("ok")
    });
    let replies = || [calls([("slow", "")]), calls([("slow", "")]), says("done")];
    let slow = slow.effect(Effect::Write).timeout(1_600);
    let run = |time: &str| {
        Scene::new(&format!("[limits]\ntime = \"{time}\""), replies())
            .tools([slow.clone()])
            .answers(3_600_000, [Answer::Once, Answer::Once])
            .run()
    };
    assert_eq!(run("3100ms").await.ended(), "ended answer after 2/2: done");
    assert_eq!(
        run("2900ms").await.ended(),
        "ended limit after 2/2: time limit reached: 2s900ms"
    );
}

#[tokio::test]
async fn a_mode_that_is_not_there_fails_the_turn_in_words() {
    let modes = "[[modes]]\nname = \"a\"\n[[modes]]\nname = \"b\"";
    let top = "initial_mode = \"a\"";
    for (mode, tables, top, expected) in [
        ("x", modes, top, "there is no mode `x`; the modes are a, b"),
        ("x", "", "", "there is no mode `x`; the loop has no modes"),
        (
            "",
            modes,
            top,
            "the loop has modes, so a run cannot start in the base",
        ),
    ] {
        let mut scene = Scene::new(tables, []).top(top);
        scene.mode = Some(mode.into());
        let ran = scene.run().await;
        assert_eq!(ran.lines(), [format!("ended failed after 0/0: {expected}")]);
    }
}
