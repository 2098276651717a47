//! The program itself against providers on this machine that say what they are told to: the requests that they get, and
//! what comes of their replies.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One request as it came.
#[derive(Debug)]
pub struct Asked {
    head: String,
    pub body: Value,
}

/// Answers each connection with the next of `answers`, whole as it goes over the wire.
async fn serve(listener: TcpListener, answers: Vec<String>, asked: Arc<Mutex<Vec<Asked>>>) {
    for answer in answers {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let request = read_request(&mut stream).await;
        asked.lock().unwrap().push(request);
        stream
            .write_all(answer.as_bytes())
            .await
            .expect("the client reads");
        stream.shutdown().await.ok();
    }
}

async fn read_request(stream: &mut TcpStream) -> Asked {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).await.expect("a request");
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Asked {
                    head: head.to_lowercase(),
                    body: serde_json::from_str(body).expect("JSON"),
                };
            }
        }
        assert!(read > 0, "the request is whole");
    }
}

pub fn stream_of(events: &[Value]) -> String {
    let events: String = events
        .iter()
        .map(|event| format!(": note\n\ndata: {event}\n\n"))
        .collect();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}data: [DONE]\n\n"
    )
}

pub fn status(line: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {line}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
}

fn says(text: &str) -> String {
    stream_of(&[
        json!({ "choices": [{ "delta": { "content": text } }] }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }], "usage": { "prompt_tokens": 7, "completion_tokens": 3 } }),
    ])
}

fn calls() -> String {
    let part = |index: u64, id: &str, name: &str, input: &str| json!({ "index": index, "id": id, "function": { "name": name, "arguments": input } });
    stream_of(&[
        json!({ "choices": [{ "delta": { "tool_calls": [part(0, "a", "one", ""), part(1, "b", "two", "{}")] } }] }),
        json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "function": { "arguments": "{\"x\": 1}" } }] } }] }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }),
    ])
}

/// What came of a run.
pub struct Ran {
    pub output: Output,
    /// All that is in files: the definition, the transcript, logs.
    pub left: String,
    pub asked: Vec<Asked>,
}

impl Ran {
    pub fn events(&self) -> Vec<Value> {
        let text = String::from_utf8_lossy(&self.output.stdout);
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a record"))
            .collect()
    }

    pub fn ended(&self) -> Value {
        self.events()
            .pop()
            .unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&self.output.stderr)))
    }
}

pub async fn run(provider: &str, answers: Vec<String>) -> Ran {
    run_with(provider, answers, "").await
}

/// The same of a definition with more `tables`.
pub async fn run_with(provider: &str, answers: Vec<String>, tables: &str) -> Ran {
    run_keyed(provider, answers, "api_key_env = \"DESK_KEY\"", tables).await
}

/// The same of one whose model has this line about its key.
async fn run_keyed(provider: &str, answers: Vec<String>, key: &str, tables: &str) -> Ran {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
    let server = tokio::spawn(serve(listener, answers, asked.clone()));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("desk.loop.toml");
    let text = format!(
        "name = \"desk\"\nsystem = \"Be brief.\"\nprompt = \"Go.\"\n\n[model]\nprovider = \"{provider}\"\nname = \"m\"\n\
         base_url = \"http://127.0.0.1:{port}\"\n{key}\n\n\
         [[tools]]\nname = \"one\"\nreply = \"first\"\neffect = \"read\"\n\n\
         [[tools]]\nname = \"two\"\nreply = \"second\"\neffect = \"read\"\n{tables}"
    );
    std::fs::write(&file, text).expect("a definition");
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_loopls"))
        .args(["run", "--json"])
        .arg(&file)
        .env("DESK_KEY", "key-that-nobody-sees")
        .env("OPENAI_API_KEY", "key-that-nobody-sees")
        .env("XDG_STATE_HOME", folder.path())
        .kill_on_drop(true)
        .output()
        .await
        .expect("the program runs");
    server.abort();
    for stream in [&output.stdout, &output.stderr] {
        assert!(
            !String::from_utf8_lossy(stream).contains("key-that-nobody-sees"),
            "the key is shown"
        );
    }
    let mut left = Vec::new();
    read_all(folder.path(), &mut left);
    Ran {
        output,
        left: String::from_utf8_lossy(&left).into_owned(),
        asked: std::mem::take(&mut *asked.lock().unwrap()),
    }
}

fn read_all(folder: &Path, into: &mut Vec<u8>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => read_all(&path, into),
            path => into.extend(std::fs::read(path).expect("a file")),
        }
    }
}

