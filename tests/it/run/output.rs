//! Structured output: the provider sees to the form of the answer, or the answer is a call of the reserved tool.

use super::fake::{FakeModel, calls, echo, says};
use super::scene::Scene;
use loopls::run::StopReason;
use loopls::run::model::Wanted;

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

/// Which of the two it is, by provider and whether the mode has tools.
#[tokio::test]
async fn the_provider_sees_to_the_form_where_it_can() {
    for (provider, has_tools, is_native) in [
        ("openai", true, true),
        ("openai", false, true),
        ("anthropic", true, true),
        ("anthropic", false, true),
        ("gemini", true, false),
        ("gemini", false, true),
        ("ollama", true, false),
        ("ollama", false, true),
        ("scripted", true, false),
        ("scripted", false, false),
    ] {
        let case = format!("{provider}, tools: {has_tools}");
        let answer = match is_native {
            true => says(" { \"shipped\" : true }\n"),
            false => calls([("_looprig_final_output", "{ \"shipped\" : true }")]),
        };
        let model = FakeModel::new([answer]);
        let mut scene = Scene::new(OUTPUT, []).provider(provider);
        if has_tools {
            scene = scene.tools([echo("get")]);
        }
        scene.model = model.clone();
        let ran = scene.run().await;
        let expected = "ended answer after 0/0: {\"shipped\":true}";
        assert_eq!(ran.ended(), expected, "{case}");
        let requests = model.requests.lock().unwrap();
        let names = requests[0].tools.iter().map(|tool| tool.name.as_str());
        let is_offered = names.clone().any(|name| name == "_looprig_final_output");
        match &requests[0].wanted {
            Wanted::Json(form) => {
                assert_eq!(
                    (form.name.as_str(), is_offered),
                    ("verdict", false),
                    "{case}"
                );
                assert_eq!(form.schema["required"][0], "shipped", "{case}");
                assert!(is_native, "{case}");
            }
            Wanted::Calls => assert!(is_offered && !is_native, "{case}"),
            Wanted::Any => panic!("{case}: nothing is wanted"),
        }
    }
}

#[tokio::test]
async fn calls_go_on_where_the_provider_sees_to_the_form() {
    let replies = [calls([("get", "")]), says("{\"shipped\":false}")];
    let scene = Scene::new(OUTPUT, replies).provider("openai");
    let ran = scene.tools([echo("get")]).run().await;
    assert_eq!(ran.ended(), "ended answer after 1/1: {\"shipped\":false}");
}

#[tokio::test]
async fn an_answer_that_the_provider_saw_to_is_checked_all_the_same() {
    for (reply, expected) in [
        (
            says("{\"shipped\":1}"),
            "the answer does not fit the schema of [output]: /shipped: 1 is not of type \"boolean\"",
        ),
        (
            says("yes"),
            "the answer is not JSON: expected value at line 1 column 1",
        ),
    ] {
        let scene = Scene::new(OUTPUT, [reply]).provider("openai");
        let ran = scene.tools([echo("get")]).run().await;
        assert_eq!(ran.ended(), format!("ended failed after 0/0: {expected}"));
    }
    // The script of a test need not know who sees to the form.
    let reply = calls([("_looprig_final_output", "{\"shipped\":true}")]);
    let scene = Scene::new(OUTPUT, [reply]).provider("openai");
    let ran = scene.tools([echo("get")]).run().await;
    assert_eq!(ran.ended(), "ended answer after 0/0: {\"shipped\":true}");
}
