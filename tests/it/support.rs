//! A client of the language server that notices what a person's editor would not.
//!
//! Every message of the server has to be read: a test that ends while one is left fails, for a message that nobody
//! expected is a fault too. [`Client::allow`] names what may come at any time.

use loopls::lsp::{self, End, Machine};
use serde_json::{Value, json};
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
};
use tokio::sync::{Mutex, OwnedMutexGuard, mpsc};
use tokio::task::JoinHandle;

/// No test measures time; what has not come after this long does not come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with its connection.
pub struct Client {
    write: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    incoming: mpsc::UnboundedReceiver<Value>,
    /// Held while a message that was read is handed on.
    handing_on: Arc<Mutex<()>>,
    /// Read, and not asked for yet.
    waiting: VecDeque<Value>,
    /// Methods whose messages may be left unread.
    allowed: HashSet<String>,
    next_id: i64,
    /// What the server answered to `initialize`.
    pub server: Value,
    serving: Option<JoinHandle<End>>,
    /// The user's state, for this client alone.
    _state: tempfile::TempDir,
}

impl Client {
    /// A client of a server in this process, before it has said anything.
    pub fn connect() -> Self {
        let state = tempfile::tempdir().unwrap();
        let machine = Machine {
            guard: env!("CARGO_BIN_EXE_loopls").into(),
            state_folder: Some(state.path().join("loopls")),
            environment: std::env::vars().collect(),
        };
        let (client, server) = tokio::io::duplex(64 << 10);
        let (server_read, server_write) = tokio::io::split(server);
        let serving = tokio::spawn(lsp::serve(server_read, server_write, machine));
        let (read, write) = tokio::io::split::<DuplexStream>(client);
        let mut client = Self::over(read, write, state);
        client.serving = Some(serving);
        client
    }

    /// A client over any two streams.
    pub fn over(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        state: tempfile::TempDir,
    ) -> Self {
        let (sender, incoming) = mpsc::unbounded_channel();
        let handing_on: Arc<Mutex<()>> = Arc::default();
        let hand = handing_on.clone();
        tokio::spawn(async move {
            let mut read = BufReader::new(read);
            while let Some(message) = read_message(&mut read).await {
                let _hand = hand.lock().await;
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            write: Some(Box::new(write)),
            incoming,
            handing_on,
            waiting: VecDeque::new(),
            allowed: HashSet::new(),
            next_id: 0,
            server: Value::Null,
            serving: None,
            _state: state,
        }
    }

    /// A client that has introduced itself with these capabilities, to a server that trusts.
    pub async fn start(capabilities: Value) -> Self {
        let mut client = Self::connect();
        client
            .introduce(capabilities, json!({ "trust": "trusted" }))
            .await;
        client
    }

    /// Introduces itself.
    pub async fn introduce(&mut self, capabilities: Value, options: Value) {
        let params = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": options,
        });
        self.server = self.call("initialize", params).await;
        self.notify("initialized", json!({})).await;
    }

    /// Lets messages of this method be left unread.
    pub fn allow(mut self, method: &str) -> Self {
        self.allowed.insert(method.to_owned());
        self
    }

    /// Reads nothing more, but for what a pipe holds, until what this returns is dropped.
    pub async fn stop_reading(&self) -> OwnedMutexGuard<()> {
        self.handing_on.clone().lock_owned().await
    }

    /// Writes bytes as they are.
    pub async fn write(&mut self, bytes: &[u8]) {
        let write = self.write.as_mut().expect("input is open");
        write.write_all(bytes).await.unwrap();
        write.flush().await.unwrap();
    }

    /// Ends the server's input.
    pub async fn close_input(&mut self) {
        if let Some(mut write) = self.write.take() {
            write.shutdown().await.unwrap();
        }
    }

    /// Sends a message that need not be JSON.
    pub async fn send_text(&mut self, text: &str) {
        let frame = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.write(frame.as_bytes()).await;
    }

