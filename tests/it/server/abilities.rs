//! A client that can all but one thing: nothing of that thing is sent, and everything still works.

use super::scene::merge;
use crate::support::{Client, file_uri, folder, position_params};
use serde_json::{Value, json};

/// A definition that runs, with something that advice is about.
const DESK: &str = r#"name = "desk"
prompt = "Go."
initial_mode = "look"
model = { provider = "scripted", name = "demo", script = [{ text = "All done." }] }
limits = { calls = 0 }
system_file = "system.md"

[[modes]]
name = "look"
"#;

/// One with faults, one of which has an earlier place.
const FAULTY: &str = r#"nam = "faulty"
model = { provider = "scripted", name = "demo" }
initial_mode = "look"
modes = [{ name = "look" }, { name = "look" }]
"#;

/// Something that a client can, where it says so, and what is only sent to one that does.
struct Ability {
    path: &'static str,
    says: Value,
    is_used: fn(&Value) -> bool,
}

fn ability(path: &'static str, is_used: fn(&Value) -> bool) -> Ability {
    let says = Value::Bool(true);
    Ability {
        path,
        says,
        is_used,
    }
}

fn abilities() -> Vec<Ability> {
    let formats = |path, is_used| Ability {
        path,
        says: json!(["markdown", "plaintext"]),
        is_used,
    };
    vec![
        ability(
            "textDocument/publishDiagnostics/relatedInformation",
            |sent| has(&sent["params"]["diagnostics"], "relatedInformation"),
        ),
        formats("textDocument/hover/contentFormat", |sent| {
            sent["result"]["contents"]["kind"] == "markdown"
        }),
        formats(
            "textDocument/completion/completionItem/documentationFormat",
            |sent| {
                any(&sent["result"], |it| {
                    it["documentation"]["kind"] == "markdown"
                })
            },
        ),
        ability(
            "textDocument/completion/completionItem/snippetSupport",
            |sent| any(&sent["result"], |it| it["insertTextFormat"] == 2),
        ),
        Ability {
            path: "textDocument/codeAction/codeActionLiteralSupport",
            says: json!({ "codeActionKind": { "valueSet": [] } }),
            is_used: |sent| has(&sent["result"], "kind") && has(&sent["result"], "title"),
        },
        ability("textDocument/codeAction/isPreferredSupport", |sent| {
            has(&sent["result"], "isPreferred")
        }),
        ability("textDocument/definition/linkSupport", |sent| {
            has(&sent["result"], "targetUri")
        }),
        ability(
            "textDocument/documentSymbol/hierarchicalDocumentSymbolSupport",
            |sent| has(&sent["result"], "selectionRange"),
        ),
        ability("textDocument/rename/prepareSupport", |sent| {
            sent["result"]["capabilities"]["renameProvider"].is_object()
        }),
        ability("workspace/workspaceEdit/documentChanges", |sent| {
            sent["result"].get("documentChanges").is_some()
        }),
        ability("workspace/applyEdit", |sent| {
            sent["method"] == "workspace/applyEdit"
        }),
        ability("workspace/codeLens/refreshSupport", |sent| {
            sent["method"] == "workspace/codeLens/refresh"
        }),
        ability("workspace/inlayHint/refreshSupport", |sent| {
            sent["method"] == "workspace/inlayHint/refresh"
        }),
        ability("workspace/configuration", |sent| {
            sent["method"] == "workspace/configuration"
        }),
        ability(
            "workspace/didChangeConfiguration/dynamicRegistration",
            |sent| registers(sent, "workspace/didChangeConfiguration"),
        ),
        ability(
            "workspace/didChangeWatchedFiles/dynamicRegistration",
            |sent| registers(sent, "workspace/didChangeWatchedFiles"),
        ),
        ability("window/workDoneProgress", |sent| {
            sent["method"] == "window/workDoneProgress/create" || sent["method"] == "$/progress"
        }),
        ability("window/showDocument/support", |sent| {
            sent["method"] == "window/showDocument"
        }),
    ]
}

fn any(list: &Value, fits: fn(&Value) -> bool) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(fits))
}

/// Whether an item of the list has the member.
fn has(list: &Value, member: &str) -> bool {
    let mut items = list.as_array().into_iter().flatten();
    items.any(|item| item.get(member).is_some())
}

fn registers(sent: &Value, method: &str) -> bool {
    let mut registrations = sent["params"]["registrations"]
        .as_array()
        .into_iter()
        .flatten();
    sent["method"] == "client/registerCapability" && registrations.any(|it| it["method"] == method)
}

/// Everything that is in `abilities` but the one at `without`.
fn capabilities(abilities: &[Ability], without: Option<&str>) -> Value {
    let mut all = json!({});
    for ability in abilities.iter().filter(|it| Some(it.path) != without) {
        let members = ability.path.rsplit('/');
        let says = members.fold(ability.says.clone(), |inner, key| json!({ key: inner }));
        merge(&mut all, says);
    }
    all
}

/// Settings that show in diagnostics, and that lenses and hints are asked for again after.
fn settings() -> Value {
    json!({ "levels": { "zero_limit": "hint" }, "lenses": false, "hints": false })
}

/// A client that keeps all that it is sent.
struct Listener {
    client: Client,
    heard: Vec<Value>,
}

impl Listener {
    /// Hears messages up to the first that fits; questions of the server are answered.
    async fn until(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        loop {
            let message = self.client.take(|_| true).await;
            let is_question = message.get("id").is_some() && message.get("method").is_some();
            if is_question {
                let result = match message["method"].as_str().unwrap() {
                    "workspace/applyEdit" => json!({ "applied": true }),
                    "window/showDocument" => json!({ "success": true }),
                    "workspace/configuration" => json!([settings()]),
                    _ => Value::Null,
                };
                self.client.answer(message["id"].clone(), result).await;
            }
            self.heard.push(message.clone());
            if fits(&message) {
                return message;
            }
        }
    }

