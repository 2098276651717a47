//! Documents: order, versions, diagnostics and their clearing.

use crate::support::{Client, edit};
use serde_json::{Value, json};

const URI: &str = "file:///tmp/order-desk.loop.toml";

/// The codes of diagnostics.
fn codes(diagnostics: &[Value]) -> Vec<&str> {
    let codes = diagnostics.iter().map(|it| it["code"].as_str().unwrap());
    codes.collect()
}

const GOOD: &str = "\
name = \"order-desk\"
prompt = \"Is order 1042 shipped?\"

[model]
provider = \"scripted\"
name = \"rehearsal\"
";

#[tokio::test]
async fn diagnostics_come_with_the_version_and_go_with_the_document() {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 3, "nam = \"order-desk\"\n").await;
    let diagnostics = client.diagnostics(URI, 3).await;
    assert!(
        codes(&diagnostics).contains(&"unknown_key"),
        "{diagnostics:#?}"
    );
    client.replace(URI, 4, GOOD).await;
    assert_eq!(client.diagnostics(URI, 4).await, [] as [Value; 0]);
    client.replace(URI, 5, "nam = 1").await;
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn the_range_is_the_value_and_the_earlier_duplicate_is_related() {
    let text = format!(
        "{GOOD}[limits]\niterations = -3\n[[modes]]\nname = \"a\"\n[[modes]]\nname = \"a\"\n"
    );
    let related =
        json!({ "textDocument": { "publishDiagnostics": { "relatedInformation": true } } });
    for (capabilities, has_related) in [(related, true), (json!({}), false)] {
        let mut client = Client::start(capabilities).await;
        client.open(URI, 1, &text).await;
        let diagnostics = client.diagnostics(URI, 1).await;
        let find = |code: &str| {
            let found = diagnostics.iter().find(|it| it["code"] == code);
            found.unwrap_or_else(|| panic!("no {code} in {diagnostics:#?}"))
        };
        let limit = find("invalid_tool_limits");
        assert_eq!(
            limit["range"]["start"],
            json!({ "line": 7, "character": 13 })
        );
        assert_eq!(limit["range"]["end"], json!({ "line": 7, "character": 15 }));
        assert_eq!(limit["severity"], 1);
        assert_eq!(limit["source"], "loopls");
        let duplicate = find("duplicate_mode");
        assert_eq!(
            duplicate["range"]["start"],
            json!({ "line": 11, "character": 7 })
        );
        match has_related {
            true => {
                let location = &duplicate["relatedInformation"][0]["location"];
                assert_eq!(location["uri"], URI);
                assert_eq!(
                    location["range"]["start"],
                    json!({ "line": 9, "character": 7 })
                );
            }
            false => assert!(duplicate.get("relatedInformation").is_none()),
        }
        client.close(URI).await;
        client.cleared(URI).await;
        client.finish().await;
    }
}

#[tokio::test]
async fn characters_count_as_the_client_counts() {
    // An unknown key stands behind an emoji and an accent, on one line.
    let text =
        "name = \"desk\"\nmodel = { \"é😀\" = 1, nam = \"rehearsal\", provider = \"scripted\" }\n";
    for (encoding, at) in [("utf-8", 24), ("utf-16", 21), ("utf-32", 20)] {
        let general = json!({ "general": { "positionEncodings": ["utf-7", encoding] } });
        let mut client = Client::start(general).await;
        assert_eq!(client.server["capabilities"]["positionEncoding"], encoding);
        client.open(URI, 1, text).await;
        let starts: Vec<_> = client
            .diagnostics(URI, 1)
            .await
            .iter()
            .filter(|it| it["code"] == "unknown_key")
            .map(|it| it["range"]["start"]["character"].clone())
            .collect();
        assert_eq!(starts, [json!(10), json!(at)], "{encoding}");
        // And back: only right there do an `e` and the loss of the first key make it a definition.
        let changes = json!([
            edit((1, at + 3), (1, at + 3), "e"),
            edit((1, 10), (1, at), "")
        ]);
        client.change(URI, 2, changes).await;
        assert_eq!(
            client.diagnostics(URI, 2).await,
            [] as [Value; 0],
            "{encoding}"
        );
        client.close(URI).await;
        client.cleared(URI).await;
        client.finish().await;
    }
}