    /// Sends a message.
    pub async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    /// Sends a request; returns its id.
    pub async fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// The reply to a request: its result, or its error.
    pub async fn reply(&mut self, id: impl Into<Value>) -> Result<Value, Value> {
        let id = id.into();
        let mut reply = self
            .take(|message| message.get("method").is_none() && message["id"] == id)
            .await;
        match reply.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(reply["result"].take()),
        }
    }

    /// Sends a request and waits for its result.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        self.reply(id)
            .await
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Sends a request and waits for the code of its error.
    pub async fn error_code(&mut self, method: &str, params: Value) -> i64 {
        let id = self.request(method, params).await;
        let error = self.reply(id).await.expect_err(method);
        error["code"].as_i64().unwrap()
    }

    /// The parameters of the next notification of this method.
    pub async fn notification(&mut self, method: &str) -> Value {
        self.take(|message| message["method"] == method && message.get("id").is_none())
            .await["params"]
            .take()
    }

    /// The id and the parameters of the server's next request of this method.
    pub async fn question(&mut self, method: &str) -> (Value, Value) {
        let mut message = self
            .take(|message| message["method"] == method && message.get("id").is_some())
            .await;
        (message["id"].take(), message["params"].take())
    }

    /// Answers a request of the server.
    pub async fn answer(&mut self, id: Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
            .await;
    }

    /// The first message that fits; those before it wait their turn.
    pub async fn take(&mut self, mut fits: impl FnMut(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&mut fits) {
            return self.waiting.remove(at).unwrap();
        }
        loop {
            let next = tokio::time::timeout(PATIENCE, self.incoming.recv()).await;
            match next {
                Ok(Some(message)) if fits(&message) => return message,
                Ok(Some(message)) => self.waiting.push_back(message),
                Ok(None) => panic!("the server is gone; unread: {:#?}", self.waiting),
                Err(_) => panic!("nothing came; unread: {:#?}", self.waiting),
            }
        }
    }

    /// Runs a command.
    pub async fn command(&mut self, command: &str, argument: Value) -> Value {
        self.call(
            "workspace/executeCommand",
            command_params(command, argument),
        )
        .await
    }

    /// Opens a document.
    pub async fn open(&mut self, uri: &str, version: i32, text: &str) {
        self.open_as(uri, "loop-toml", version, text).await;
    }

    /// Opens a document of another language.
    pub async fn open_as(&mut self, uri: &str, language_id: &str, version: i32, text: &str) {
        let document =
            json!({ "uri": uri, "languageId": language_id, "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
    }

    /// Changes a document.
    pub async fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let params = json!({
            "textDocument": { "uri": uri, "version": version },
            "contentChanges": changes,
        });
        self.notify("textDocument/didChange", params).await;
    }

    /// Replaces a document's text.
    pub async fn replace(&mut self, uri: &str, version: i32, text: &str) {
        self.change(uri, version, json!([{ "text": text }])).await;
    }

    /// Closes a document.
    pub async fn close(&mut self, uri: &str) {
        let params = json!({ "textDocument": { "uri": uri } });
        self.notify("textDocument/didClose", params).await;
    }

    /// Waits for the diagnostics of a version; those of versions before it are read over.
    pub async fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        loop {
            let mut published = self
                .take(|message| {
                    message["method"] == "textDocument/publishDiagnostics"
                        && message["params"]["uri"] == uri
                })
                .await;
            let params = published["params"].take();
            let of = params["version"]
                .as_i64()
                .expect("an open document's version");
            assert!(of <= i64::from(version), "of a version to come: {params}");
            if of == i64::from(version) {
                return params["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    /// Waits until a document's diagnostics are cleared.
    pub async fn cleared(&mut self, uri: &str) {
        loop {
            let published = self.notification("textDocument/publishDiagnostics").await;
            assert_eq!(published["uri"], uri);
            if published.get("version").is_none() {
                assert_eq!(published["diagnostics"], json!([]));
                return;
            }
        }
    }

    /// A hover's text, or null.
    pub async fn hover(&mut self, uri: &str, line: u32, character: u32) -> Value {
        self.call("textDocument/hover", position_params(uri, line, character))
            .await
    }

    /// Says goodbye, and expects that nothing was left to say.
    pub async fn finish(mut self) {
        self.call("shutdown", Value::Null).await;
        self.notify("exit", Value::Null).await;
        assert_eq!(self.end().await, End::AfterShutdown);
        self.expect_nothing_left().await;
    }

    /// Waits for the end of the server in this process.
    pub async fn end(&mut self) -> End {
        let serving = self.serving.take().expect("it is served in this process");
        tokio::time::timeout(PATIENCE, serving)
            .await
            .expect("the server ends")
            .expect("the server does not panic")
    }

    /// Reads to the end; returns what was left.
    pub async fn rest(&mut self) -> Vec<Value> {
        while let Some(message) = tokio::time::timeout(PATIENCE, self.incoming.recv())
            .await
            .expect("the server closes its output")
        {
            self.waiting.push_back(message);
        }
        self.waiting.drain(..).collect()
    }

    /// Reads to the end, and fails if there was anything.
    pub async fn expect_nothing_left(mut self) {
        self.waiting = self.rest().await.into();
        let allowed = std::mem::take(&mut self.allowed);
        self.waiting
            .retain(|message| !allowed.contains(message["method"].as_str().unwrap_or_default()));
        assert!(self.waiting.is_empty(), "unread: {:#?}", self.waiting);
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        assert!(
            self.waiting.is_empty() || std::thread::panicking(),
            "unread: {:#?}",
            self.waiting
        );
    }
}

/// The parameters of `workspace/executeCommand`.
pub fn command_params(command: &str, argument: Value) -> Value {
    json!({ "command": command, "arguments": [argument] })
}

/// The parameters of a request about a place.
pub fn position_params(uri: &str, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": uri },
        "position": { "line": line, "character": character },
    })
}

/// A change of one place.
pub fn edit(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
    let position = |(line, character)| json!({ "line": line, "character": character });
    json!({ "range": { "start": position(start), "end": position(end) }, "text": text })
}

/// The `file:` URI of a path.
pub fn file_uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Reads a message; `None` at the end.
async fn read_message(read: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if read.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => {
                let value = line
                    .strip_prefix("Content-Length: ")
                    .unwrap_or_else(|| panic!("no header of ours: {line:?}"));
                length = Some(value.parse().unwrap());
            }
        }
    }
    let mut body = vec![0; length.expect("a length")];
    read.read_exact(&mut body).await.ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// A folder with files in it.
pub fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    for (name, text) in files {
        let path = path.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    (folder, path)
}
