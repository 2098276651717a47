//! Tests of a definition run from the editor, replays, and runs that become tests.

use super::{Desk, LOOKUP, types};
use crate::support::command_params;
use serde_json::{Value, json};

/// A test that passes, one that does not, and one that reaches a tool it must not run.
const TESTED: &str = r#"
name = "order-desk"
prompt = "Is order 1042 shipped?"

[model]
provider = "scripted"
name = "rehearsal"
script = [{ text = "Yes." }]

[[tools]]
name = "lookup"
description = "Looks an order up."
effect = "write"
command = ["touch", "touched"]

[[tests]]
name = "passes"
script = [{ calls = [{ tool = "lookup", input = {} }] }, { text = "Yes." }]
results = [{ tool = "lookup", result = "shipped" }]
expect = { answer = "Yes." }

[[tests]]
name = "misses"
script = [{ text = "No." }]
expect = { answer = "Yes.", stop = "answer" }

[[tests]]
name = "reaches"
script = [{ calls = [{ tool = "lookup", input = {} }] }, { text = "Yes." }]
expect = { answer = "Yes." }
"#;

/// Runs a test; returns its events and what came of it, which is told before the last of them.
async fn test(desk: &mut Desk, name: &str) -> (Vec<Value>, Value) {
    let run = desk.run(json!({ "test": name })).await;
    let mut verdict = Value::Null;
    let mut events = Vec::new();
    loop {
        let mut message = desk
            .client
            .take(|message| {
                message["method"]
                    .as_str()
                    .is_some_and(|it| it.starts_with("loopls/"))
                    && message["params"]["run"] == run
            })
            .await;
        let mut params = message["params"].take();
        if message["method"] == "loopls/testEnded" {
            verdict = params;
            continue;
        }
        events.push(params["event"].take());
        if events.last().unwrap()["type"] == "run_ended" {
            return (events, verdict);
        }
    }
}

#[tokio::test]
async fn a_test_tells_whether_it_passed_and_what_it_missed() {
    let mut desk = Desk::open(TESTED).await;
    let (events, verdict) = test(&mut desk, "passes").await;
    assert_eq!(events[0]["test"], "passes");
    assert_eq!(events.last().unwrap()["stop"], "answer");
    assert_eq!(verdict["passed"], true);
    assert_eq!(verdict["test"], "passes");
    assert_eq!(verdict["misses"], json!([]));

    let (events, verdict) = test(&mut desk, "misses").await;
    assert_eq!(events.last().unwrap()["stop"], "answer");
    assert_eq!(verdict["passed"], false);
    let [miss] = verdict["misses"].as_array().unwrap().as_slice() else {
        panic!("{verdict}");
    };
    assert_eq!(
        miss["range"]["start"],
        json!({ "line": 24, "character": 20 })
    );
    assert!(miss["message"].as_str().unwrap().contains("No."), "{miss}");

    let (_, verdict) = test(&mut desk, "reaches").await;
    let miss = verdict["misses"][0]["message"].as_str().unwrap();
    assert!(miss.contains("`lookup` (write) was reached"), "{miss}");
    assert!(!desk.path.join("touched").exists());

    let (events, verdict) = test(&mut desk, "nobody").await;
    assert_eq!(types(&events), ["run_ended"]);
    assert_eq!(events[0]["reason"], "there is no test `nobody`");
    assert_eq!(verdict, Value::Null);
    desk.close().await;
}

#[tokio::test]
async fn a_test_has_its_own_lens() {
    let mut desk = Desk::open(TESTED).await;
    test(&mut desk, "misses").await;
    let params = json!({ "textDocument": { "uri": desk.uri } });
    let lenses = desk.client.call("textDocument/codeLens", params).await;
    let lenses = lenses.as_array().unwrap().iter();
    let titles: Vec<_> = lenses
        .map(|lens| lens["command"]["title"].as_str().unwrap())
        .filter(|title| title.contains('·'))
        .collect();
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(
        titles[0].starts_with("misses did not pass · "),
        "{titles:?}"
    );
    desk.close().await;
}

#[tokio::test]
async fn a_client_that_draws_no_runs_is_told_in_a_message() {
    let trusted = json!({ "trust": "trusted" });
    let mut desk = Desk::open_with(TESTED, json!({}), trusted).await;
    for (name, kind, words) in [
        ("passes", 3, "desk.loop.toml: passes passed: Yes."),
        (
            "misses",
            1,
            "desk.loop.toml: misses did not pass: line 25: ",
        ),
    ] {
        desk.run(json!({ "test": name })).await;
        let said = desk.client.notification("window/showMessage").await;
        let message = said["message"].as_str().unwrap();
        assert!(message.starts_with(words), "{message}");
        assert_eq!(said["type"], kind);
    }
    desk.client = desk.client.allow("window/logMessage");
    desk.close().await;
}

