//! Settings of the editor and of the project, and what is registered to hear of them.

use crate::support::{Client, file_uri, folder};
use serde_json::{Value, json};

const URI: &str = "untitled:desk";

/// Something to say at a warning's level, a mode with hints, and lenses.
const DESK: &str = "\
name = \"desk\"
initial_mode = \"look\"
model = { provider = \"scripted\", name = \"demo\" }
limits = { calls = 0 }
modes = [{ name = \"look\" }]
";

/// How bad each diagnostic is, by its code.
fn levels(diagnostics: &[Value]) -> Vec<(&str, u64)> {
    let levels = diagnostics.iter().map(|it| {
        let code = it["code"].as_str().unwrap();
        (code, it["severity"].as_u64().unwrap())
    });
    levels.collect()
}

async fn count(client: &mut Client, method: &str) -> usize {
    let position = |line| json!({ "line": line, "character": 0 });
    let range = json!({ "start": position(0), "end": position(99) });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    client.call(method, params).await.as_array().unwrap().len()
}

async fn close(mut client: Client) {
    client.close(URI).await;
    client.cleared(URI).await;
    client.finish().await;
}

const OFF: [(&str, u64); 0] = [];

#[tokio::test]
async fn settings_of_the_start_hold_from_the_start() {
    for options in [
        json!({ "levels": { "zero_limit": "hint" }, "lenses": false, "hints": false }),
        json!({ "loopls": { "levels": { "zero_limit": "hint" }, "lenses": false, "hints": false } }),
    ] {
        let mut client = Client::connect();
        client.introduce(json!({}), options).await;
        client.open(URI, 1, DESK).await;
        let found = client.diagnostics(URI, 1).await;
        assert_eq!(levels(&found), [("zero_limit", 4)]);
        assert_eq!(count(&mut client, "textDocument/codeLens").await, 0);
        assert_eq!(count(&mut client, "textDocument/inlayHint").await, 0);
        close(client).await;
    }
}

#[tokio::test]
async fn a_change_is_seen_at_once_and_what_is_taken_back_too() {
    let mut client = Client::start(json!({})).await;
    client.open(URI, 1, DESK).await;
    let found = client.diagnostics(URI, 1).await;
    assert_eq!(levels(&found), [("zero_limit", 2)]);
    assert!(count(&mut client, "textDocument/codeLens").await > 0);
    assert!(count(&mut client, "textDocument/inlayHint").await > 0);
    let off = json!({ "loopls": { "levels": { "zero_limit": "off" }, "hints": false } });
    change(&mut client, off).await;
    assert_eq!(levels(&client.diagnostics(URI, 1).await), OFF);
    assert_eq!(count(&mut client, "textDocument/inlayHint").await, 0);
    for nothing in [json!(null), json!([null]), json!({}), json!([])] {
        change(&mut client, json!({ "levels": { "zero_limit": "off" } })).await;
        change(&mut client, nothing).await;
        // Of two publications in a row one may be left out, the last one never.
        while levels(&client.diagnostics(URI, 1).await) != [("zero_limit", 2)] {}
        assert!(count(&mut client, "textDocument/inlayHint").await > 0);
    }
    let mut client = client.allow("textDocument/publishDiagnostics");
    client.close(URI).await;
    client.finish().await;
}

async fn change(client: &mut Client, settings: Value) {
    let params = json!({ "settings": settings });
    client
        .notify("workspace/didChangeConfiguration", params)
        .await;
}

#[tokio::test]
async fn what_is_wrong_with_settings_is_told_once() {
    let mut client = Client::start(json!({})).await;
    for _ in 0..2 {
        change(
            &mut client,
            json!({ "loopls": { "levels": { "syntax": "off" } } }),
        )
        .await;
        change(
            &mut client,
            json!({ "loopls": { "levels": { "syntax": "off" }, "lenses": 1 } }),
        )
        .await;
    }
    let first = client.notification("window/showMessage").await;
    assert!(
        first["message"]
            .as_str()
            .unwrap()
            .starts_with("loopls.levels: `syntax` is an error")
    );
    let second = client.notification("window/showMessage").await;
    assert_eq!(second["message"], "loopls.lenses must be true or false");
    // Told again only after it was right.
    let third = client.notification("window/showMessage").await;
    assert_eq!(third["message"], "loopls.lenses must be true or false");
    client.finish().await;
}

#[tokio::test]
async fn a_client_that_can_be_asked_is_asked() {
    let capabilities = json!({ "workspace": {
        "configuration": true,
        "didChangeConfiguration": { "dynamicRegistration": true },
        "codeLens": { "refreshSupport": true },
        "inlayHint": { "refreshSupport": true },
    } });
    let mut client = Client::start(capabilities).await;
    let (id, params) = client.question("client/registerCapability").await;
    let registration = &params["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeConfiguration");
    assert_eq!(
        registration["registerOptions"],
        json!({ "section": "loopls" })
    );
    client.answer(id, Value::Null).await;
    let (id, params) = client.question("workspace/configuration").await;
    assert_eq!(params["items"], json!([{ "section": "loopls" }]));
    // Nothing waits for the answer.
    client.open(URI, 1, DESK).await;
    for _ in 0..200 {
        client.hover(URI, 0, 0).await;
    }
    let found = client.diagnostics(URI, 1).await;
    assert_eq!(levels(&found), [("zero_limit", 2)]);
    client
        .answer(
            id,
            json!([{ "levels": { "zero_limit": "hint" }, "lenses": false, "hints": false }]),
        )
        .await;
    assert_eq!(
        levels(&client.diagnostics(URI, 1).await),
        [("zero_limit", 4)]
    );
    for method in ["workspace/codeLens/refresh", "workspace/inlayHint/refresh"] {
        let (id, _) = client.question(method).await;
        client.answer(id, Value::Null).await;
    }
    // What is sent along does not count.
    change(
        &mut client,
        json!({ "loopls": { "levels": { "zero_limit": "warning" } } }),
    )
    .await;
    let (id, _) = client.question("workspace/configuration").await;
    client
        .answer(
            id,
            json!([{ "levels": { "zero_limit": "off" }, "lenses": false, "hints": false }]),
        )
        .await;
    assert_eq!(levels(&client.diagnostics(URI, 1).await), OFF);
    close(client).await;
}

#[tokio::test]
async fn the_later_of_two_questions_counts() {
    let mut client = Client::start(json!({ "workspace": { "configuration": true } })).await;
    let (first, _) = client.question("workspace/configuration").await;
    change(&mut client, Value::Null).await;
    let (second, _) = client.question("workspace/configuration").await;
    client.open(URI, 1, DESK).await;
    client.diagnostics(URI, 1).await;
    let answer = |level: &str| json!([{ "levels": { "zero_limit": level } }]);
    client.answer(second, answer("off")).await;
    assert_eq!(levels(&client.diagnostics(URI, 1).await), OFF);
    client.answer(first, answer("hint")).await;
    client.hover(URI, 0, 0).await;
    close(client).await;
}

#[tokio::test]
async fn the_levels_of_the_project_hold_under_those_of_the_editor() {
    let (_folder, path) = folder(&[("loopls.toml", "[levels]\nzero_limit = \"off\"\n")]);
    let uri = file_uri(&path.join("sub/desk.loop.toml"));
    let mut client = Client::start(json!({})).await;
    client.open(&uri, 1, DESK).await;
    assert_eq!(levels(&client.diagnostics(&uri, 1).await), OFF);
    let settings = path.join("loopls.toml");
    std::fs::write(&settings, "[levels]\nzero_limit = \"hint\"\n").unwrap();
    let saved = json!({ "textDocument": { "uri": file_uri(&settings) } });
    client.notify("textDocument/didSave", saved).await;
    while levels(&client.diagnostics(&uri, 1).await) != [("zero_limit", 4)] {}
    change(
        &mut client,
        json!({ "levels": { "zero_limit": "information" } }),
    )
    .await;
    while levels(&client.diagnostics(&uri, 1).await) != [("zero_limit", 3)] {}
    let mut client = client.allow("textDocument/publishDiagnostics");
    client.close(&uri).await;
    client.finish().await;
}

#[tokio::test]
async fn a_client_that_can_watch_files_watches_what_definitions_name() {
    let capabilities =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut client = Client::start(capabilities).await;
    let (id, params) = client.question("client/registerCapability").await;
    let registration = params["registrations"][0].clone();
    let own = ["**/loop.toml", "**/*.loop.toml", "**/loopls.toml"];
    let patterns = |registration: &Value| -> Vec<String> {
        let watchers = registration["registerOptions"]["watchers"].as_array();
        let watchers = watchers.unwrap().iter();
        let patterns = watchers.map(|it| it["globPattern"].as_str().unwrap().to_owned());
        patterns.collect()
    };
    assert_eq!(patterns(&registration), own);
    client.answer(id, Value::Null).await;

    let (_folder, path) = folder(&[]);
    let uri = file_uri(&path.join("desk.loop.toml"));
    let text = "system_file = \"texts/[a].md\"\n";
    client.open(&uri, 1, &format!("{text}{DESK}")).await;
    let found = client.diagnostics(&uri, 1).await;
    assert!(levels(&found).contains(&("missing_file", 1)));
    let (id, params) = client.question("client/unregisterCapability").await;
    assert_eq!(params["unregisterations"][0]["id"], registration["id"]);
    client.answer(id, Value::Null).await;
    let (id, params) = client.question("client/registerCapability").await;
    let patterns = patterns(&params["registrations"][0]);
    assert_eq!(patterns[..3], own);
    assert_eq!(patterns[3..], ["**/[[]a[]].md"]);
    client.answer(id, Value::Null).await;

    std::fs::create_dir(path.join("texts")).unwrap();
    let named = path.join("texts/[a].md");
    std::fs::write(&named, "Be brief.").unwrap();
    let changes = json!({ "changes": [{ "uri": file_uri(&named), "type": 1 }] });
    client
        .notify("workspace/didChangeWatchedFiles", changes)
        .await;
    assert_eq!(
        levels(&client.diagnostics(&uri, 1).await),
        [("zero_limit", 2)]
    );
    let mut client = client.allow("client/unregisterCapability");
    client.close(&uri).await;
    client.cleared(&uri).await;
    client.finish().await;
}

/// What is published next of the settings file.
async fn of_settings(client: &mut Client, uri: &str) -> Vec<Value> {
    let mut published = client
        .take(|message| message["params"]["uri"] == uri && message.get("id").is_none())
        .await;
    serde_json::from_value(published["params"]["diagnostics"].take()).unwrap()
}

#[tokio::test]
async fn what_is_wrong_with_the_settings_of_a_project_is_shown_in_their_file() {
    let wrong = "[levels]\nzero_limt = \"off\"\n";
    let (_folder, path) = folder(&[("loopls.toml", wrong)]);
    let [desk, settings] = ["sub/desk.loop.toml", "loopls.toml"].map(|it| file_uri(&path.join(it)));
    let mut client = Client::start(json!({})).await;
    client.open(&desk, 1, DESK).await;
    // Nobody has the file open.
    let found = of_settings(&mut client, &settings).await;
    let [problem] = found.as_slice() else {
        panic!("{found:#?}");
    };
    assert_eq!(problem["code"], "unknown_key");
    let message = problem["message"].as_str().unwrap();
    assert!(message.contains("did you mean `zero_limit`?"), "{message}");
    let start = json!({ "line": 1, "character": 0 });
    assert_eq!(problem["range"]["start"], start);
    assert_eq!(
        levels(&client.diagnostics(&desk, 1).await),
        [("zero_limit", 2)]
    );

    // Somebody mends it on the disk.
    let change = json!({ "changes": [{ "uri": settings, "type": 2 }] });
    std::fs::write(path.join("loopls.toml"), wrong.replace("limt", "limit")).unwrap();
    client
        .notify("workspace/didChangeWatchedFiles", change.clone())
        .await;
    assert_eq!(of_settings(&mut client, &settings).await, [] as [Value; 0]);
    while levels(&client.diagnostics(&desk, 1).await) != OFF {}

    // As it is in the editor it counts before it is saved.
    client
        .open_as(&settings, "toml", 1, "levels = { zero_limit = 1 }")
        .await;
    let found = of_settings(&mut client, &settings).await;
    assert_eq!(found[0]["code"], "wrong_type");
    while levels(&client.diagnostics(&desk, 1).await) != [("zero_limit", 2)] {}
    client
        .replace(&settings, 2, "levels = { zero_limit = \"hint\" }")
        .await;
    while of_settings(&mut client, &settings).await != [] as [Value; 0] {}
    while levels(&client.diagnostics(&desk, 1).await) != [("zero_limit", 4)] {}

    // Closed, it is what is on the disk.
    client.close(&settings).await;
    while levels(&client.diagnostics(&desk, 1).await) != OFF {}
    let mut client = client.allow("textDocument/publishDiagnostics");
    client.close(&desk).await;
    client.finish().await;
}

#[tokio::test]
async fn a_client_that_pulls_is_told_of_settings_that_it_has_open() {
    let (_folder, path) = folder(&[]);
    let settings = file_uri(&path.join("loopls.toml"));
    let capabilities = json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    });
    let client = Client::start(capabilities).await;
    let mut client = client.allow("workspace/diagnostic/refresh");
    let params = json!({ "textDocument": { "uri": settings } });
    for (version, text, problems) in [(1, "server = 1", 1), (2, "exclude = []", 0)] {
        match version {
            1 => client.open_as(&settings, "toml", version, text).await,
            _ => client.replace(&settings, version, text).await,
        }
        let report = client.call("textDocument/diagnostic", params.clone()).await;
        assert_eq!(
            report["items"].as_array().unwrap().len(),
            problems,
            "{report}"
        );
    }
    client.close(&settings).await;
    client.finish().await;
}
