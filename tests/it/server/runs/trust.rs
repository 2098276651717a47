//! Trust: nothing starts where nobody said that it may.

use super::{Desk, types};
use serde_json::{Value, json};

/// Leaves a file behind when it runs.
const TOUCHING: &str = r#"
name = "toucher"
prompt = "Touch it."

[model]
provider = "scripted"
name = "rehearsal"
script = [{ calls = [{ tool = "touch", input = {} }] }, { text = "Done." }]

[[tools]]
name = "touch"
description = "Touches a file."
effect = "read"
command = ["touch", "touched"]
env = { A = "${SOME_VARIABLE}" }
"#;

async fn open(trust: Value) -> Desk {
    let capabilities = json!({ "experimental": { "loopls": { "runEvents": true } } });
    // What `${NAME}` reads must be set to bind.
    let definition = TOUCHING.replace("SOME_VARIABLE", "PATH");
    Desk::open_with(&definition, capabilities, json!({ "trust": trust })).await
}

fn has_run(desk: &Desk) -> bool {
    desk.path.join("touched").exists()
}

async fn answer(desk: &mut Desk, title: &str) -> String {
    let (id, params) = desk.client.question("window/showMessageRequest").await;
    let titles: Vec<_> = params["actions"].as_array().unwrap().iter().collect();
    assert_eq!(titles.len(), 3, "{params}");
    desk.client.answer(id, json!({ "title": title })).await;
    params["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_folder_is_asked_about_with_what_its_definition_reaches() {
    let mut desk = open(json!(null)).await;
    let run = desk.run(json!({})).await;
    let message = answer(&mut desk, "No").await;
    for part in ["desk.loop.toml", "program `touch`", "variable `PATH`"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let events = desk.events(&run).await;
    assert_eq!(types(&events), ["run_ended"]);
    assert_eq!(events[0]["reason"], "not_trusted");
    assert!(!has_run(&desk));
    desk.close().await;
}

#[tokio::test]
async fn once_is_once_and_a_trusted_folder_is_not_asked_about_again() {
    let mut desk = open(json!("ask")).await;
    for title in ["Once", "Trust this folder"] {
        let run = desk.run(json!({})).await;
        answer(&mut desk, title).await;
        let events = desk.events(&run).await;
        assert_eq!(events.last().unwrap()["stop"], "answer");
        assert!(has_run(&desk));
    }
    let run = desk.run(json!({})).await;
    let events = desk.events(&run).await;
    assert_eq!(events.last().unwrap()["stop"], "answer");
    // What reaches more is asked about again.
    let more = TOUCHING.replace("SOME_VARIABLE", "HOME");
    desk.client.replace(&desk.uri, 2, &more).await;
    desk.client.diagnostics(&desk.uri, 2).await;
    let run = desk.run(json!({})).await;
    answer(&mut desk, "No").await;
    assert_eq!(desk.events(&run).await[0]["reason"], "not_trusted");
    desk.close().await;
}

#[tokio::test]
async fn restricted_starts_nothing_and_asks_nothing() {
    let mut desk = open(json!("restricted")).await;
    let run = desk.run(json!({})).await;
    let events = desk.events(&run).await;
    assert_eq!(events[0]["reason"], "not_trusted");
    let params = crate::support::command_params("loopls.bind", json!({ "uri": desk.uri }));
    assert_eq!(
        desk.client
            .error_code("workspace/executeCommand", params)
            .await,
        -32600
    );
    assert!(!has_run(&desk));
    let trust = json!({ "trust": "trusted" });
    desk.client.notify("loopls/didChangeTrust", trust).await;
    let run = desk.run(json!({})).await;
    let events = desk.events(&run).await;
    assert_eq!(events.last().unwrap()["stop"], "answer");
    desk.close().await;
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_how_to_trust() {
    let mut desk = open(json!("ask")).await;
    let run = desk.run(json!({})).await;
    let (id, _) = desk.client.question("window/showMessageRequest").await;
    let error = json!({ "code": -32601, "message": "no such method" });
    desk.client
        .send(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
        .await;
    let said = desk.client.notification("window/showMessage").await;
    let told = format!("loopls trust {}", desk.path.display());
    assert!(said["message"].as_str().unwrap().ends_with(&told), "{said}");
    assert_eq!(desk.events(&run).await[0]["reason"], "not_trusted");
    desk.close().await;
}

#[tokio::test]
async fn settings_and_definitions_trust_nothing() {
    let mut desk = open(json!("ask")).await;
    let settings = json!({ "settings": { "loopls": { "trust": "trusted" }, "trust": "trusted" } });
    desk.client
        .notify("workspace/didChangeConfiguration", settings)
        .await;
    let run = desk.run(json!({ "trust": "trusted" })).await;
    answer(&mut desk, "No").await;
    assert_eq!(desk.events(&run).await[0]["reason"], "not_trusted");
    desk.close().await;
}
