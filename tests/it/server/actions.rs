//! Code actions: quick fixes, in the form that the client takes.

use super::scene::{Scene, Way, in_every_way, merge, play};
use crate::support::command_params;
use serde_json::{Value, json};

const BEGINNING: &str = "name = \"x\"\nmodel = { provider = \"scripted\", name = \"demo\" }\n";

fn literals() -> Value {
    json!({
        "textDocument": {
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } }
            }
        }
    })
}

/// The actions at the cursor of those kinds.
async fn actions(scene: &mut Scene, only: Value) -> Vec<Value> {
    let range = scene.here();
    let context = json!({ "diagnostics": [], "only": only, "triggerKind": 2 });
    let more = json!({ "range": range, "context": context });
    let actions = scene.ask_with("textDocument/codeAction", more).await;
    actions.as_array().unwrap().clone()
}

fn titled<'a>(actions: &'a [Value], title: &str) -> &'a Value {
    let action = actions.iter().find(|action| action["title"] == title);
    action.unwrap_or_else(|| panic!("no {title} in {actions:#?}"))
}

#[tokio::test]
async fn a_fix_changes_what_is_wrong_and_says_what_it_puts_right() {
    let marked = format!(
        "{BEGINNING}tests = [{{ name = \"é😀\", ‸promt = \"Go\", expect = {{ iterations = 1 }} }}]\n"
    );
    let after = marked.replace("‸promt", "prompt");
    in_every_way(literals(), &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        let fix = titled(&actions, "Change to `prompt`");
        assert_eq!(fix["kind"], "quickfix");
        assert_eq!(fix["diagnostics"][0]["code"], "unknown_key");
        assert!(scene.diagnostics.contains(&fix["diagnostics"][0]));
        let edits = fix["edit"]["changes"][scene.uri].as_array().unwrap();
        assert_eq!(scene.after(edits), after);
        assert!(fix["edit"].get("documentChanges").is_none());
    })
    .await;
}

#[tokio::test]
async fn an_edit_names_its_version_where_the_client_takes_that() {
    let mut capabilities = literals();
    merge(
        &mut capabilities,
        json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } }),
    );
    let marked = format!("{BEGINNING}[limits]\ncalls = ‸-1\n");
    play(Way::PLAIN, capabilities, &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        let edit = &titled(&actions, "Remove `calls`")["edit"];
        let change = &edit["documentChanges"][0];
        assert_eq!(
            change["textDocument"],
            json!({ "uri": scene.uri, "version": 1 })
        );
        let edits = change["edits"].as_array().unwrap();
        assert_eq!(scene.after(edits), format!("{BEGINNING}[limits]\n"));
        assert!(edit.get("changes").is_none());
    })
    .await;
}

#[tokio::test]
async fn the_one_right_answer_is_preferred_where_the_client_knows_that() {
    let marked = format!("{BEGINNING}[limits]\ncalls = ‸0\n");
    let mut capabilities = literals();
    play(Way::PLAIN, capabilities.clone(), &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        assert!(actions.iter().all(|it| it.get("isPreferred").is_none()));
    })
    .await;
    merge(
        &mut capabilities,
        json!({ "textDocument": { "codeAction": { "isPreferredSupport": true } } }),
    );
    play(Way::PLAIN, capabilities, &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        let fix = titled(&actions, "Remove `calls`, which says the same");
        assert_eq!(fix["isPreferred"], true);
    })
    .await;
}

#[tokio::test]
async fn a_client_that_knows_commands_alone_applies_a_fix_by_one() {
    let marked = format!("{BEGINNING}[limits]\ncalls = ‸-1\n");
    let applies = json!({ "workspace": { "applyEdit": true } });
    play(Way::PLAIN, applies, &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        let fix = titled(&actions, "Remove `calls`");
        let params = json!({ "command": fix["command"], "arguments": fix["arguments"] });
        let request = scene.client.request("workspace/executeCommand", params);
        let request = request.await;
        let (id, params) = scene.client.question("workspace/applyEdit").await;
        let edits = params["edit"]["changes"][scene.uri].as_array().unwrap();
        assert_eq!(scene.after(edits), format!("{BEGINNING}[limits]\n"));
        scene.client.answer(id, json!({ "applied": true })).await;
        scene.client.reply(request).await.unwrap();
    })
    .await;
    play(Way::PLAIN, json!({}), &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        // What it cannot apply it is not offered; what it can do stays.
        let titles: Vec<_> = actions.iter().map(|action| &action["title"]).collect();
        assert_eq!(titles, ["Explain invalid_tool_limits"]);
    })
    .await;
}

