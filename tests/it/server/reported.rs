//! What people reported of servers of the same make, each as the scenario that would show it here, where no other file
//! is the place for it.

use super::scene::{Scene, Way, in_every_way, play};
use crate::check::{cases, input};
use crate::support::{Client, edit, file_uri, folder};
use serde_json::{Value, json};
use std::process::Command;

const URI: &str = "untitled:desk";

const DESK: &str = r#"name = "desk"
prompt = "Go."
model = { provider = "scripted", name = "demo", script = [{ text = "Done." }] }
limits = { calls = 3 }

[[tests]]
name = "answers"
script = [{ text = "Done." }]
expect = { answer = "Done." }

[[tests]]
name = "answers \"again\""
script = [{ text = "Done." }]
expect = { answer = "Done." }
"#;

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    let codes = diagnostics.iter().map(|it| it["code"].as_str().unwrap());
    codes.collect()
}

/// Every text that the checks are tested with, with a name for it.
fn corpus() -> Vec<(String, String)> {
    let files = cases().into_iter();
    let texts = files.flat_map(|(path, text)| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let cases: Vec<_> = text.split("\n\n# ----\n\n").map(input).collect();
        let numbered = cases.into_iter().enumerate();
        numbered.map(move |(at, text)| (format!("{name}-{at}"), text))
    });
    texts.collect()
}

async fn open(text: &str) -> (Client, Vec<Value>) {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 1, text).await;
    let found = client.diagnostics(URI, 1).await;
    (client, found)
}

async fn close(mut client: Client) {
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

async fn lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let params = json!({ "textDocument": { "uri": uri } });
    let lenses = client.call("textDocument/codeLens", params).await;
    lenses.as_array().unwrap().clone()
}

#[tokio::test]
async fn any_one_character_is_missing_and_the_server_answers_on() {
    let (mut client, found) = open(DESK).await;
    assert_eq!(codes(&found), [""; 0]);
    let params = json!({ "textDocument": { "uri": URI } });
    for (version, (at, character)) in (2..).zip(DESK.char_indices()) {
        let mut text = DESK.to_owned();
        text.replace_range(at..at + character.len_utf8(), "");
        client.replace(URI, version, &text).await;
        let symbols = client.call("textDocument/documentSymbol", params.clone());
        assert!(symbols.await.is_array(), "{text}");
    }
    let last = DESK.chars().count() as i32 + 2;
    client.replace(URI, last, DESK).await;
    assert_eq!(codes(&client.diagnostics(URI, last).await), [""; 0]);
    close(client).await;
}

#[tokio::test]
async fn a_syntax_error_keeps_the_lenses_and_a_run_says_why_it_cannot() {
    let (mut client, _) = open(DESK).await;
    let before = lenses(&mut client, URI).await;
    let broken = DESK.replace("calls = 3", "calls = ");
    client.replace(URI, 2, &broken).await;
    assert_eq!(codes(&client.diagnostics(URI, 2).await), ["syntax"]);
    assert_eq!(lenses(&mut client, URI).await, before);
    client.command("loopls.run", json!({ "uri": URI })).await;
    let said = client.notification("window/showMessage").await;
    let message = said["message"].as_str().unwrap();
    assert!(message.contains(":4:"), "{message}");
    let client = client.allow("window/logMessage");
    close(client).await;
}

#[tokio::test]
async fn the_tests_that_the_editor_shows_are_those_that_the_command_line_runs() {
    let (_folder, path) = folder(&[("desk.loop.toml", DESK)]);
    let file = path.join("desk.loop.toml");
    let uri = file_uri(&file);
    let mut client = Client::start(json!({})).await;
    client.open(&uri, 1, DESK).await;
    client.diagnostics(&uri, 1).await;
    let shown = lenses(&mut client, &uri).await;
    let shown = shown
        .iter()
        .map(|it| &it["command"]["arguments"][0]["test"]);
    let shown: Vec<_> = shown.filter_map(Value::as_str).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["test", "--format", "json"])
        .arg(&file)
        .output()
        .unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(shown, ["answers", "answers \"again\""]);
    for test in shown {
        assert!(printed.contains(&json!(test).to_string()), "{printed}");
    }
    client.close(&uri).await;
    client.cleared(&uri).await;
    client.finish().await;
}

