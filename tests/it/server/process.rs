//! The server as a process: what it writes, and that it ends.

use crate::support::{Client, file_uri, folder};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};

/// The server's process with a client on its standard input and output.
fn start(state: tempfile::TempDir) -> (Child, Client) {
    start_with(&[], state)
}

fn start_with(arguments: &[&str], state: tempfile::TempDir) -> (Child, Client) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["lsp", "--stdio"])
        .args(arguments)
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let read = child.stdout.take().unwrap();
    let write = child.stdin.take().unwrap();
    (child, Client::over(read, write, state))
}

/// The same, introduced.
async fn introduced(process_id: Value) -> (Child, Client) {
    let (child, mut client) = start(tempfile::tempdir().unwrap());
    let params = json!({
        "processId": process_id,
        "capabilities": { "experimental": { "loopls": { "runEvents": true } } },
        "initializationOptions": { "trust": "trusted" },
    });
    client.server = client.call("initialize", params).await;
    client.notify("initialized", json!({})).await;
    (child, client)
}

/// The exit code, which has to come by itself.
async fn exit_code(mut child: Child) -> Option<i32> {
    tokio::time::timeout(Duration::from_secs(60), child.wait())
        .await
        .expect("the server ends")
        .unwrap()
        .code()
}

#[tokio::test]
async fn after_shutdown_exit_is_a_success_also_while_input_stays_open() {
    let (child, mut client) = introduced(Value::Null).await;
    client.call("shutdown", Value::Null).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(exit_code(child).await, Some(0));
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn exit_without_shutdown_is_none() {
    let (child, mut client) = introduced(Value::Null).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(exit_code(child).await, Some(1));
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn the_end_of_input_ends_the_process() {
    let (child, mut client) = introduced(Value::Null).await;
    client.close_input().await;
    assert_eq!(exit_code(child).await, Some(1));
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn a_client_that_no_longer_reads_ends_the_process() {
    let state = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .arg("lsp")
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let input = child.stdin.take().unwrap();
    let mut client = Client::over(tokio::io::empty(), input, state);
    client
        .request("initialize", json!({ "capabilities": {} }))
        .await;
    assert_eq!(exit_code(child).await, Some(1));
}

#[tokio::test]
async fn the_death_of_the_clients_process_ends_the_server() {
    let mut editor = Command::new("sleep").arg("600").spawn().unwrap();
    let (child, client) = introduced(editor.id().into()).await;
    editor.kill().await.unwrap();
    assert_eq!(exit_code(child).await, Some(1));
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn a_socket_serves_as_well() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let child = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["lsp", "--socket", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let (read, write) = stream.into_split();
    let mut client = Client::over(read, write, tempfile::tempdir().unwrap());
    client.introduce(json!({}), json!({})).await;
    client.call("shutdown", Value::Null).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(exit_code(child).await, Some(0));
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn nothing_but_the_protocol_is_written_whatever_is_sent() {
    // The client panics at a line that is no header.
    let (child, mut client) = introduced(Value::Null).await;
    client.write(b"Content-Length: 8\r\n\r\nnot json").await;
    client.reply(Value::Null).await.unwrap_err();
    let log = client.notification("window/logMessage").await;
    let expected = json!({ "type": 2, "message": "a message was refused code=-32700" });
    assert_eq!(log, expected);
    let uri = "file:///tmp/loop.toml";
    client.open(uri, 1, "name = \"a\nb = ").await;
    client.diagnostics(uri, 1).await;
    client.close(uri).await;
    client.cleared(uri).await;
    client.call("shutdown", Value::Null).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(exit_code(child).await, Some(0));
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn a_message_that_is_too_long_is_the_end_and_the_log_says_so() {
    let (child, mut client) = introduced(Value::Null).await;
    client.write(b"Content-Length: 67108865\r\n\r\n").await;
    let log = client.notification("window/logMessage").await;
    let message = "a message of 67108865 bytes is longer than 67108864";
    assert_eq!(log, json!({ "type": 1, "message": message }));
    assert_eq!(exit_code(child).await, Some(1));
    client.expect_nothing_left().await;
}

/// Says a word of its own in every place where a person, a model or a tool says something.
const TALKATIVE: &str = r#"
# word-comment
name = "word-name"
description = "word-description"
system = "word-system"
prompt = "word-prompt"

[model]
provider = "scripted"
name = "word-model"
script = [
    { text = "word-reply", calls = [{ tool = "tell", input = { id = "word-input" } }] },
    { text = "word-answer" },
]

[[tools]]
name = "tell"
description = "Tells."
effect = "read"
command = ["echo", "word-result", "{{id}}"]
env = { TALK = "word-environment" }
input.properties.id = { type = "string", description = "word-property" }
"#;

#[tokio::test]
async fn the_log_tells_what_is_done_and_never_what_is_said() {
    let (_folder, path) = folder(&[]);
    let log = path.join("loopls.log");
    let arguments = ["--log", log.to_str().unwrap()];
    let (child, mut client) = start_with(&arguments, tempfile::tempdir().unwrap());
    let params = json!({
        "processId": null,
        "clientInfo": { "name": "a test" },
        "capabilities": { "experimental": { "loopls": { "runEvents": true } } },
        "initializationOptions": { "trust": "trusted", "log": "debug" },
    });
    client.call("initialize", params).await;
    client.notify("initialized", json!({})).await;
    let uri = file_uri(&path.join("talk.loop.toml"));
    client.open(&uri, 1, TALKATIVE).await;
    client.diagnostics(&uri, 1).await;
    client.hover(&uri, 2, 1).await;
    let rename = json!({
        "textDocument": { "uri": uri },
        "position": { "line": 17, "character": 9 },
        "newName": "word-new",
    });
    let id = client.request("textDocument/rename", rename).await;
    let _ = client.reply(id).await;
    client.command("loopls.run", json!({ "uri": uri })).await;
    loop {
        let event = client.notification("loopls/runEvent").await;
        if event["event"]["type"] == "run_ended" {
            assert_eq!(event["event"]["answer"], "word-answer");
            break;
        }
    }
    client
        .change(&uri, 2, json!([{ "text": "word-change = " }]))
        .await;
    client.diagnostics(&uri, 2).await;
    client.write(b"Content-Length: 11\r\n\r\nword-broken").await;
    client.reply(Value::Null).await.unwrap_err();
    client.close(&uri).await;
    client.call("shutdown", Value::Null).await;
    client.notify("exit", Value::Null).await;
    assert_eq!(exit_code(child).await, Some(0));
    let told: Vec<_> = client.rest().await;
    let told = told.iter().filter(|it| it["method"] == "window/logMessage");
    let told: Vec<_> = told.map(|it| it["params"].to_string()).collect();
    let told = told.join("\n");
    let written = std::fs::read_to_string(&log).unwrap();
    for part in [
        "a session begins",
        "opened",
        "asked",
        "diagnostics published",
        "a run starts",
        "a run ended",
        "a message was refused",
        "closed",
        "the session ends",
    ] {
        assert!(written.contains(part), "{part} in {written}");
    }
    assert!(told.contains("a run ended"), "{told}");
    assert!(!written.contains("word-"), "{written}");
    assert!(!told.contains("word-"), "{told}");
}

#[tokio::test]
async fn a_log_that_cannot_be_written_is_said_at_once() {
    let output = Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["lsp", "--log", "/nowhere/loopls.log"])
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(1), Vec::new()));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("loopls: the log cannot be written: "),
        "{said}"
    );
}

/// Runs a tool that sleeps and has put another sleep into the background.
const SLEEPING: &str = r#"
name = "sleeper"
prompt = "Sleep."

[model]
provider = "scripted"
name = "rehearsal"
script = [{ calls = [{ tool = "sleep", input = {} }] }]

[[tools]]
name = "sleep"
description = "Sleeps."
effect = "read"
command = ["sh", "-c", "sleep 600 & echo $! > background; echo $$ > pid; echo asleep; sleep 600"]
"#;

/// Opens `SLEEPING` and runs it until the tool sleeps.
async fn fall_asleep(client: &mut Client, folder: &Path) {
    let uri = file_uri(&folder.join("sleeper.loop.toml"));
    client.open(&uri, 1, SLEEPING).await;
    assert_eq!(client.diagnostics(&uri, 1).await, [] as [Value; 0]);
    client.command("loopls.run", json!({ "uri": uri })).await;
    while client.notification("loopls/runEvent").await["event"]["type"] != "tool_output" {}
}

async fn gone(folder: &Path) {
    for name in ["pid", "background"] {
        super::runs::process_gone(&folder.join(name)).await;
    }
}

#[tokio::test]
async fn a_server_that_is_killed_leaves_no_process() {
    let (_folder, path) = folder(&[]);
    let (mut child, mut client) = introduced(Value::Null).await;
    fall_asleep(&mut client, &path).await;
    child.kill().await.unwrap();
    gone(&path).await;
    client.expect_nothing_left().await;
}

#[tokio::test]
async fn an_editor_that_is_gone_leaves_no_process() {
    let (_folder, path) = folder(&[]);
    let (child, mut client) = introduced(Value::Null).await;
    fall_asleep(&mut client, &path).await;
    client.close_input().await;
    assert_eq!(exit_code(child).await, Some(1));
    gone(&path).await;
    client.allow("loopls/runEvent").expect_nothing_left().await;
}

/// Everything that the server writes while a tool of a run prints a key, to a client that draws runs and to one that does not.
#[cfg(unix)]
#[tokio::test]
async fn the_protocol_holds_no_key() {
    const KEY: &str = "s3cr3t-k3y-0001";
    const BASE64: &str = "czNjcjN0LWszeS0wMDAx";
    let definition = r#"
name = "desk"
prompt = "Go."
secrets = ["DESK_ACCESS"]

[[tools]]
name = "leak"
description = "Tells it."
effect = "read"
command = ["sh", "-c", 'echo "$A"; printf "%s" "$A" | base64; printf "${A%%-k*}"; sleep 0.2; echo "-k${A#*-k}"; exit 1']
env = { A = "${DESK_ACCESS}" }

[model]
provider = "scripted"
name = "m"
script = [{ calls = [{ tool = "leak" }] }, { text = "It is s3cr3t-k3y-0001." }]
"#;
    let (folder, path) = folder(&[]);
    let uri = file_uri(&path.join("desk.loop.toml"));
    for draws_runs in [true, false] {
        let state = tempfile::tempdir().unwrap();
        let copy = state.path().join("traffic");
        let mut child = Command::new("sh")
            .args([
                "-c",
                "\"$0\" lsp --stdio 2>&1 | tee \"$1\"",
                env!("CARGO_BIN_EXE_loopls"),
            ])
            .arg(&copy)
            .env("XDG_STATE_HOME", state.path())
            .env("DESK_ACCESS", KEY)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let read = child.stdout.take().unwrap();
        let write = child.stdin.take().unwrap();
        let mut client = Client::over(read, write, tempfile::tempdir().unwrap());
        let params = json!({
            "processId": null,
            "capabilities": { "experimental": { "loopls": { "runEvents": draws_runs } } },
            "initializationOptions": { "trust": "trusted" },
        });
        client.server = client.call("initialize", params).await;
        client.notify("initialized", json!({})).await;
        client.open(&uri, 1, definition).await;
        let argument = json!({ "uri": uri, "run": "r" });
        let params = json!({ "command": "loopls.run", "arguments": [argument] });
        client.call("workspace/executeCommand", params).await;
        let last = match draws_runs {
            true => "run_ended",
            false => "window/showMessage\"",
        };
        client
            .take(|message| message.to_string().contains(last))
            .await;
        client.close_input().await;
        let _ = child.wait().await;
        client.rest().await;
        let traffic = std::fs::read_to_string(&copy).unwrap();
        assert!(traffic.contains("[DESK_ACCESS]"), "{traffic}");
        // The client sent the text of the definition; nothing of it comes back.
        for part in [KEY, &BASE64[..12]] {
            assert!(!traffic.contains(part), "{part} in {traffic}");
        }
    }
    drop(folder);
}
