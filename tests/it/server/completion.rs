//! Completion, as a client takes it.

use super::scene::{Scene, Way, in_every_way, play};
use serde_json::{Value, json};

/// The item of this label.
async fn item(scene: &mut Scene, label: &str) -> Value {
    let items = scene.ask("textDocument/completion").await;
    let items = items.as_array().unwrap();
    let labels: Vec<_> = items.iter().map(|item| &item["label"]).collect();
    let item = items.iter().find(|item| item["label"] == label);
    item.unwrap_or_else(|| panic!("`{label}` is not among {labels:?}"))
        .clone()
}

#[tokio::test]
async fn what_is_taken_replaces_what_is_typed() {
    for (marked, label, after) in [
        (
            "tests = [{ name = \"é😀\", mod‸",
            "mode",
            "tests = [{ name = \"é😀\", mode = ",
        ),
        (
            "model = { name = \"é😀\", provider = ‸ }\n",
            "scripted",
            "model = { name = \"é😀\", provider = \"scripted\" }\n",
        ),
        (
            "model = { name = \"é😀\", provider = \"sc‸\" }\n",
            "scripted",
            "model = { name = \"é😀\", provider = \"scripted\" }\n",
        ),
        (
            "model = { name = \"é😀\", provider = \"‸\n",
            "scripted",
            "model = { name = \"é😀\", provider = \"scripted\"\n",
        ),
        ("‸", "name", "name = "),
    ] {
        in_every_way(json!({}), marked, async |scene| {
            let item = item(scene, label).await;
            assert_eq!(scene.after(&[item["textEdit"].clone()]), after, "{item}");
        })
        .await;
    }
}

#[tokio::test]
async fn an_item_stays_while_its_beginning_is_typed_also_within_quotes() {
    for (marked, label) in [
        ("[model]\nprovider = \"sc‸\"\n", "scripted"),
        ("[model]\nprovider = 'sc‸", "scripted"),
        ("[model]\nprovider = sc‸", "scripted"),
        ("[[mo‸", "modes"),
        ("[[mo‸]]", "modes"),
        ("mo‸", "[model]"),
        ("na‸", "name"),
    ] {
        play(Way::PLAIN, json!({}), marked, async |scene| {
            let item = item(scene, label).await;
            let replaced = scene.span(&item["textEdit"]["range"]);
            let typed = &scene.text[replaced.start..scene.cursor];
            let filter = item["filterText"].as_str().unwrap();
            assert!(filter.starts_with(typed), "{typed:?} of {filter:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_quote_behind_the_cursor_is_not_replaced() {
    for (marked, label) in [
        ("[model]\nprovider = \"‸\"\n", "scripted"),
        ("[model]\nprovider = \"sc‸\"\n", "scripted"),
        ("[mo‸]\n", "model"),
    ] {
        play(Way::PLAIN, json!({}), marked, async |scene| {
            let item = item(scene, label).await;
            let replaced = scene.span(&item["textEdit"]["range"]);
            assert_eq!(replaced.end, scene.cursor, "{item}");
        })
        .await;
    }
}

#[tokio::test]
async fn places_to_fill_in_are_only_for_a_client_that_knows_them() {
    let snippets = json!({
        "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } }
    });
    in_every_way(snippets, "[limits]\nca‸", async |scene| {
        let item = item(scene, "calls").await;
        assert_eq!(item["insertTextFormat"], 2);
        let after = scene.after(&[item["textEdit"].clone()]);
        assert_eq!(after, "[limits]\ncalls = $1");
    })
    .await;
    let tables = "name = \"x\"\n‸";
    in_every_way(json!({}), tables, async |scene| {
        for item in scene
            .ask("textDocument/completion")
            .await
            .as_array()
            .unwrap()
        {
            assert!(item.get("insertTextFormat").is_none(), "{item}");
            let after = scene.after(&[item["textEdit"].clone()]);
            assert!(!after.contains('$'), "{after}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_told_of_an_item_is_markdown_only_where_it_is_shown() {
    let markdown = json!({
        "textDocument": { "completion": { "completionItem": { "documentationFormat": ["markdown"] } } }
    });
    for (capabilities, kind) in [(markdown, "markdown"), (json!({}), "plaintext")] {
        play(Way::PLAIN, capabilities, "[limits]\n‸", async |scene| {
            let item = item(scene, "calls").await;
            assert_eq!(item["documentation"]["kind"], kind, "{item}");
        })
        .await;
    }
}

#[tokio::test]
async fn the_most_useful_comes_first_however_a_client_sorts() {
    play(Way::PLAIN, json!({}), "‸", async |scene| {
        let items = scene.ask("textDocument/completion").await;
        let keys = items.as_array().unwrap().iter();
        let keys: Vec<_> = keys
            .map(|item| item["sortText"].as_str().unwrap())
            .collect();
        assert!(keys.is_sorted() && keys.len() > 5, "{keys:?}");
        assert_eq!(items[0]["label"], "name");
    })
    .await;
}