#[tokio::test]
async fn two_calls_at_once_and_an_answer_over_chat_completions() {
    let ran = run("openai-compatible", vec![calls(), says("Done.")]).await;
    let ended = ran.ended();
    assert_eq!(
        (&ended["stop"], &ended["answer"]),
        (&json!("answer"), &json!("Done."))
    );
    assert_eq!(ended["usage"], json!({ "input": 7, "output": 3 }));
    assert_eq!(ran.output.status.code(), Some(0));
    assert!(
        ran.asked[0].head.starts_with("post /chat/completions "),
        "{}",
        ran.asked[0].head
    );
    assert!(
        ran.asked[0]
            .head
            .contains("\r\nauthorization: bearer key-that-nobody-sees"),
        "{}",
        ran.asked[0].head
    );
    let history = &ran.asked[1].body["messages"];
    assert_eq!(
        history[2]["tool_calls"][0]["function"],
        json!({ "name": "one", "arguments": "{\"x\": 1}" })
    );
    assert_eq!(
        history[3],
        json!({ "role": "tool", "tool_call_id": "a", "content": "first" })
    );
    assert_eq!(
        history[4],
        json!({ "role": "tool", "tool_call_id": "b", "content": "second" })
    );
}

#[tokio::test]
async fn the_same_over_messages() {
    let block = |index: u64, id: &str, name: &str| json!({ "type": "content_block_start", "index": index, "content_block": { "type": "tool_use", "id": id, "name": name, "input": {} } });
    let stop = |reason: &str| json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 3 } });
    let answer = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Done." } });
    let stream = |events: &[Value]| stream_of(events).replace("data: [DONE]\n\n", "");
    let answers = vec![
        stream(&[block(0, "a", "one"), block(1, "b", "two"), stop("tool_use")]),
        stream(&[answer, stop("end_turn")]),
    ];
    let ran = run("anthropic", answers).await;
    assert_eq!(ran.ended()["answer"], json!("Done."));
    let head = &ran.asked[0].head;
    assert!(
        head.starts_with("post /v1/messages ")
            && head.contains("\r\nx-api-key: key-that-nobody-sees"),
        "{head}"
    );
    assert!(head.contains("\r\nanthropic-version: 2023-06-01"), "{head}");
    let results = &ran.asked[1].body["messages"][2]["content"];
    assert_eq!(results[0]["tool_use_id"], "a");
    assert_eq!(results[1]["content"], "second");
}

#[tokio::test]
async fn an_address_of_the_definitions_own_is_not_sent_the_usual_key() {
    let refusal = status("400 Bad Request", "", "");
    for (key, is_sent) in [("", false), ("api_key_env = \"OPENAI_API_KEY\"", true)] {
        let ran = run_keyed("openai", vec![refusal.clone()], key, "").await;
        let head = &ran.asked[0].head;
        assert_eq!(head.contains("key-that-nobody-sees"), is_sent, "{head}");
        assert_eq!(head.contains("authorization"), is_sent, "{head}");
    }
}

/// headroom#1495.
#[tokio::test]
async fn a_busy_provider_is_asked_again() {
    let busy = status(
        "429 Too Many Requests",
        "retry-after: 0\r\n",
        "{\"error\":{\"message\":\"slow down\"}}",
    );
    let overloaded = status("529 Overloaded", "retry-after: 0\r\n", "");
    let ran = run("openai-compatible", vec![busy, overloaded, says("Done.")]).await;
    assert_eq!(ran.ended()["answer"], json!("Done."));
    let retries: Vec<Value> = ran
        .events()
        .into_iter()
        .filter(|event| event["type"] == "retry")
        .collect();
    assert_eq!(retries.len(), 2);
    assert!(
        retries[0]["reason"]
            .as_str()
            .unwrap()
            .ends_with("/chat/completions answered 429 Too Many Requests: slow down")
    );
}

/// graniet/llm#90: a stream without its end, and an empty 200.
#[tokio::test]
async fn what_asking_again_would_not_mend_fails_at_once() {
    let moved = status("302 Found", "location: http://127.0.0.1:1/\r\n", "");
    let cut = says("Don")
        .replace("data: [DONE]\n\n", "")
        .replace("\"finish_reason\":\"stop\"", "\"finish_reason\":null");
    let cases = [
        (
            status(
                "401 Unauthorized",
                "",
                "{\"error\":{\"message\":\"no such key\"}}",
            ),
            "answered 401 Unauthorized: no such key (is the key right, and that of this provider?)",
        ),
        (
            moved,
            "answered 302 Found (redirects are not followed; put the address itself into `base_url`)",
        ),
        (
            status("200 OK", "content-type: application/json\r\n", ""),
            "the stream ended before the reply did",
        ),
        (
            status(
                "200 OK",
                "Content-Type: text/html; charset=utf-8\r\n",
                "<html>",
            ),
            "/chat/completions answered with a web page; is `base_url` right?",
        ),
        (cut, "the stream ended before the reply did"),
        (
            stream_of(&[json!("not an event")]).replace("\"not an event\"", "{"),
            "the provider sent an event that is no JSON",
        ),
    ];
    for (answer, expected) in cases {
        let ran = run("openai-compatible", vec![answer]).await;
        let ended = ran.ended();
        assert_eq!(ended["stop"], json!("failed"), "{expected}");
        assert!(
            ended["reason"].as_str().unwrap().ends_with(expected),
            "{ended} does not end in {expected}"
        );
        assert_eq!(ran.output.status.code(), Some(5));
    }
}