/// Types `text` one character a change, returns the diagnostics in the end.
async fn type_out(client: &mut Client, text: &str) -> Vec<Value> {
    client.open(URI, 0, "").await;
    let (mut line, mut character, mut version) = (0, 0, 0);
    for typed in text.chars() {
        version += 1;
        let change = edit((line, character), (line, character), &typed.to_string());
        client.change(URI, version, json!([change])).await;
        if typed == '\n' {
            (line, character) = (line + 1, 0);
        } else {
            character += typed.len_utf16() as u32;
        }
    }
    client.diagnostics(URI, version).await
}

#[tokio::test]
async fn fast_typing_ends_with_the_diagnostics_of_the_text_opened_afresh() {
    for text in [
        GOOD.to_owned(),
        format!("{GOOD}limts = 3\n[[modes]]\nname = \"\u{e9}\u{1f600}\"\ntools = [\"nobody\"]\n"),
        format!("{GOOD}[[tools]]\nname = \"half\"\ncommand = [\"rg\", \"{{{{q"),
    ] {
        let mut client = Client::start(json!({})).await;
        assert!(text.chars().count() > 100);
        let typed = type_out(&mut client, &text).await;
        client.close(URI).await;
        client.cleared(URI).await;
        client.open(URI, 1, &text).await;
        assert_eq!(client.diagnostics(URI, 1).await, typed);
        client.close(URI).await;
        client.cleared(URI).await;
        client.finish().await;
    }
}

#[tokio::test]
async fn five_thousand_edits_are_applied_in_order() {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 0, "x = 1\n").await;
    let digits: String = (0..5_000)
        .map(|n| char::from(b'0' + (n * 7 % 10) as u8))
        .collect();
    for (at, digit) in (1..).zip(digits.chars()) {
        let change = edit((0, at), (0, at), &digit.to_string());
        client.change(URI, at as i32, json!([change])).await;
    }
    let last = digits.len() as i32;
    let typed = client.diagnostics(URI, last).await;
    // The message quotes the key, so that any other order of the edits shows.
    let quoted = typed
        .iter()
        .any(|it| it["message"].as_str().unwrap().contains(&digits));
    assert!(quoted, "{typed:#?}");
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn full_ranged_and_mixed_changes_in_one_notification() {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 1, "one").await;
    client.diagnostics(URI, 1).await;
    let changes = json!([
        edit((0, 0), (0, 3), "two"),
        { "text": "nme = \"order-desk\"\n" },
        edit((0, 1), (0, 1), "a"),
        // A position past the end is the end.
        edit((9, 9), (9, 9), &GOOD[GOOD.find("prompt").unwrap()..]),
    ]);
    // A gap of versions is the client's business.
    client.change(URI, 9, changes).await;
    assert_eq!(client.diagnostics(URI, 9).await, [] as [Value; 0]);
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn a_document_opened_twice_begins_anew() {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 5, GOOD).await;
    client.diagnostics(URI, 5).await;
    client.open(URI, 6, "nam = 1\n").await;
    assert_ne!(client.diagnostics(URI, 6).await, [] as [Value; 0]);
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn what_is_not_open_is_not_missed() {
    let mut client = Client::start(json!({})).await;
    client.change(URI, 2, json!([{ "text": "x" }])).await;
    client.close(URI).await;
    assert_eq!(client.hover(URI, 0, 0).await, Value::Null);
    let params = json!({ "textDocument": { "uri": URI } });
    assert_eq!(
        client.call("textDocument/codeLens", params).await,
        Value::Null
    );
    client.finish().await;
}

#[tokio::test]
async fn documents_of_others_are_answered_with_nothing() {
    let mut client = Client::start(json!({})).await;
    let uri = "file:///tmp/Cargo.toml";
    client
        .open_as(uri, "toml", 1, "[package]\nname = 3\n")
        .await;
    client.replace(uri, 2, "[package]\nname = 4\n").await;
    assert_eq!(client.hover(uri, 0, 2).await, Value::Null);
    client.close(uri).await;
    client.finish().await;
}

