//! Runs in clients that draw none.

use super::{Desk, LOOKUP, WAITING, all_gone};
use serde_json::{Value, json};

async fn open(definition: &str, window: Value) -> Desk {
    let capabilities = json!({ "window": window });
    Desk::open_with(definition, capabilities, json!({ "trust": "trusted" })).await
}

#[tokio::test]
async fn a_plain_client_sees_progress_a_log_a_document_and_a_message() {
    let window = json!({ "workDoneProgress": true, "showDocument": { "support": true } });
    let mut desk = open(LOOKUP, window).await;
    desk.run(json!({})).await;
    let (id, params) = desk.client.question("window/workDoneProgress/create").await;
    let token = params["token"].clone();
    desk.client.answer(id, Value::Null).await;
    let begin = desk.client.notification("$/progress").await;
    assert_eq!(begin["token"], token);
    assert_eq!(begin["value"]["title"], "Running desk.loop.toml");
    let mut reports = Vec::new();
    loop {
        let progress = desk.client.notification("$/progress").await;
        match progress["value"]["kind"].as_str().unwrap() {
            "report" => reports.push(progress["value"]["message"].as_str().unwrap().to_owned()),
            _ => break,
        }
    }
    assert!(
        reports.iter().any(|it| it.contains("lookup")),
        "{reports:?}"
    );
    let said = desk.client.notification("window/showMessage").await;
    let message = said["message"].as_str().unwrap();
    assert_eq!(said["type"], 3);
    assert!(
        message.starts_with("desk.loop.toml: answer: Yes, on Monday."),
        "{message}"
    );
    let (id, shown) = desk.client.question("window/showDocument").await;
    desk.client.answer(id, json!({ "success": true })).await;
    let path = shown["uri"]
        .as_str()
        .unwrap()
        .strip_prefix("file://")
        .unwrap();
    assert!(message.ends_with(path), "{message}");
    let document = std::fs::read_to_string(path).unwrap();
    for part in [
        "# `order-desk`",
        "Let me look.",
        "1042",
        "Monday",
        "## Ended: answer",
    ] {
        assert!(document.contains(part), "{part} in {document}");
    }
    // One line a call, one a result, and what the model said.
    let log = [
        "starts",
        "call 1: lookup",
        "call 1 returned",
        "Let me look",
        "Yes",
        "ended: answer",
    ];
    let mut lines: Vec<String> = Vec::new();
    while lines.len() < 7 && !lines.last().is_some_and(|line| line.contains("ended")) {
        let line = desk.client.notification("window/logMessage").await;
        lines.push(line["message"].as_str().unwrap().to_owned());
    }
    for part in log {
        assert!(
            lines.iter().any(|line| line.contains(part)),
            "{part} in {lines:?}"
        );
    }
    desk.close().await;
}

#[tokio::test]
async fn a_client_without_progress_and_documents_gets_none_and_still_a_message() {
    let mut desk = open(LOOKUP, json!({})).await;
    desk.run(json!({})).await;
    let said = desk.client.notification("window/showMessage").await;
    assert!(
        said["message"]
            .as_str()
            .unwrap()
            .contains("Yes, on Monday."),
        "{said}"
    );
    desk.client = desk.client.allow("window/logMessage");
    desk.close().await;
}

#[tokio::test]
async fn the_servers_progress_can_be_cancelled() {
    let mut desk = open(WAITING, json!({ "workDoneProgress": true })).await;
    desk.run(json!({})).await;
    let (id, params) = desk.client.question("window/workDoneProgress/create").await;
    desk.client.answer(id, Value::Null).await;
    while !desk.client.notification("$/progress").await["value"]["message"]
        .as_str()
        .is_some_and(|message| message.contains("waiting"))
    {}
    desk.client
        .notify("window/workDoneProgress/cancel", params)
        .await;
    let said = desk.client.notification("window/showMessage").await;
    assert!(
        said["message"].as_str().unwrap().contains("cancelled"),
        "{said}"
    );
    assert_ne!(said["type"], 3);
    while desk.client.notification("$/progress").await["value"]["kind"] != "end" {}
    all_gone(&desk.path).await;
    desk.client = desk.client.allow("window/logMessage");
    desk.close().await;
}

#[tokio::test]
async fn a_failure_never_looks_like_success() {
    let faulty = LOOKUP.replace("effect = \"read\"", "effect = \"red\"");
    let without_prompt = LOOKUP.replace("prompt = ", "# prompt = ");
    for (definition, says) in [
        (&faulty, "desk.loop.toml: failed: desk.loop.toml:16:10"),
        (
            &without_prompt,
            "desk.loop.toml: failed: there is no prompt: ",
        ),
    ] {
        let mut desk = open(definition, json!({})).await;
        desk.run(json!({})).await;
        let said = desk.client.notification("window/showMessage").await;
        assert_eq!(said["type"], 1);
        let message = said["message"].as_str().unwrap();
        assert!(message.starts_with(says), "{message}");
        desk.client = desk.client.allow("window/logMessage");
        desk.close().await;
    }
}