#[tokio::test]
async fn whoever_waits_for_a_test_gets_what_came_of_it() {
    let mut desk = Desk::open(TESTED).await;
    let mut params = command_params(
        "loopls.run",
        json!({ "uri": desk.uri, "run": "mine", "test": "misses" }),
    );
    params["workDoneToken"] = "t".into();
    let result = desk.client.call("workspace/executeCommand", params).await;
    assert_eq!(result["stop"], "answer");
    assert_eq!(result["passed"], false);
    assert_eq!(result["misses"].as_array().unwrap().len(), 1);
    desk.client.notification("loopls/testEnded").await;
    desk.events("mine").await;
    desk.client = desk.client.allow("$/progress");
    desk.close().await;
}

#[tokio::test]
async fn a_transcript_takes_the_part_of_model_and_tools() {
    let mut desk = Desk::open(LOOKUP).await;
    let started = desk
        .client
        .command(
            "loopls.run",
            json!({ "uri": desk.uri, "prompt": "Order 7?" }),
        )
        .await;
    desk.events(started["run"].as_str().unwrap()).await;
    // Another script, and another result: the record counts.
    let other = LOOKUP
        .replace("Yes, on Monday.", "No.")
        .replace("Monday", "Tuesday");
    desk.client.replace(&desk.uri, 2, &other).await;
    desk.client.diagnostics(&desk.uri, 2).await;
    let run = desk.run(json!({ "replay": started["transcript"] })).await;
    let events = desk.events(&run).await;
    assert_eq!(events[0]["prompt"], "Order 7?");
    assert_eq!(events.last().unwrap()["answer"], "Yes, on Monday.");
    let run = desk.run(json!({ "replay": "/nowhere.jsonl" })).await;
    let events = desk.events(&run).await;
    let reason = events[0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("/nowhere.jsonl: "), "{reason}");
    desk.close().await;
}

#[tokio::test]
async fn a_run_becomes_a_test_that_passes() {
    for line_break in ["\n", "\r\n"] {
        let capabilities = json!({
            "workspace": { "applyEdit": true },
            "experimental": { "loopls": { "runEvents": true } },
        });
        let trusted = json!({ "trust": "trusted" });
        let definition = LOOKUP.replace('\n', line_break);
        let mut desk = Desk::open_with(&definition, capabilities, trusted).await;
        let run = desk.run(json!({})).await;
        desk.events(&run).await;
        let request = desk
            .client
            .request(
                "workspace/executeCommand",
                command_params("loopls.saveAsTest", json!({ "run": run })),
            )
            .await;
        let (id, asked) = desk.client.question("window/showMessageRequest").await;
        let shown = asked["message"].as_str().unwrap();
        assert!(
            shown.contains("name = \"Is order 1042 shipped?\""),
            "{shown}"
        );
        assert_eq!(asked["actions"][0]["title"], "Cancel");
        desk.client
            .answer(id, json!({ "title": "Add the test" }))
            .await;
        let (id, params) = desk.client.question("workspace/applyEdit").await;
        let edit = &params["edit"]["changes"][&desk.uri][0];
        desk.client.answer(id, json!({ "applied": true })).await;
        let added = desk.client.reply(request).await.unwrap();
        assert_eq!(added["added"], true);
        let text = format!("{definition}{}", edit["newText"].as_str().unwrap());
        desk.client.replace(&desk.uri, 2, &text).await;
        assert_eq!(
            desk.client.diagnostics(&desk.uri, 2).await,
            [] as [Value; 0]
        );
        let (events, verdict) = test(&mut desk, "Is order 1042 shipped?").await;
        assert_eq!(verdict["passed"], true, "{events:#?}");

        // Another of the same run has another name; nobody wants it.
        let argument = json!({ "run": run, "apply": false });
        let another = desk.client.command("loopls.saveAsTest", argument).await;
        assert_eq!(another["test"], "Is order 1042 shipped? 2");
        assert_eq!(another["added"], false);
        desk.close().await;
    }
}

#[tokio::test]
async fn what_is_not_wanted_or_does_not_fit_is_not_added() {
    let mut desk = Desk::open(LOOKUP).await;
    let run = desk.run(json!({})).await;
    desk.events(&run).await;
    let params = command_params("loopls.saveAsTest", json!({ "run": run }));
    let request = desk
        .client
        .request("workspace/executeCommand", params.clone());
    let request = request.await;
    let (id, _) = desk.client.question("window/showMessageRequest").await;
    desk.client.answer(id, Value::Null).await;
    assert_eq!(desk.client.reply(request).await.unwrap()["added"], false);
    let inline = format!("tests = [{{ name = \"x\", expect = {{ iterations = 1 }} }}]\n{LOOKUP}");
    desk.client.replace(&desk.uri, 2, &inline).await;
    desk.client.diagnostics(&desk.uri, 2).await;
    let code = desk.client.error_code("workspace/executeCommand", params);
    assert_eq!(code.await, -32600);
    let params = command_params("loopls.saveAsTest", json!({ "run": "nobody" }));
    let code = desk.client.error_code("workspace/executeCommand", params);
    assert_eq!(code.await, -32602);
    desk.close().await;
}