#[tokio::test]
async fn three_faults_are_told_at_once() {
    let text = DESK
        .replace("prompt", "promt")
        .replace("calls = 3", "calls = -3")
        .replace("\"demo\"", "1");
    let (client, found) = open(&text).await;
    let expected = ["unknown_key", "wrong_type", "invalid_tool_limits"];
    assert_eq!(codes(&found), expected);
    close(client).await;
}

#[tokio::test]
async fn the_tools_of_a_server_that_does_not_run_are_no_unknown_tools() {
    let text = r#"name = "desk"
initial_mode = "look"
model = { provider = "scripted", name = "demo", script = [{ calls = [{ tool = "files_read" }] }] }

[[tools]]
name = "files"
mcp = { command = ["sh", "server.sh"] }
produces = ["files_read"]

[[modes]]
name = "look"
tools = ["files"]
"#;
    let (client, found) = open(text).await;
    assert_eq!(codes(&found), [""; 0], "{found:#?}");
    close(client).await;
}

#[tokio::test]
async fn empty_arrays_and_a_byte_order_mark_are_understood() {
    let text = format!("\u{feff}delegates = []\nsecrets = []\n{DESK}");
    let (mut client, found) = open(&text).await;
    assert_eq!(codes(&found), [""; 0], "{found:#?}");
    client
        .replace(URI, 2, &format!("\u{feff}nam = 1\n{DESK}"))
        .await;
    let found = client.diagnostics(URI, 2).await;
    assert_eq!(codes(&found), ["unknown_key"]);
    // The mark is a character of the line like any other.
    assert_eq!(found[0]["range"]["start"]["character"], 1);
    close(client).await;
}

#[tokio::test]
async fn editor_and_command_line_say_the_same_of_every_file() {
    let (_folder, path) = folder(&[("loopls.toml", "")]);
    let mut client = Client::start(json!({})).await;
    let mut open = Vec::new();
    for (name, text) in corpus() {
        // In folders of their own they are nothing to each other.
        let file = path.join(name).join("case.loop.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file.with_file_name("loopls.toml"), "").unwrap();
        std::fs::write(&file, text).unwrap();
        open.push(file);
    }
    let output = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["check", "--format", "json"])
        .args(&open)
        .output()
        .unwrap();
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checked = checked["files"].as_array().unwrap();
    for file in &open {
        let uri = file_uri(file);
        let text = std::fs::read_to_string(file).unwrap();
        client.open(&uri, 1, &text).await;
        let mut found = client.diagnostics(&uri, 1).await;
        for diagnostic in &mut found {
            let it = diagnostic.as_object_mut().unwrap();
            it.remove("source");
            let words = ["", "error", "warning", "information", "hint"];
            let severity = it["severity"].as_u64().unwrap() as usize;
            it["severity"] = words[severity].into();
        }
        let same =
            |it: &&Value| file.ends_with(it["path"].as_str().unwrap().trim_start_matches('/'));
        let of_file = checked.iter().find(same).unwrap();
        let mut expected = of_file["diagnostics"].as_array().unwrap().clone();
        for diagnostic in &mut expected {
            let it = diagnostic.as_object_mut().unwrap();
            it.retain(|key, _| ["range", "severity", "code", "message"].contains(&key.as_str()));
        }
        assert_eq!(json!(found), json!(expected), "{}", file.display());
        client.close(&uri).await;
    }
    client
        .allow("textDocument/publishDiagnostics")
        .finish()
        .await;
}

#[tokio::test]
async fn every_file_is_judged_the_same_with_carriage_returns() {
    let mut client = Client::start(json!({})).await;
    for (version, (name, text)) in (1..).map(|it| 2 * it).zip(corpus()) {
        let mut found = Vec::new();
        for (version, text) in [
            (version, text.clone()),
            (version + 1, text.replace('\n', "\r\n")),
        ] {
            client.open(URI, version, &text).await;
            let told = client.diagnostics(URI, version).await;
            let told = told
                .iter()
                .map(|it| (it["code"].clone(), it["range"].clone()));
            found.push(told.collect::<Vec<_>>());
        }
        assert_eq!(found[0], found[1], "{name}");
    }
    let client = client.allow("textDocument/publishDiagnostics");
    close(client).await;
}

