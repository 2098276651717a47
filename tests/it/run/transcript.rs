//! The transcript and the view: the same events as lines and as counters.

use super::fake::{calls, echo, says};
use super::scene::Scene;
use loopls::definition::Effect;
use loopls::run::access::Answer;
use loopls::run::{Record, RunStatus, RunView, StopReason, TranscriptWriter};

#[tokio::test(start_paused = true)]
async fn a_transcript_is_the_records_as_json_lines() {
    let scene = Scene::new(
        "[limits]\ncalls = 20",
        [calls([("get", "{\"a\":1}")]), says("It is.")],
    );
    let ran = scene.tools([echo("get")]).run().await;
    let mut transcript = TranscriptWriter::new(Vec::new());
    for record in &ran.records {
        transcript.write(record).unwrap();
    }
    let text = String::from_utf8(transcript.into_inner()).unwrap();
    let expected = [
        r#"{"seq":0,"t":0.0,"type":"run_started","version":1,"run":"run-1","uri":"file:///test.loop.toml","loop":"test","session_id":"00000000-0000-0000-0000-000000000001","loop_id":"00000000-0000-0000-0000-000000000002","mode":"","model":{"provider":"scripted","name":"m"},"limits":{"iterations":25,"calls":20,"parallel":8,"result_bytes":0,"tokens":0,"time":null},"tools":["get"],"prompt":"go"}"#,
        r#"{"seq":1,"t":0.0,"type":"step_started","step":1}"#,
        r#"{"seq":2,"t":0.0,"type":"tool_started","call":1,"tool":"get","input":{"a":1}}"#,
        r#"{"seq":3,"t":0.0,"type":"access_decided","call":1,"decision":"allow","by":"effect"}"#,
        r#"{"seq":4,"t":0.0,"type":"tool_completed","call":1,"tool":"get","is_error":false,"result":"{\"a\":1}","bytes":7,"omitted":0,"ms":0}"#,
        r#"{"seq":5,"t":0.0,"type":"step_completed","step":1,"usage":{"input":0,"output":0},"stop_reason":"tool_use","reply":{"text":"","calls":[{"id":"a","tool":"get","input":"{\"a\":1}"}]}}"#,
        r#"{"seq":6,"t":0.0,"type":"step_started","step":2}"#,
        r#"{"seq":7,"t":0.0,"type":"text_delta","text":"It is."}"#,
        r#"{"seq":8,"t":0.0,"type":"step_completed","step":2,"usage":{"input":0,"output":0},"stop_reason":"end_turn","reply":{"text":"It is.","calls":[]}}"#,
        r#"{"seq":9,"t":0.0,"type":"run_ended","stop":"answer","answer":"It is.","iterations":1,"calls":1,"usage":{"input":0,"output":0},"ms":0}"#,
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    let read: Vec<Record> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(read, ran.records);
}

#[tokio::test(start_paused = true)]
async fn the_view_follows_a_run() {
    let batch = calls([("get", ""), ("put", "")]);
    let scene = Scene::new(
        "[limits]\niterations = 8\ncalls = 20",
        [batch, says("So:\nit is.\n")],
    );
    let scene = scene.tools([echo("get"), echo("put").effect(Effect::Write)]);
    let ran = scene.answers(2_400, [Answer::Once]).run().await;
    let mut view = RunView::default();
    let mut seen = Vec::new();
    for record in &ran.records {
        view.apply(record);
        let open: Vec<_> = view
            .open_calls
            .iter()
            .map(|open| open.tool.as_str())
            .collect();
        let line = format!("{:?} {} {}", view.status, open.join(","), view.last_line());
        if seen.last() != Some(&line) {
            seen.push(line);
        }
    }
    assert_eq!(
        seen,
        [
            "Starting  ",
            "Replying  ",
            "Calling get ",
            "Calling get,put ",
            "Asking get,put ",
            "Calling get,put ",
            "Calling put ",
            "Calling  ",
            "Replying  ",
            "Replying  it is.",
            "Ended(Answer)  it is.",
        ]
    );
    assert_eq!(view.summary(), "1/8 iterations · 2/20 calls · 2.4 s");
    assert_eq!(view.stop(), Some(StopReason::Answer));
    assert_eq!(view.status, RunStatus::Ended(StopReason::Answer));
}

/// hermes-agent#92552.
#[test]
fn only_an_answer_is_a_success() {
    use StopReason::{Answer, Cancelled, Failed, Limit, MaxTokens, Refusal};
    let codes = [Answer, Limit, Refusal, MaxTokens, Failed, Cancelled].map(StopReason::exit_code);
    assert_eq!(codes, [0, 3, 4, 4, 5, 130]);
}