    async fn reply(&mut self, method: &str, params: Value) -> Value {
        let id = self.client.request(method, params).await;
        self.until(|it| it.get("method").is_none() && it["id"] == id)
            .await
    }

    /// The result, which has something in it.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut reply = self.reply(method, params).await;
        let result = reply["result"].take();
        let is_empty = result.as_array().is_some_and(Vec::is_empty);
        assert!(!result.is_null() && !is_empty, "{method}: {reply}");
        result
    }

    async fn diagnostics(&mut self, uri: &str, fits: impl Fn(&Value) -> bool) {
        self.until(|it| {
            let params = &it["params"];
            let is_published = it["method"] == "textDocument/publishDiagnostics";
            is_published && params["uri"] == uri && fits(&params["diagnostics"])
        })
        .await;
    }
}

/// Does a bit of everything with a client of these capabilities, which works; returns what the server sent.
async fn session(capabilities: &Value) -> Vec<Value> {
    let can = |path: &str| !capabilities.pointer(path).unwrap_or(&Value::Null).is_null();
    let (_folder, path) = folder(&[("system.md", "Be brief.")]);
    let [desk, faulty] =
        ["desk", "faulty"].map(|it| file_uri(&path.join(format!("{it}.loop.toml"))));
    let mut listener = Listener {
        client: Client::connect(),
        heard: Vec::new(),
    };
    let introduction = json!({
        "processId": null,
        "rootUri": null,
        "capabilities": capabilities,
        "initializationOptions": { "trust": "trusted" },
    });
    listener.ask("initialize", introduction).await;
    listener.client.notify("initialized", json!({})).await;

    listener.client.open(&faulty, 1, FAULTY).await;
    listener
        .diagnostics(&faulty, |it| any(it, |it| it["code"] == "unknown_key"))
        .await;
    listener.client.open(&desk, 1, DESK).await;
    let settings = json!({ "settings": { "loopls": settings() } });
    listener
        .client
        .notify("workspace/didChangeConfiguration", settings)
        .await;
    listener
        .diagnostics(&desk, |it| any(it, |it| it["severity"] == 4))
        .await;

    listener
        .ask("textDocument/hover", position_params(&desk, 4, 2))
        .await;
    let end = position_params(&desk, 9, 0);
    listener.ask("textDocument/completion", end).await;
    let symbols = json!({ "textDocument": { "uri": desk } });
    listener.ask("textDocument/documentSymbol", symbols).await;
    let mode = position_params(&desk, 2, 18);
    listener.ask("textDocument/definition", mode.clone()).await;
    let mut rename = mode;
    merge(&mut rename, json!({ "newName": "see" }));
    listener.ask("textDocument/rename", rename).await;
    let range = json!({
        "start": { "line": 4, "character": 0 }, "end": { "line": 4, "character": 99 },
    });
    let actions = json!({
        "textDocument": { "uri": desk },
        "range": range,
        "context": { "diagnostics": [], "only": ["quickfix"] },
    });
    listener.ask("textDocument/codeAction", actions).await;

    let command = |command: &str, argument: Value| json!({ "command": format!("loopls.{command}"), "arguments": [argument] });
    let page = command("explain", json!({ "code": "syntax" }));
    listener.ask("workspace/executeCommand", page).await;
    let start = json!({ "line": 0, "character": 0 });
    let nothing = json!({ "range": { "start": start, "end": start }, "newText": "" });
    let change = json!({ "changes": { desk.as_str(): [nothing] } });
    let apply = command("apply", json!({ "label": "Nothing", "edit": change }));
    let applied = listener.reply("workspace/executeCommand", apply).await;
    // Whoever cannot is told so.
    assert_eq!(
        applied.get("error").is_none(),
        can("/workspace/applyEdit"),
        "{applied}"
    );
    let run = command("run", json!({ "uri": desk }));
    listener.ask("workspace/executeCommand", run).await;
    listener
        .until(|it| {
            let message = it["params"]["message"].as_str();
            it["method"] == "window/showMessage"
                && message.is_some_and(|message| message.contains("All done."))
        })
        .await;

    // What is on its way comes before the end.
    if can("/window/showDocument/support") {
        listener
            .until(|it| it["method"] == "window/showDocument")
            .await;
    }
    listener.reply("shutdown", Value::Null).await;
    listener.client.notify("exit", Value::Null).await;
    listener.client.end().await;
    listener.heard.extend(listener.client.rest().await);
    listener.heard
}

#[tokio::test]
async fn what_a_client_can_is_used() {
    let abilities = abilities();
    let heard = session(&capabilities(&abilities, None)).await;
    for ability in &abilities {
        let is_used = heard.iter().any(ability.is_used);
        assert!(is_used, "{} is not used in {heard:#?}", ability.path);
    }
}

#[tokio::test]
async fn what_a_client_cannot_is_left_out_and_all_works() {
    let abilities = abilities();
    for ability in &abilities {
        let heard = session(&capabilities(&abilities, Some(ability.path))).await;
        let used = heard.iter().find(|it| (ability.is_used)(it));
        assert_eq!(used, None, "{}", ability.path);
    }
}

#[tokio::test]
async fn a_client_that_says_nothing_is_sent_the_plainest() {
    let heard = session(&json!({})).await;
    for ability in abilities() {
        let used = heard.iter().find(|it| (ability.is_used)(it));
        assert_eq!(used, None, "{}", ability.path);
    }
}