#[tokio::test]
async fn typing_in_a_comment_and_pasting_json_leave_nothing_behind() {
    let (mut client, _) = open(DESK).await;
    let comment = "# \"[[ {{ ''' a = 1";
    for (column, character) in comment.chars().enumerate() {
        let (column, version) = (column as u32, column as i32 + 2);
        let at = (4, column);
        let change = json!([edit(at, at, &character.to_string())]);
        client.change(URI, version, change).await;
        assert_eq!(codes(&client.diagnostics(URI, version).await), [""; 0]);
    }
    let pasted =
        serde_json::to_string_pretty(&json!({ "mcpServers": { "a": { "args": ["x", 1] } } }));
    client
        .change(URI, 100, json!([edit((5, 0), (5, 0), &pasted.unwrap())]))
        .await;
    let found = client.diagnostics(URI, 100).await;
    assert!((1..10).contains(&found.len()), "{found:#?}");
    client.replace(URI, 101, DESK).await;
    assert_eq!(codes(&client.diagnostics(URI, 101).await), [""; 0]);
    close(client).await;
}

#[tokio::test]
async fn a_string_without_its_end_is_one_fault() {
    for string in ["\"\"\"Be brief.", "'''Be brief.", "\"Be brief."] {
        // As the last of its table, so that no key of that is lost in it.
        let end = "expect = { answer = \"Done.\" }\n";
        let text = DESK.replacen(end, &format!("{end}prompt = {string}\n"), 1);
        let (client, found) = open(&text).await;
        assert_eq!(codes(&found), ["syntax"], "{string} {found:#?}");
        close(client).await;
    }
}

#[tokio::test]
async fn lines_end_where_the_protocol_says() {
    // A lone carriage return ends a line; what else looks like an end of one does not.
    let text = "# a\r# \u{c}b\u{2028}c\u{85}d\nnam = 1\n";
    let mut client = Client::start(json!({})).await;
    client.open(URI, 1, text).await;
    let found = client.diagnostics(URI, 1).await;
    let unknown = found.iter().find(|it| it["code"] == "unknown_key").unwrap();
    assert_eq!(
        unknown["range"]["start"],
        json!({ "line": 2, "character": 0 })
    );
    close(client).await;
}

#[tokio::test]
async fn hostile_texts_take_no_more_than_others() {
    let mut client = Client::start(json!({})).await;
    let texts = [
        ")".to_owned(),
        "x = 1 # long\n".repeat(80_000),
        "[".repeat(100_000),
        format!("a = {}", "[".repeat(200_000)),
        format!("{} = 1", vec!["a"; 200_000].join(".")),
        format!("a = \"{}", "\\u0000".repeat(100_000)),
    ];
    for (version, text) in (1..).zip(texts) {
        client.open(URI, version, &text).await;
        assert!(!client.diagnostics(URI, version).await.is_empty());
        client.hover(URI, 0, 0).await;
        let params = json!({ "textDocument": { "uri": URI } });
        client
            .call("textDocument/documentSymbol", params.clone())
            .await;
        client
            .call("textDocument/semanticTokens/full", params)
            .await;
    }
    close(client).await;
}

#[tokio::test]
async fn formatting_edits_only_what_changes() {
    let text = "name = \"desk\"\nprompt   =  \"Go.\"\nlimits = { calls = 3 }\n";
    in_every_way(json!({}), text, async |scene: &mut Scene| {
        let options = json!({ "tabSize": 4, "insertSpaces": true });
        let params = json!({ "textDocument": { "uri": scene.uri }, "options": options });
        let edits = scene.client.call("textDocument/formatting", params).await;
        let edits = edits.as_array().unwrap();
        assert!(!edits.is_empty());
        for edit in edits {
            for end in ["start", "end"] {
                assert_eq!(edit["range"][end]["line"], 1, "{edit}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_is_counted_for_as_it_counts() {
    for (offered, counted) in [
        (json!(["utf-8", "utf-16"]), "utf-8"),
        (json!(["utf-32"]), "utf-32"),
        (json!(null), "utf-16"),
    ] {
        let capabilities = json!({ "general": { "positionEncodings": offered } });
        let client = Client::start(capabilities).await;
        assert_eq!(client.server["capabilities"]["positionEncoding"], counted);
        client.finish().await;
    }
}

#[tokio::test]
async fn the_hover_of_a_value_is_about_the_token_under_the_cursor() {
    play(
        Way::PLAIN,
        json!({}),
        "limits = { calls = 3, iter‸ations = 4 }\n",
        async |scene| {
            let hover = scene.ask("textDocument/hover").await;
            let range = scene.span(&hover["range"]);
            assert_eq!(range.of(&scene.text), "iterations");
        },
    )
    .await;
}
