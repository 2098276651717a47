//! What is left of a run, and the commands that run nothing.

use super::{Desk, LOOKUP, WAITING, types};
use crate::support::command_params;
use serde_json::{Value, json};

#[tokio::test]
async fn bind_lists_the_tools_of_each_mode() {
    let mut desk = Desk::open(LOOKUP).await;
    let bound = desk
        .client
        .command("loopls.bind", json!({ "uri": desk.uri }))
        .await;
    assert_eq!(bound["modes"][0]["name"], "");
    let tool = &bound["modes"][0]["tools"][0];
    assert_eq!(tool["name"], "lookup");
    assert_eq!(tool["effect"], "read");
    assert_eq!(tool["input_schema"]["properties"]["id"]["type"], "integer");
    desk.client.replace(&desk.uri, 2, "nam = 1").await;
    let params = command_params("loopls.bind", json!({ "uri": desk.uri }));
    assert_eq!(
        desk.client
            .error_code("workspace/executeCommand", params)
            .await,
        -32600
    );
    desk.client.diagnostics(&desk.uri, 2).await;
    desk.close().await;
}

#[tokio::test]
async fn resolve_says_what_the_command_line_says() {
    let mut desk = Desk::open(LOOKUP).await;
    let resolved = desk
        .client
        .command("loopls.resolve", json!({ "uri": desk.uri }))
        .await;
    let file = desk.path.join("desk.loop.toml");
    std::fs::write(&file, LOOKUP).unwrap();
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["resolve", "--format", "json"])
        .arg(&file)
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(resolved, printed);
    assert_eq!(resolved["modes"][0]["tools"], json!(["lookup"]));
    desk.close().await;
}

#[tokio::test]
async fn a_run_leaves_its_transcript() {
    let mut desk = Desk::open(LOOKUP).await;
    let started = desk
        .client
        .command("loopls.run", json!({ "uri": desk.uri }))
        .await;
    let events = desk.events(started["run"].as_str().unwrap()).await;
    let text = std::fs::read_to_string(started["transcript"].as_str().unwrap()).unwrap();
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kinds: Vec<_> = records
        .map(|it| it["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, types(&events));
    desk.close().await;
}

#[tokio::test]
async fn the_lens_shows_the_last_run_and_is_asked_for_again() {
    let capabilities = json!({
        "experimental": { "loopls": { "runEvents": true } },
        "workspace": { "codeLens": { "refreshSupport": true } },
    });
    let mut desk = Desk::open_with(WAITING, capabilities, json!({ "trust": "trusted" })).await;
    let params = json!({ "textDocument": { "uri": desk.uri } });
    let run = desk.run(json!({})).await;
    let seen = desk.until(&run, "tool_output").await;
    let (id, _) = desk.client.question("workspace/codeLens/refresh").await;
    desk.client.answer(id, Value::Null).await;
    let lenses = desk
        .client
        .call("textDocument/codeLens", params.clone())
        .await;
    assert_eq!(lenses[1]["command"]["title"], "■ running");
    assert_eq!(lenses[1]["command"]["command"], "loopls.cancel");
    assert_eq!(lenses[1]["command"]["arguments"], json!([{ "run": run }]));
    std::fs::write(desk.path.join("latch"), "").unwrap();
    desk.events_from(&run, seen).await;
    let (id, _) = desk.client.question("workspace/codeLens/refresh").await;
    desk.client.answer(id, Value::Null).await;
    let lenses = desk.client.call("textDocument/codeLens", params).await;
    let title = lenses[1]["command"]["title"].as_str().unwrap();
    assert!(
        title.starts_with("answer · 1/25 iterations · 1/100 calls · "),
        "{title}"
    );
    assert_eq!(lenses[1]["command"]["command"], "loopls.run");
    desk.close().await;
}
