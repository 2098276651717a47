//! The scripted model, through the same trait as a provider's client.

use super::fake::echo;
use super::scene::Scene;
use loopls::bind::KeyMissing;
use loopls::run::Event;
use loopls::run::model::{ClientError, client_for};

/// The lines of a run of the scripted model of `mode`.
async fn lines(top: &str, tables: &str) -> Vec<String> {
    let mut scene = Scene::new(tables, []).top(top).tools([echo("get")]);
    let bound = scene.bound();
    scene.model = client_for(&bound, bound.initial_mode()).unwrap();
    scene.run_bound(&bound).await.lines()
}

#[tokio::test(start_paused = true)]
async fn a_script_is_said_reply_by_reply() {
    let script = r#"
script = [
    { text = "Looking.", calls = [{ tool = "get", input = { b = 1, a = [true] } }, { tool = "get", input = "{ raw" }, { tool = "get" }] },
    { text = "Done.", delay = "2s", usage = { input = 7, output = 3 } },
]
"#;
    let mut scene = Scene::new(script, []).tools([echo("get")]);
    let bound = scene.bound();
    scene.model = client_for(&bound, bound.initial_mode()).unwrap();
    let ran = scene.run_bound(&bound).await;
    assert_eq!(
        ran.lines_of(&["text", "completed", "step 2 done", "ended"]),
        [
            "text Looking.",
            "completed 2 get: error: the input is not JSON: key must be a string at line 1 column 3",
            "completed 1 get: {\"b\":1,\"a\":[true]}",
            "completed 3 get: {}",
            "text Done.",
            "step 2 done: end_turn",
            "ended answer after 1/3: Done.",
        ]
    );
    let Event::RunEnded { usage, ms, .. } = &ran.turn.ended else {
        unreachable!()
    };
    assert_eq!((usage.total(), *ms), (10, 2_000));
}

#[tokio::test]
async fn a_script_can_refuse_be_cut_and_fail() {
    for (reply, expected) in [
        (
            "text = \"No.\", stop_reason = \"refusal\"",
            "ended refusal after 0/0: the model refused",
        ),
        (
            "text = \"It\", stop_reason = \"max_tokens\"",
            "ended max_tokens after 0/0: the reply was cut: it reached the model's maximum of tokens",
        ),
        (
            "error = \"overloaded\"",
            "ended failed after 0/0: overloaded",
        ),
    ] {
        let lines = lines("", &format!("script = [{{ {reply} }}]")).await;
        assert_eq!(lines.last().unwrap(), expected);
    }
}

#[tokio::test]
async fn a_script_that_runs_out_says_so() {
    let call = "{ calls = [{ tool = \"get\" }] }";
    for (script, expected) in [
        (
            "".into(),
            "the model is `scripted` and has no script, so there is no reply to give",
        ),
        (
            format!("script = [{call}]"),
            "the script has 1 reply, and this is request 2",
        ),
        (
            format!("script = [{call}, {call}]"),
            "the script has 2 replies, and this is request 3",
        ),
    ] {
        let lines = lines("", &script).await;
        assert!(lines.last().unwrap().ends_with(expected), "{lines:?}");
    }
}

#[tokio::test]
async fn a_mode_without_a_script_says_the_bases() {
    let top = "initial_mode = \"m\"";
    let base = "script = [{ text = \"base\" }]\n[[modes]]\nname = \"m\"\n";
    let own = "[modes.model]\nprovider = \"scripted\"\nname = \"own\"\n";
    for (tables, expected) in [
        (base.to_owned(), "base"),
        (format!("{base}{own}"), "base"),
        (
            format!("{base}{own}script = [{{ text = \"mode\" }}]"),
            "mode",
        ),
    ] {
        let lines = lines(top, &tables).await;
        assert_eq!(
            lines.last().unwrap(),
            &format!("ended answer after 0/0: {expected}")
        );
    }
}

#[test]
fn a_provider_whose_key_is_not_there_has_no_client() {
    let text = "name = \"test\"\n[model]\nprovider = \"anthropic\"\nname = \"m\"\n";
    let bound = super::scene::bound(text, Vec::new());
    let error = client_for(&bound, bound.initial_mode()).err();
    let missing = KeyMissing("ANTHROPIC_API_KEY".into());
    assert_eq!(error, Some(ClientError::Key(missing)));
}
