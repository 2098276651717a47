//! Definition, references, highlights and rename within a document.

use super::scene::{Scene, Way, in_every_way, merge, play};
use loopls::text::Span;
use serde_json::{Value, json};

/// A tool that is named in a mode, in `access` and in a test, with `‸` where a cursor can be.
const DESK: &str = "\
name = \"desk\"
initial_mode = \"é😀\"
model = { provider = \"scripted\", name = \"demo\" }
access = { allow = [\"find_order\"], deny = [\"find_*\"] }
modes = [{ name = \"é😀\", tools = [\"find_‸order\"] }]

[[tools]]
name = \"find_order\"
description = \"Finds an order.\"
reply = 1
";

fn place(scene: &Scene, text: &str, nth: usize) -> Value {
    let (start, _) = scene.text.match_indices(text).nth(nth).unwrap();
    scene.range(Span::new(start, start + text.len()))
}

#[tokio::test]
async fn a_mention_leads_to_what_it_names() {
    let links = json!({ "textDocument": { "definition": { "linkSupport": true } } });
    in_every_way(links, DESK, async |scene| {
        let found = scene.ask("textDocument/definition").await;
        let link = &found[0];
        assert_eq!(link["targetUri"], scene.uri);
        assert_eq!(
            link["targetSelectionRange"],
            place(scene, "\"find_order\"", 2)
        );
        assert_eq!(
            link["originSelectionRange"],
            place(scene, "\"find_order\"", 1)
        );
        let whole = scene.span(&link["targetRange"]);
        assert!(whole.of(&scene.text).starts_with("[[tools]]"));
    })
    .await;
    in_every_way(json!({}), DESK, async |scene| {
        let found = scene.ask("textDocument/definition").await;
        let location = json!({ "uri": scene.uri, "range": place(scene, "\"find_order\"", 2) });
        assert_eq!(found, json!([location]));
    })
    .await;
}

#[tokio::test]
async fn every_mention_is_found_with_its_declaration_or_without() {
    in_every_way(json!({}), DESK, async |scene| {
        for with_declaration in [true, false] {
            let more = json!({ "context": { "includeDeclaration": with_declaration } });
            let found = scene.ask_with("textDocument/references", more).await;
            let mut expected = vec![
                place(scene, "\"find_order\"", 0),
                place(scene, "\"find_*\"", 0),
                place(scene, "\"find_order\"", 1),
            ];
            if with_declaration {
                expected.push(place(scene, "\"find_order\"", 2));
            }
            let found: Vec<_> = found.as_array().unwrap().iter().collect();
            let ranges: Vec<_> = found.iter().map(|it| it["range"].clone()).collect();
            assert_eq!(ranges, expected);
            assert!(found.iter().all(|it| it["uri"] == scene.uri));
        }
    })
    .await;
}

#[tokio::test]
async fn the_same_name_is_marked_as_written_or_read() {
    in_every_way(json!({}), DESK, async |scene| {
        let found = scene.ask("textDocument/documentHighlight").await;
        let kinds = found.as_array().unwrap().iter();
        let kinds: Vec<_> = kinds.map(|it| it["kind"].as_u64().unwrap()).collect();
        assert_eq!(kinds, [2, 2, 3]);
    })
    .await;
}

#[tokio::test]
async fn a_rename_reaches_every_mention_and_tells_what_ceases_to_match() {
    in_every_way(json!({}), DESK, async |scene| {
        let more = json!({ "newName": "look_up" });
        let edit = scene.ask_with("textDocument/rename", more).await;
        let edits = edit["changes"][scene.uri].as_array().unwrap();
        let expected = DESK
            .replace('\u{2038}', "")
            .replace("find_order", "look_up");
        assert_eq!(scene.after(edits), expected);
        assert!(edit.get("documentChanges").is_none());
        let said = scene.client.notification("window/showMessage").await;
        let message = said["message"].as_str().unwrap();
        assert!(
            message.contains(":4: `find_*` in `access.deny`"),
            "{message}"
        );
    })
    .await;
    let versions = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
    play(Way::PLAIN, versions, DESK, async |scene| {
        let more = json!({ "newName": "find_it" });
        let edit = scene.ask_with("textDocument/rename", more).await;
        let document = json!({ "uri": scene.uri, "version": 1 });
        assert_eq!(edit["documentChanges"][0]["textDocument"], document);
        assert!(edit.get("changes").is_none());
    })
    .await;
}

#[tokio::test]
async fn a_name_that_cannot_be_is_refused_with_a_reason() {
    let prepares = json!({ "textDocument": { "rename": { "prepareSupport": true } } });
    play(Way::PLAIN, prepares, DESK, async |scene| {
        let provider = &scene.client.server["capabilities"]["renameProvider"];
        assert_eq!(provider, &json!({ "prepareProvider": true }));
        let found = scene.ask("textDocument/prepareRename").await;
        assert_eq!(found["placeholder"], "find_order");
        assert_eq!(found["range"], place(scene, "find_order", 1));
        for (new, reason) in [
            ("_looprig_final_output", "structured answer"),
            (" ", "blank"),
        ] {
            let at = scene.position(scene.cursor);
            let mut params = crate::support::position_params(scene.uri, at.line, at.character);
            merge(&mut params, json!({ "newName": new }));
            let request = scene.client.request("textDocument/rename", params).await;
            let error = scene.client.reply(request).await.unwrap_err();
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(reason), "{message}");
            assert_eq!(error["code"], -32803);
        }
    })
    .await;
    play(Way::PLAIN, json!({}), "mo‸del = 1", async |scene| {
        let provider = &scene.client.server["capabilities"]["renameProvider"];
        assert_eq!(provider, &json!(true));
        let found = scene.ask("textDocument/prepareRename").await;
        assert_eq!(found, Value::Null);
    })
    .await;
}
