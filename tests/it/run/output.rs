//! Structured output: the answer is a call of the reserved tool.

use super::fake::{FakeModel, calls, echo, says};
use super::scene::Scene;
use loopls::run::StopReason;

const OUTPUT: &str = r#"
[output]
name = "verdict"
[output.schema]
type = "object"
required = ["shipped"]
additionalProperties = false
properties = { shipped = { type = "boolean" } }
"#;

#[tokio::test]
async fn the_reserved_call_is_the_answer_and_counts_as_nothing() {
    let replies = [
        calls([("get", "")]),
        calls([("_looprig_final_output", "{ \"shipped\" : true }")]),
    ];
    let model = FakeModel::new(replies);
    let mut scene =
        Scene::new(&format!("[limits]\niterations = 1{OUTPUT}"), []).tools([echo("get")]);
    scene.model = model.clone();
    let ran = scene.run().await;
    assert_eq!(ran.ended(), "ended answer after 1/1: {\"shipped\":true}");
    let requests = model.requests.lock().unwrap();
    let offered: Vec<_> = requests[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(offered, ["get", "_looprig_final_output"]);
}

#[tokio::test]
async fn anything_else_fails_the_turn() {
    for (reply, expected) in [
        (
            says("yes"),
            "the model replied with text, and the loop's [output] demands a call of `_looprig_final_output`",
        ),
        (
            calls([("_looprig_final_output", "{\"shipped\":true}"), ("get", "")]),
            "the model called `_looprig_final_output` beside other tools",
        ),
        (
            calls([("_looprig_final_output", "{\"shipped\":1}")]),
            "the answer does not fit the schema of [output]: /shipped: 1 is not of type \"boolean\"",
        ),
        (
            calls([("_looprig_final_output", "{}")]),
            "the answer does not fit the schema of [output]: the answer: \"shipped\" is a required property",
        ),
        (
            calls([("_looprig_final_output", "{")]),
            "the answer is not JSON: EOF while parsing an object at line 1 column 1",
        ),
    ] {
        let ran = Scene::new(OUTPUT, [reply]).tools([echo("get")]).run().await;
        assert_eq!(ran.ended(), format!("ended failed after 0/0: {expected}"));
        assert_eq!(ran.lines_of(&["started"]), [""; 0]);
    }
}

#[tokio::test]
async fn without_output_the_reserved_name_is_no_tool() {
    let replies = [calls([("_looprig_final_output", "{}")]), says("done")];
    let ran = Scene::new("", replies).tools([echo("get")]).run().await;
    assert_eq!(ran.stop(), StopReason::Answer);
    assert!(ran.results()[0].contains("there is no tool"));
}
