//! Asking a server what it offers, and what comes of knowing it.
#![cfg(unix)]

use crate::support::{Client, command_params, file_uri, folder};
use serde_json::{Value, json};
use std::path::PathBuf;

const SERVER: &str = include_str!("../../data/mcp/server.sh");

const DEFINITION: &str = r#"name = "desk"

[model]
provider = "scripted"
name = "m"

[access]
allow = [""]

[[tools]]
name = "server"
mcp = { command = ["sh", "server.sh"], prefix = "s_" }
env = { MORE = '{"name":"none"},' }
effects = { s_echo = "read",  }

[[tools]]
name = "fixed"
description = "Says one."
reply = 1
"#;

const FAULTY: &str = r#"
[[tools]]
name = "faulty"
mcp = { command = ["sh", "server.sh"] }
efect = "read"
"#;

struct Desk {
    client: Client,
    uri: String,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Desk {
    async fn open(trust: &str, more: &str) -> Self {
        let (folder, path) = folder(&[("server.sh", SERVER)]);
        let uri = file_uri(&path.join("desk.loop.toml"));
        let mut client = Client::connect();
        let capabilities = json!({ "workspace": { "codeLens": { "refreshSupport": true } } });
        client
            .introduce(capabilities, json!({ "trust": trust }))
            .await;
        client.open(&uri, 1, &format!("{DEFINITION}{more}")).await;
        client.diagnostics(&uri, 1).await;
        Self {
            client,
            uri,
            path,
            _folder: folder,
        }
    }

    /// The error of a probe.
    async fn refused(&mut self, argument: Value) -> Value {
        let params = command_params("loopls.probe", argument);
        let id = self
            .client
            .request("workspace/executeCommand", params)
            .await;
        self.client.reply(id).await.unwrap_err()
    }

    async fn close(mut self) {
        self.client.close(&self.uri).await;
        self.client.cleared(&self.uri).await;
        self.client.finish().await;
    }

    fn has_started(&self) -> bool {
        self.path.join("pids").exists()
    }

    async fn lens_titles(&mut self) -> Vec<String> {
        let params = json!({ "textDocument": { "uri": self.uri } });
        let lenses = self.client.call("textDocument/codeLens", params).await;
        let titles = lenses.as_array().unwrap().iter();
        let titles = titles.map(|lens| lens["command"]["title"].as_str().unwrap().to_owned());
        titles.collect()
    }

    /// What is offered between the quotes in `allow`.
    async fn allowable(&mut self) -> Vec<String> {
        self.offered_in("allow = [\"").await
    }

    /// What is offered behind `line`, which begins a line.
    async fn offered_in(&mut self, line: &str) -> Vec<String> {
        let character = line.len();
        let line = DEFINITION.lines().position(|each| each.starts_with(line));
        let params = json!({
            "textDocument": { "uri": self.uri },
            "position": { "line": line, "character": character },
        });
        let items = self.client.call("textDocument/completion", params).await;
        let items = items.as_array().unwrap().iter();
        let labels = items.map(|item| item["label"].as_str().unwrap().to_owned());
        labels.collect()
    }

    async fn resolved_tools(&mut self) -> Value {
        let argument = json!({ "uri": self.uri });
        let resolved = self.client.command("loopls.resolve", argument).await;
        resolved["modes"][0]["tools"].clone()
    }
}

#[tokio::test]
async fn what_a_server_offers_is_told_and_known_from_then_on() {
    let mut desk = Desk::open("trusted", "").await;
    let lens = "Probe";
    assert!(desk.lens_titles().await.contains(&lens.to_owned()));
    assert_eq!(desk.allowable().await, ["fixed"]);
    let effects = "effects = { s_echo = \"read\", ";
    assert_eq!(desk.offered_in(effects).await, [""; 0]);
    assert!(!desk.has_started(), "nothing starts before somebody asks");

    let argument = json!({ "uri": desk.uri, "tool": "server" });
    let probed = desk.client.command("loopls.probe", argument).await;
    assert_eq!(probed["version"], 1);
    assert_eq!(
        probed["tools"][0],
        json!({
            "name": "s_echo",
            "definition": "server",
            "description": "Says it.",
            "effect": "read",
            "input_schema": { "type": "object", "properties": { "n": { "type": "integer" } } },
        })
    );
    let left_out = "tool `server`: `none` is left out: it has no input schema";
    assert_eq!(
        probed["notices"],
        json!([{ "message": left_out, "line": 11 }])
    );
    let shown = desk.client.notification("window/showMessage").await;
    assert_eq!(
        shown["message"],
        "server offers 4 tools: s_echo, s_fail, s_slow, s_die"
    );
    let shown = desk.client.notification("window/showMessage").await;
    assert_eq!(shown["message"], format!("desk.loop.toml:12:1: {left_out}"));
    let (id, _) = desk.client.question("workspace/codeLens/refresh").await;
    desk.client.answer(id, Value::Null).await;

    let names = ["s_echo", "s_fail", "s_slow", "s_die"];
    assert!(
        desk.lens_titles()
            .await
            .contains(&"Probe · 4 tools".to_owned())
    );
    let mut expected = vec!["fixed"];
    expected.extend(names);
    assert_eq!(desk.allowable().await, expected);
    assert_eq!(desk.offered_in(effects).await, names[1..]);
    let text = DEFINITION.replace("[\"\"]", "[\"s_echo\"]");
    desk.client.replace(&desk.uri, 2, &text).await;
    desk.client.diagnostics(&desk.uri, 2).await;
    assert_eq!(
        desk.resolved_tools().await,
        json!(["s_echo", "s_fail", "s_slow", "s_die", "fixed"])
    );
    desk.close().await;
}

#[tokio::test]
async fn nothing_is_asked_where_nothing_is_trusted() {
    let mut desk = Desk::open("restricted", "").await;
    let argument = json!({ "uri": desk.uri, "tool": "server" });
    let error = desk.refused(argument).await;
    assert_eq!(error["message"], "not_trusted");
    assert!(!desk.has_started());
    desk.close().await;
}

#[tokio::test]
async fn only_a_server_can_be_asked() {
    let mut desk = Desk::open("trusted", FAULTY).await;
    for (tool, expected) in [
        (
            "fixed",
            "desk.loop.toml:19:1: tool `fixed`: it has no server",
        ),
        ("other", "there is no tool `other`"),
        (
            "faulty",
            "desk.loop.toml:24:1: there is no key `efect` in `[[tools]]`; did you mean `effect`? [unknown_key]",
        ),
    ] {
        let argument = json!({ "uri": desk.uri, "tool": tool });
        let error = desk.refused(argument).await;
        assert!(
            error["message"].as_str().unwrap().ends_with(expected),
            "{error}"
        );
    }
    desk.close().await;
}
