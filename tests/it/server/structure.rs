//! Outline, folds, selections, links, colours, hints and layout of a document.

use super::scene::{Scene, Way, in_every_way, play};
use loopls::text::Span;
use serde_json::{Value, json};

const DESK: &str = "\
name = \"é😀\"
model = { provider = \"scripted\", name = \"demo\" }
initial_mode = \"‸look\"

# What can be
# called.
[[tools]]
name = \"é😀\"
description = \"Finds.\"
reply = 1

[tools.input.properties.id]
type = \"integer\"
description = \"The number.\"

[[modes]]
name = \"look\"
tools = [
    \"é😀\",
]
";

async fn all(scene: &mut Scene, method: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": scene.uri } });
    let found = scene.client.call(method, params).await;
    found.as_array().unwrap().clone()
}

#[tokio::test]
async fn the_outline_is_a_tree_or_a_list() {
    let capabilities = json!({
        "textDocument": { "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } }
    });
    in_every_way(capabilities, DESK, async |scene| {
        let symbols = all(scene, "textDocument/documentSymbol").await;
        let [whole] = symbols.as_slice() else {
            panic!("{symbols:#?}");
        };
        assert_eq!(whole["name"], "é😀");
        let children = whole["children"].as_array().unwrap();
        let names: Vec<_> = children.iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["model", "é😀", "look"]);
        for symbol in children {
            let range = scene.span(&symbol["range"]);
            assert!(range.contains(scene.span(&symbol["selectionRange"])));
        }
    })
    .await;
    in_every_way(json!({}), DESK, async |scene| {
        let symbols = all(scene, "textDocument/documentSymbol").await;
        let named = |symbol: &Value| {
            let container = symbol["containerName"].as_str().unwrap_or_default();
            format!("{container}/{}", symbol["name"].as_str().unwrap())
        };
        let names: Vec<_> = symbols.iter().map(named).collect();
        assert_eq!(
            names,
            ["/é😀", "é😀/model", "é😀/é😀", "é😀/id", "é😀/look"]
        );
        assert!(symbols.iter().all(|it| it["location"]["uri"] == scene.uri));
    })
    .await;
}

#[tokio::test]
async fn names_of_open_documents_are_found_in_the_workspace() {
    in_every_way(json!({}), DESK, async |scene| {
        let params = json!({ "query": "LO" });
        let found = scene.client.call("workspace/symbol", params).await;
        let [symbol] = found.as_array().unwrap().as_slice() else {
            panic!("{found:#?}");
        };
        assert_eq!(symbol["name"], "look");
        assert_eq!(symbol["containerName"], "é😀");
        assert_eq!(symbol["location"]["uri"], scene.uri);
    })
    .await;
}

#[tokio::test]
async fn tables_values_and_comments_fold() {
    in_every_way(json!({}), DESK, async |scene| {
        let folds = all(scene, "textDocument/foldingRange").await;
        let folds: Vec<_> = folds
            .iter()
            .map(|it| {
                (
                    it["startLine"].as_u64(),
                    it["endLine"].as_u64(),
                    it["kind"].as_str(),
                )
            })
            .collect();
        let region = |start, end| (Some(start), Some(end), Some("region"));
        assert_eq!(
            folds,
            [
                (Some(4), Some(5), Some("comment")),
                region(6, 13),
                region(11, 13),
                region(15, 19),
                region(17, 18),
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn a_selection_grows_around_every_position() {
    in_every_way(json!({}), DESK, async |scene| {
        let here = scene.position(scene.cursor);
        let here = json!({ "line": here.line, "character": here.character });
        let far = json!({ "line": 9_999, "character": 0 });
        let params = json!({ "textDocument": { "uri": scene.uri }, "positions": [here, far] });
        let found = scene
            .client
            .call("textDocument/selectionRange", params)
            .await;
        assert_eq!(found.as_array().unwrap().len(), 2);
        let mut selection = &found[0];
        let mut spans = Vec::new();
        loop {
            spans.push(scene.span(&selection["range"]));
            let Some(parent) = selection.get("parent") else {
                break;
            };
            selection = parent;
        }
        assert_eq!(spans[0].of(&scene.text), "look");
        assert_eq!(spans[1].of(&scene.text), "\"look\"");
        assert!(spans.windows(2).all(|pair| pair[1].contains(pair[0])));
        assert_eq!(spans.last().unwrap().len(), scene.text.len());
    })
    .await;
    play(Way::PLAIN, json!({}), "", async |scene| {
        let here = json!({ "line": 0, "character": 0 });
        let params = json!({ "textDocument": { "uri": scene.uri }, "positions": [here] });
        let found = scene
            .client
            .call("textDocument/selectionRange", params)
            .await;
        assert_eq!(found[0]["range"], json!({ "start": here, "end": here }));
    })
    .await;
}

/// What each token covers, with its kind and whether it declares.
fn decoded(scene: &Scene, tokens: &Value) -> Vec<(String, String, bool)> {
    let legend = &scene.client.server["capabilities"]["semanticTokensProvider"]["legend"];
    let data: Vec<u64> = serde_json::from_value(tokens["data"].clone()).unwrap();
    let (mut line, mut character) = (0, 0);
    let tokens = data.chunks(5).map(|token| {
        let [delta_line, delta_start, length, kind, modifiers] = token else {
            panic!("five numbers a token");
        };
        if *delta_line > 0 {
            character = 0;
        }
        line += delta_line;
        character += delta_start;
        let at = |character| json!({ "line": line, "character": character });
        let range = json!({ "start": at(character), "end": at(character + length) });
        let span = scene.span(&range);
        let kind = legend["tokenTypes"][*kind as usize].as_str().unwrap();
        let text = span.of(&scene.text).to_owned();
        (text, kind.to_owned(), modifiers & 1 == 1)
    });
    tokens.collect()
}

#[tokio::test]
async fn tokens_cover_what_they_name_in_whole_and_in_part() {
    in_every_way(json!({}), DESK, async |scene| {
        let params = json!({ "textDocument": { "uri": scene.uri } });
        let method = "textDocument/semanticTokens/full";
        let tokens = scene.client.call(method, params).await;
        let tokens = decoded(scene, &tokens);
        for (text, kind, declares) in [
            ("name", "property", false),
            ("\"look\"", "class", false),
            ("\"look\"", "class", true),
            ("\"é😀\"", "function", true),
            ("\"é😀\"", "function", false),
            ("# called.", "comment", false),
            ("tools", "type", false),
        ] {
            let token = (text.to_owned(), kind.to_owned(), declares);
            assert!(tokens.contains(&token), "{token:?} in {tokens:#?}");
        }
        let modes = scene.text.find("[[modes]]").unwrap();
        let range = scene.range(Span::new(modes, scene.text.len()));
        let params = json!({ "textDocument": { "uri": scene.uri }, "range": range });
        let method = "textDocument/semanticTokens/range";
        let part = scene.client.call(method, params).await;
        let part = decoded(scene, &part);
        assert!(tokens.ends_with(&part) && part[0].0 == "modes", "{part:#?}");
    })
    .await;
}

#[tokio::test]
async fn a_mode_shows_behind_its_header_what_it_comes_to() {
    in_every_way(json!({}), DESK, async |scene| {
        let range = scene.range(Span::new(0, scene.text.len()));
        let params = json!({ "textDocument": { "uri": scene.uri }, "range": range });
        let hints = scene.client.call("textDocument/inlayHint", params).await;
        let [hint] = hints.as_array().unwrap().as_slice() else {
            panic!("{hints:#?}");
        };
        let label = hint["label"].as_str().unwrap();
        assert!(label.contains("100 calls"), "{label}");
        assert_eq!(hint["position"], json!({ "line": 15, "character": 9 }));
        assert_eq!(hint["tooltip"]["kind"], "plaintext");
    })
    .await;
}

#[tokio::test]
async fn files_and_addresses_can_be_opened() {
    let (_folder, path) = crate::support::folder(&[("system é.md", "Be brief.")]);
    let uri = crate::support::file_uri(&path.join("desk.loop.toml"));
    let text = "name = \"x\"\nsystem_file = \"system é.md\"\n\
        model = { provider = \"openai-compatible\", name = \"m\", base_url = \"http://localhost:8080/v1\" }\n\
        [[tools]]\nname = \"other\"\nloop = \"nobody.loop.toml\"\n";
    let mut client = crate::support::Client::start(json!({})).await;
    client.open(&uri, 1, text).await;
    client.diagnostics(&uri, 1).await;
    let params = json!({ "textDocument": { "uri": uri } });
    let links = client.call("textDocument/documentLink", params).await;
    let targets = links.as_array().unwrap().iter();
    let targets: Vec<_> = targets.map(|it| it["target"].as_str().unwrap()).collect();
    let file = format!("file://{}/system%20%C3%A9.md", path.display());
    assert_eq!(targets, [file.as_str(), "http://localhost:8080/v1"]);
    client.close(&uri).await;
    client.cleared(&uri).await;
    client.finish().await;
}

#[tokio::test]
async fn layout_changes_white_space_alone_in_whole_and_in_part() {
    let text = "name=\"é😀\"  # c\nmodel = { provider = \"scripted\", name=\"demo\" }\n‸\n\n\n[limits]\n  calls=3\n";
    let after = "name = \"é😀\"  # c\nmodel = { provider = \"scripted\", name = \"demo\" }\n\n[limits]\ncalls = 3\n";
    let part = "name=\"é😀\"  # c\nmodel = { provider = \"scripted\", name=\"demo\" }\n\n\n\n[limits]\ncalls = 3\n";
    let options = json!({ "tabSize": 8, "insertSpaces": false });
    in_every_way(json!({}), text, async |scene| {
        let params = json!({ "textDocument": { "uri": scene.uri }, "options": options });
        let edits = scene.client.call("textDocument/formatting", params).await;
        assert_eq!(scene.after(edits.as_array().unwrap()), after);
        let calls = scene.text.find("calls").unwrap();
        let range = scene.range(Span::empty(calls));
        let params =
            json!({ "textDocument": { "uri": scene.uri }, "range": range, "options": options });
        let edits = scene
            .client
            .call("textDocument/rangeFormatting", params)
            .await;
        assert_eq!(scene.after(edits.as_array().unwrap()), part);
    })
    .await;
    play(Way::PLAIN, json!({}), "name=\"x\nb=1", async |scene| {
        let params = json!({ "textDocument": { "uri": scene.uri }, "options": options });
        let edits = scene.client.call("textDocument/formatting", params).await;
        assert_eq!(edits, json!([]));
    })
    .await;
}
