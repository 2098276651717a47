//! A record takes the part of the model and of the tools, as long as the run keeps to it.

use super::fake::{FakeTool, calls, echo, says, tool};
use super::scene::{Ran, Scene};
use loopls::bind::Outcome;
use loopls::definition::Effect;
use loopls::run::access::Answer;
use loopls::run::model::{Message, replay};
use loopls::run::{RecordedRun, StopReason, TranscriptError};
use std::sync::{Arc, Mutex};

/// A tool that must not run again.
fn once(name: &str) -> FakeTool {
    tool(name, |input, _| async move {
        Outcome::text(format!("did {input}"))
    })
}

fn gone(name: &str) -> FakeTool {
    tool(name, |_, _| async {
        panic!("a replay runs nothing that is recorded")
    })
}

/// A run of three steps with five calls, one of them denied, and its record.
async fn recorded(tables: &str) -> Ran {
    let replies = [
        calls([("get", "{\"n\":1}"), ("put", ""), ("nope", "{}")]),
        calls([("get", "{\"n\":2}"), ("get", "{\"n\":1}")]),
        says("Done."),
    ];
    let scene = Scene::new(tables, replies);
    let scene = scene.tools([once("get"), once("put").effect(Effect::Write)]);
    scene.answers(0, [Answer::Deny]).run().await
}

/// Replays a record in a loop with `tables`.
async fn replayed(record: &[u8], tables: &str, prompt: &str, tools: [FakeTool; 2]) -> Ran {
    let mut scene = Scene::new(tables, []).tools(tools).prompt(prompt);
    let run = RecordedRun::read(record).unwrap();
    let (bound, model) = replay(&scene.bound(), run, &[]);
    scene.model = model;
    scene.run_bound(&bound).await
}

fn tools() -> [FakeTool; 2] {
    [gone("get"), gone("put").effect(Effect::Write)]
}

#[tokio::test]
async fn a_replay_says_and_hears_the_same() {
    let first = recorded("").await;
    let again = replayed(&first.transcript(), "", "go", tools()).await;
    assert_eq!(again.turn.history, first.turn.history);
    assert_eq!(again.ended(), first.ended());
    assert_eq!(again.stop(), StopReason::Answer);
}

#[tokio::test]
async fn a_replay_that_parts_from_its_record_names_step_and_call() {
    let record = recorded("").await.transcript();
    let record = String::from_utf8(record).unwrap();
    let parts = "the replay parts from its record at";
    let long = "x".repeat(300);
    for (changed, tables, prompt, tools, expected) in [
        (
            record.clone(),
            "",
            "another",
            tools(),
            format!("{parts} step 1: the prompt is another"),
        ),
        (
            record.clone(),
            "[access]\ndeny = [\"get\"]",
            "go",
            tools(),
            format!(
                "{parts} step 1, call 1 (`get`): its result was `did {{\"n\":1}}`, and is `error: denied: `get` of the loop's access rules forbids `get``"
            ),
        ),
        (
            record.clone(),
            "",
            "go",
            [gone("get"), gone("set")],
            format!(
                "{parts} step 1, call 2 (`put`): its result was, from byte 7 on, `denied: this call of `put` was not approved`, and is `there is no tool `put`; the tools are get, set`"
            ),
        ),
        // A result that comes out longer than the loop now lets through.
        (
            record.replace("did {\\\"n\\\":2}", &long),
            "[limits]\nresult_bytes = 256",
            "go",
            tools(),
            format!(
                "{parts} step 2, call 4 (`get`): its result was, from byte 103 on, `{}`, and is `\\n[tool output truncated: omitted 94 of 300 bytes]\\n{}`",
                &long[..120],
                &long[..70],
            ),
        ),
        // A recorded call is missing: `read` runs, and the record has nothing to hold it to.
        (
            record
                .lines()
                .filter(|line| !(line.contains("tool_completed") && line.contains("\"call\":4")))
                .map(|line| format!("{line}\n"))
                .collect(),
            "",
            "go",
            [echo("get"), gone("put").effect(Effect::Write)],
            format!("{parts} step 2, call 4 (`get`): the record has no result of it"),
        ),
    ] {
        let ran = replayed(changed.as_bytes(), tables, prompt, tools).await;
        assert_eq!(ran.stop(), StopReason::Failed, "{expected}");
        let ended = ran.ended();
        let (_, reason) = ended.split_once(": ").unwrap();
        assert_eq!(reason, expected);
    }
}