#[tokio::test]
async fn an_edit_that_the_client_refuses_is_an_error_with_its_reason() {
    let applies = json!({ "workspace": { "applyEdit": true } });
    play(Way::PLAIN, applies, BEGINNING, async |scene| {
        let params = command_params(
            "loopls.apply",
            json!({ "label": "x", "edit": { "changes": {} } }),
        );
        let request = scene.client.request("workspace/executeCommand", params);
        let request = request.await;
        let (id, _) = scene.client.question("workspace/applyEdit").await;
        let refusal = json!({ "applied": false, "failureReason": "read-only" });
        scene.client.answer(id, refusal).await;
        let error = scene.client.reply(request).await.unwrap_err();
        let message = error["message"].as_str().unwrap();
        assert!(message.ends_with("read-only"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_code_is_explained_by_its_page_or_in_a_sentence() {
    let marked = format!("{BEGINNING}[limits]\ncalls = ‸0\n");
    let mut capabilities = literals();
    play(Way::PLAIN, capabilities.clone(), &marked, async |scene| {
        let actions = actions(scene, json!(["quickfix"])).await;
        let explain = &titled(&actions, "Explain zero_limit")["command"];
        let result = scene
            .client
            .call("workspace/executeCommand", explain.clone());
        assert!(result.await["page"].as_str().unwrap().starts_with("# "));
        let said = scene.client.notification("window/showMessage").await;
        let message = said["message"].as_str().unwrap();
        assert!(message.starts_with("zero_limit: "), "{message}");
    })
    .await;
    merge(
        &mut capabilities,
        json!({ "window": { "showDocument": { "support": true } } }),
    );
    play(Way::PLAIN, capabilities, &marked, async |scene| {
        let argument = json!({ "code": "zero_limit" });
        let result = scene.client.command("loopls.explain", argument).await;
        let (id, shown) = scene.client.question("window/showDocument").await;
        scene.client.answer(id, json!({ "success": true })).await;
        let path = shown["uri"].as_str().unwrap().strip_prefix("file://");
        let page = std::fs::read_to_string(path.unwrap()).unwrap();
        assert_eq!(result["page"], page);
        assert!(path.unwrap().ends_with("zero_limit.md"));
    })
    .await;
}

#[tokio::test]
async fn advice_can_be_allowed_where_it_stands() {
    let marked = format!("{BEGINNING}[limits]\ncalls = ‸0\n");
    let after = format!("{BEGINNING}[limits]\n# loopls: allow zero_limit\ncalls = 0\n");
    in_every_way(literals(), &marked, async |scene| {
        let actions = actions(scene, json!(null)).await;
        let edit = &titled(&actions, "Allow zero_limit here")["edit"];
        let edits = edit["changes"][scene.uri].as_array().unwrap();
        assert_eq!(scene.after(edits), after);
    })
    .await;
}

#[tokio::test]
async fn all_fixes_with_one_right_answer_are_one_action() {
    let marked =
        format!("# é😀\n{BEGINNING}[limits]\ncalls = ‸0\n# stays\ntime = \"1m\"\niterations = 0\n");
    let after = format!("# é😀\n{BEGINNING}[limits]\n# stays\ntime = \"1m\"\n");
    for only in ["source.fixAll.loopls", "source.fixAll", "source"] {
        in_every_way(literals(), &marked, async |scene| {
            let actions = actions(scene, json!([only])).await;
            let [fix] = actions.as_slice() else {
                panic!("{actions:#?}");
            };
            assert_eq!(fix["kind"], "source.fixAll.loopls");
            let edits = fix["edit"]["changes"][scene.uri].as_array().unwrap();
            assert_eq!(scene.after(edits), after);
            // What lies between the two is not touched.
            assert_eq!(edits.len(), 2);
        })
        .await;
    }
    play(Way::PLAIN, literals(), BEGINNING, async |scene| {
        let only = json!(["source.fixAll.loopls"]);
        assert_eq!(actions(scene, only).await, [] as [Value; 0]);
    })
    .await;
}
