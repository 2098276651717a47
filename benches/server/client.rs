//! A client that takes the time of each message when its last byte was read.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What has not come after this long does not come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A language server and the connection to it.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    incoming: Receiver<(Value, Instant)>,
    last_id: u64,
    version: u64,
    uri: String,
}

impl Client {
    /// Starts `command` and introduces itself; returns how long that took. `None` where it does not answer.
    pub fn start(command: &[String], root: &str) -> Option<(Self, Duration)> {
        let begun = Instant::now();
        let mut server = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", command[0]));
        let input = server.stdin.take();
        let output = server.stdout.take().expect("it is piped");
        let (sender, incoming) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(body) = read(&mut output) {
                let at = Instant::now();
                let message = serde_json::from_slice(&body).expect("servers send JSON");
                if sender.send((message, at)).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            server,
            input,
            incoming,
            last_id: 0,
            version: 0,
            uri: format!("{root}/measured.loop.toml"),
        };
        let (_, at) = client.try_request("initialize", introduction(root))?;
        client.notify("initialized", json!({}));
        Some((client, at - begun))
    }

    /// Opens the document with `text`; returns its diagnostics.
    pub fn open(&mut self, text: &str) -> Vec<Value> {
        self.version += 1;
        let document = json!({
            "uri": self.uri, "languageId": "toml", "version": self.version, "text": text,
        });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics().0
    }

    /// Replaces what stands between two columns of `line`; returns when that was sent.
    pub fn edit(&mut self, line: u32, from: u32, to: u32, text: &str) -> Instant {
        self.version += 1;
        let range = json!({
            "start": { "line": line, "character": from },
            "end": { "line": line, "character": to },
        });
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "range": range, "text": text }],
        });
        let sent = Instant::now();
        self.notify("textDocument/didChange", params);
        sent
    }

    /// The diagnostics of the newest version, and when they came. Of a server that does not say the version the next ones.
    pub fn diagnostics(&mut self) -> (Vec<Value>, Instant) {
        loop {
            let (message, at) = self.next().expect("the server answers");
            let params = &message["params"];
            let is_ours = message["method"] == "textDocument/publishDiagnostics"
                && params["uri"].as_str() == Some(&self.uri);
            let is_newest = params["version"]
                .as_u64()
                .is_none_or(|it| it == self.version);
            if is_ours && is_newest {
                let diagnostics = params["diagnostics"].as_array();
                return (diagnostics.cloned().unwrap_or_default(), at);
            }
        }
    }

    /// Asks about a place of the document; returns the result and how long it took.
    pub fn ask(&mut self, method: &str, place: Option<(u32, u32)>) -> (Value, Duration) {
        let mut params = json!({ "textDocument": { "uri": self.uri } });
        if let Some((line, character)) = place {
            params["position"] = json!({ "line": line, "character": character });
        }
        let sent = Instant::now();
        let (result, at) = self.request(method, params);
        (result, at - sent)
    }

    /// The most memory that the server had at once, in KiB, where the system tells.
    pub fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// How many threads the server has, where the system tells.
    pub fn threads(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"))?;
        line.trim().parse().ok()
    }

    /// Says goodbye.
    pub fn finish(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.input = None;
        self.server.wait().expect("it was started");
    }

    fn request(&mut self, method: &str, params: Value) -> (Value, Instant) {
        self.try_request(method, params)
            .expect("the server answers")
    }

    /// `None` where the server is gone, or silent.
    fn try_request(&mut self, method: &str, params: Value) -> Option<(Value, Instant)> {
        self.last_id += 1;
        self.send(
            json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }),
        );
        loop {
            let (mut message, at) = self.next()?;
            if message.get("method").is_none() && message["id"] == self.last_id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return Some((message["result"].take(), at));
            }
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The next message that is no question; questions are answered with nothing.
    fn next(&mut self) -> Option<(Value, Instant)> {
        loop {
            let (message, at) = self.incoming.recv_timeout(PATIENCE).ok()?;
            if message.get("method").is_none() || message.get("id").is_none() {
                return Some((message, at));
            }
            self.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
    }

    fn send(&mut self, message: Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let input = self.input.as_mut().expect("it is open until the end");
        // A server that is gone does not answer, which whoever waits finds out.
        let _ = input.write_all(frame.as_bytes());
    }
}

fn introduction(root: &str) -> Value {
    json!({
        "processId": std::process::id(),
        "rootUri": root,
        "workspaceFolders": [{ "uri": root, "name": "measured" }],
        "capabilities": {
            "textDocument": {
                "publishDiagnostics": { "versionSupport": true, "relatedInformation": true },
                "hover": { "contentFormat": ["markdown", "plaintext"] },
                "completion": { "completionItem": { "snippetSupport": true } },
                "semanticTokens": {
                    "requests": { "full": true },
                    "tokenTypes": [],
                    "tokenModifiers": [],
                    "formats": ["relative"],
                },
            },
        },
    })
}

/// The body of the next message; `None` at the end.
fn read(output: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => {
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().ok()?;
                }
            }
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(body)
}