/// What has no result runs as it may in a test, whoever would allow it.
#[tokio::test]
async fn what_a_record_has_no_result_of_runs_only_where_it_may() {
    let tools = |ran: &Arc<Mutex<Vec<&'static str>>>| {
        [
            ("get", Effect::Read),
            ("put", Effect::Write),
            ("pay", Effect::Irreversible),
        ]
        .map(|(name, effect)| {
            let ran = ran.clone();
            let tool = tool(name, move |_, _| {
                ran.lock().unwrap().push(name);
                async { Outcome::text("") }
            });
            tool.effect(effect)
        })
    };
    let batch = || calls([("get", ""), ("put", ""), ("pay", "")]);
    let people = [Answer::Once, Answer::Once];
    let first = Scene::new("", [batch(), says("Done.")]).tools(tools(&Arc::default()));
    let record = first.answers(0, people).run().await.transcript();
    let record = String::from_utf8(record).unwrap();
    let lines = record
        .lines()
        .filter(|line| !line.contains("tool_completed"));
    let record: String = lines.map(|line| format!("{line}\n")).collect();
    for (allow, expected) in [(&[][..], &["get"][..]), (&["put", "pay"], &["get", "put"])] {
        let ran = Arc::default();
        let mut scene = Scene::new("", []).tools(tools(&ran)).answers(0, people);
        let allow: Vec<String> = allow.iter().map(|name| (*name).into()).collect();
        let run = RecordedRun::read(record.as_bytes()).unwrap();
        let (bound, model) = replay(&scene.bound(), run, &allow);
        scene.model = model;
        let again = scene.run_bound(&bound).await;
        assert_eq!(again.stop(), StopReason::Failed);
        ran.lock().unwrap().sort_unstable();
        assert_eq!(*ran.lock().unwrap(), expected, "{allow:?}");
    }
}

#[tokio::test]
async fn a_record_that_has_no_more_replies_says_how_it_ended() {
    let limited = recorded("[limits]\niterations = 1").await;
    let again = replayed(&limited.transcript(), "", "go", tools()).await;
    let expected = "ended failed after 1/3: the record has no reply for step 2: its run ended there, in `limit`: tool limit reached: 2/1 iterations, 5/100 calls";
    assert_eq!(again.ended(), expected);

    let cut = recorded("").await.transcript();
    let cut = String::from_utf8(cut).unwrap();
    let steps: Vec<_> = cut.match_indices("step_completed").collect();
    // Within the second step, in the middle of a line.
    let cut = &cut[..steps[1].0];
    let again = replayed(cut.as_bytes(), "", "go", tools()).await;
    let expected =
        "ended failed after 1/3: the record has no reply for step 2: it breaks off there";
    assert_eq!(again.ended(), expected);
    let read = RecordedRun::read(cut.as_bytes()).unwrap();
    assert_eq!(read.history(), again.turn.history);
    assert!(matches!(&*read.history()[2], Message::Results(results) if results.len() == 3));
}

#[test]
fn what_is_no_transcript_says_so() {
    let started = r#"{"seq":0,"t":0.0,"type":"run_started","version":1,"run":"r","uri":"u","loop":"l","session_id":"","loop_id":"","mode":"","model":{"provider":"","name":""},"limits":{"iterations":1,"calls":1,"parallel":1,"result_bytes":0,"tokens":0,"time":null},"tools":[],"prompt":"p"}"#;
    for (text, expected) in [
        (
            "",
            "it is no transcript: it does not begin with `run_started`",
        ),
        (
            "{}",
            "it is no transcript: it does not begin with `run_started`",
        ),
        (
            "{\"seq\":0,\"t\":0.0,\"type\":\"step_started\",\"step\":1}\n",
            "it is no transcript: it does not begin with `run_started`",
        ),
        (
            r#"{"type":"run_started","version":2,"new":1}"#,
            "it is a transcript of version 2, and this loopls reads version 1",
        ),
        (
            &format!("{started}\nnot this\n"),
            "line 2 is no event of a run: expected ident at line 1 column 2",
        ),
    ] {
        let error: TranscriptError = RecordedRun::read(text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    // Broken off in the middle of a line.
    let read = RecordedRun::read(format!("{started}\n{{\"seq\":1,").as_bytes()).unwrap();
    assert_eq!((read.run.as_str(), read.prompt.as_str()), ("r", "p"));
}
