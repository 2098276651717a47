//! Runs whose command came with a work-done token.

use super::{Desk, LOOKUP, WAITING, all_gone};
use crate::support::command_params;
use serde_json::{Value, json};

/// Starts a run that is answered at its end.
async fn run_with_token(desk: &mut Desk, token: &str) -> i64 {
    let mut params = command_params("loopls.run", json!({ "uri": desk.uri, "run": "mine" }));
    params["workDoneToken"] = token.into();
    desk.client
        .request("workspace/executeCommand", params)
        .await
}

#[tokio::test]
async fn with_a_token_a_run_is_answered_at_its_end() {
    let mut desk = Desk::open(LOOKUP).await;
    let id = run_with_token(&mut desk, "t").await;
    let begin = desk.client.notification("$/progress").await;
    assert_eq!(begin["token"], "t");
    assert_eq!(begin["value"]["kind"], "begin");
    assert_eq!(begin["value"]["cancellable"], true);
    let mut last = begin;
    // In order of arrival, so that a report after the answer would be seen.
    let answer = loop {
        let message = desk
            .client
            .take(|message| message["method"] == "$/progress" || message["id"] == id)
            .await;
        match message["method"].is_string() {
            true => last = message["params"].clone(),
            false => break message,
        }
    };
    assert_eq!(last["value"], json!({ "kind": "end", "message": "answer" }));
    assert_eq!(
        answer["result"],
        json!({ "run": "mine", "stop": "answer", "answer": "Yes, on Monday." })
    );
    desk.events("mine").await;
    desk.close().await;
}

#[tokio::test]
async fn cancelling_the_request_cancels_its_run() {
    let mut desk = Desk::open(WAITING).await;
    let id = run_with_token(&mut desk, "t").await;
    let seen = desk.until("mine", "tool_output").await;
    desk.client
        .notify("$/cancelRequest", json!({ "id": id }))
        .await;
    let mut last = Value::Null;
    let reply = loop {
        let message = desk
            .client
            .take(|message| message["method"] == "$/progress" || message["id"] == id)
            .await;
        match message["method"].is_string() {
            true => last = message["params"]["value"]["kind"].clone(),
            false => break message,
        }
    };
    assert_eq!(reply["error"]["code"], -32800);
    assert_eq!(last, "end", "progress ends before its token does");
    let ended = desk.events_from("mine", seen).await;
    assert_eq!(ended.last().unwrap()["stop"], "cancelled");
    all_gone(&desk.path).await;
    desk.close().await;
}

#[tokio::test]
async fn the_progress_of_a_token_can_be_cancelled_too() {
    let mut desk = Desk::open(WAITING).await;
    let id = run_with_token(&mut desk, "t").await;
    let seen = desk.until("mine", "tool_output").await;
    desk.client
        .notify("window/workDoneProgress/cancel", json!({ "token": "t" }))
        .await;
    let answer = desk.client.reply(id).await.unwrap();
    assert_eq!(answer["stop"], "cancelled");
    while desk.client.notification("$/progress").await["value"]["kind"] != "end" {}
    desk.events_from("mine", seen).await;
    all_gone(&desk.path).await;
    desk.close().await;
}