#[tokio::test]
async fn every_spelling_of_a_place_is_that_place_and_comes_back_as_it_was() {
    for (opened, asked) in [
        ("file:///c%3A/desk.loop.toml", "file:///C:/desk.loop.toml"),
        (
            "file:///tmp/[a] b.loop.toml",
            "file:///tmp/%5Ba%5D%20b.loop.toml",
        ),
        (
            "file:///tmp/d\u{e9}sk.loop.toml",
            "file:///tmp/d%C3%A9sk.loop.toml",
        ),
        ("untitled:Untitled-1", "untitled:Untitled-1"),
        (
            "vscode-vfs://github/a/b.loop.toml",
            "vscode-vfs://github/a/b.loop.toml",
        ),
    ] {
        let mut client = Client::start(json!({})).await;
        client.open(opened, 1, "nam = 1\n").await;
        assert_ne!(client.diagnostics(opened, 1).await, [] as [Value; 0]);
        client.replace(asked, 2, GOOD).await;
        assert_eq!(
            client.diagnostics(opened, 2).await,
            [] as [Value; 0],
            "{opened}"
        );
        client.close(asked).await;
        client.cleared(opened).await;
        client.finish().await;
    }
}

#[tokio::test]
async fn two_schemes_of_one_path_are_two_documents() {
    let mut client = Client::start(json!({})).await;
    let git = "git:/tmp/order-desk.loop.toml";
    client.open(URI, 1, "nam = 1\n").await;
    client.open(git, 7, GOOD).await;
    assert_ne!(client.diagnostics(URI, 1).await, [] as [Value; 0]);
    assert_eq!(client.diagnostics(git, 7).await, [] as [Value; 0]);
    client.close(git).await;
    client.cleared(git).await;
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn a_change_with_half_a_surrogate_pair_is_repaired() {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 1, "").await;
    client.diagnostics(URI, 1).await;
    client
        .send_text(
            r##"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///tmp/order-desk.loop.toml","version":2},"contentChanges":[{"text":"# \ud83d\n"}]}}"##,
        )
        .await;
    client.diagnostics(URI, 2).await;
    // It counts as one code unit, as the client takes it to.
    let change = edit((0, 0), (0, 3), GOOD.trim_end());
    client.change(URI, 3, json!([change])).await;
    assert_eq!(client.diagnostics(URI, 3).await, [] as [Value; 0]);
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

#[tokio::test]
async fn a_file_that_is_named_is_looked_at_again_when_something_is_saved() {
    let (_folder, path) = crate::support::folder(&[]);
    let uri = crate::support::file_uri(&path.join("desk.loop.toml"));
    let mut client = Client::start(json!({})).await;
    client
        .open(
            &uri,
            1,
            &GOOD.replace("prompt", "system_file = \"system.md\"\nprompt"),
        )
        .await;
    assert_eq!(codes(&client.diagnostics(&uri, 1).await), ["missing_file"]);
    std::fs::write(path.join("system.md"), "Be brief.").unwrap();
    let params = json!({ "textDocument": { "uri": uri } });
    client.notify("textDocument/didSave", params).await;
    assert_eq!(client.diagnostics(&uri, 1).await, [] as [Value; 0]);
    client.close(&uri).await;
    client.cleared(&uri).await;
    client.finish().await;
}

#[tokio::test]
async fn a_client_that_pulls_is_never_pushed_to() {
    let capabilities = json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    });
    let mut client = Client::start(capabilities).await;
    assert_eq!(
        client.server["capabilities"]["diagnosticProvider"]["interFileDependencies"],
        true
    );
    client.open(URI, 1, "nam = 1\n").await;
    let params = json!({ "textDocument": { "uri": URI } });
    let report = client.call("textDocument/diagnostic", params).await;
    assert_eq!(report["kind"], "full");
    assert!(codes(report["items"].as_array().unwrap()).contains(&"unknown_key"));
    let again = json!({ "textDocument": { "uri": URI }, "previousResultId": report["resultId"] });
    let same = client.call("textDocument/diagnostic", again.clone()).await;
    assert_eq!(
        same,
        json!({ "kind": "unchanged", "resultId": report["resultId"] })
    );
    client.replace(URI, 2, GOOD).await;
    let report = client.call("textDocument/diagnostic", again).await;
    assert_eq!(report["items"], json!([]));
    client
        .notify(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": URI } }),
        )
        .await;
    let (id, _) = client.question("workspace/diagnostic/refresh").await;
    client.answer(id, Value::Null).await;
    client.close(URI).await;
    client.finish().await;
}
