//! The message loop.
//!
//! The library's own loop runs handlers concurrently, so that edits overtake each other, and ends its reading at the
//! first bad message. This one keeps what a session rests on:
//!
//! - Notifications are awaited where they stand: edits are applied in the order in which they came.
//! - A request is polled once before anything after it is read, so that the snapshot it takes is of its arrival; what
//!   is not answered then goes on beside the reading. `$/cancelRequest` is thereby seen at once.
//! - Every request gets one reply: also when its handler panics, its parameters are nonsense or its method unknown.
//! - No message ends the reading but `exit` and one that is too long.

use super::frame::{self, Frame, MAX_MESSAGE_BYTES};
use super::outbox::Outbox;
use super::uri::Spellings;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::{Sink, SinkExt, StreamExt};
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::io::AsyncBufRead;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError};
use tower_service::Service;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client had asked to shut down.
    AfterShutdown,
    /// It had not: it said `exit` without, is gone, or sent what cannot be read.
    Abrupt,
}

/// The library's service, whatever stands behind it.
pub trait Backend:
    Service<
        Request,
        Response = Option<Response>,
        Error = ExitedError,
        Future = BoxFuture<'static, Result<Option<Response>, ExitedError>>,
    >
{
}

impl<S> Backend for S where
    S: Service<
            Request,
            Response = Option<Response>,
            Error = ExitedError,
            Future = BoxFuture<'static, Result<Option<Response>, ExitedError>>,
        >
{
}

/// Serves until the client says `exit`, its messages end, or `gone` is cancelled. What requests are still at work then
/// is dropped.
///
/// It reads where it is polled, so that a message passes through no other thread on its way to its handler: it is given a
/// thread of its own, which reading may block.
pub async fn serve(
    mut reader: impl AsyncBufRead + Unpin,
    service: impl Backend,
    socket: ClientSocket,
    outbox: Outbox,
    spellings: Arc<Spellings>,
    gone: CancellationToken,
) -> End {
    let (mut requests, responses) = socket.split();
    let mut tasks = JoinSet::new();
    let to_client = outbox.clone();
    tasks.spawn(async move {
        while let Some(request) = requests.next().await {
            to_client.send(request);
        }
    });
    let mut transport = Transport {
        service,
        responses,
        outbox,
        tasks,
        has_shut_down: false,
        has_exited: false,
    };
    loop {
        let frame = tokio::select! {
            biased;
            () = gone.cancelled() => return End::Abrupt,
            frame = frame::read(&mut reader) => frame,
        };
        match frame {
            Frame::Message(bytes) => match frame::parse_json(&bytes) {
                Ok(mut message) => {
                    spellings.make_valid(&mut message);
                    transport.take(message).await;
                }
                Err(_) => transport.refuse(id_of(&bytes), ErrorCode::ParseError),
            },
            Frame::BadHeader => transport.refuse(Id::Null, ErrorCode::ParseError),
            Frame::TooLong(length) => {
                tracing::error!("a message of {length} bytes is longer than {MAX_MESSAGE_BYTES}");
                return End::Abrupt;
            }
            Frame::End => return transport.end(),
        }
        if transport.has_exited {
            return transport.end();
        }
        while transport.tasks.try_join_next().is_some() {}
    }
}

struct Transport<S, R> {
    service: S,
    responses: R,
    outbox: Outbox,
    /// Requests at work, and what carries ours to the client; dropped with the transport.
    tasks: JoinSet<()>,
    has_shut_down: bool,
    has_exited: bool,
}

impl<S: Backend, R: Sink<Response> + Unpin> Transport<S, R> {
    /// Takes one message.
    async fn take(&mut self, message: Value) {
        let Value::Object(mut members) = message else {
            // A batch too: LSP has none.
            return self.refuse(Id::Null, ErrorCode::InvalidRequest);
        };
        let id = members.remove("id").map(serde_json::from_value::<Id>);
        match (members.remove("method"), id) {
            (Some(Value::String(method)), None) => {
                let request = request(method, None, members.remove("params"));
                self.notification(request).await;
            }
            (Some(Value::String(method)), Some(Ok(id))) => {
                self.request(
                    id.clone(),
                    request(method, Some(id), members.remove("params")),
                );
            }
            (None, Some(Ok(id))) => {
                match outcome(members.remove("result"), members.remove("error")) {
                    Some(outcome) => {
                        // The sink only hands the response to whoever waits for it.
                        let _ = self.responses.send(Response::from_parts(id, outcome)).await;
                    }
                    None => self.refuse(id, ErrorCode::InvalidRequest),
                }
            }
            (_, Some(Ok(id))) => self.refuse(id, ErrorCode::InvalidRequest),
            (_, None | Some(Err(_))) => self.refuse(Id::Null, ErrorCode::InvalidRequest),
        }
    }

    async fn notification(&mut self, request: Request) {
        let method = request.method().to_owned();
        self.has_exited = method == "exit";
        let handled = AssertUnwindSafe(self.service.call(request)).catch_unwind();
        if handled.await.is_err() {
            log_panic(&method);
        }
    }

    fn request(&mut self, id: Id, request: Request) {
        let method = request.method().to_owned();
        tracing::debug!(%id, method, "asked");
        let outbox = self.outbox.clone();
        let handled = AssertUnwindSafe(self.service.call(request)).catch_unwind();
        let mut replied = Box::pin(handled.map(move |outcome| {
            let response = match outcome {
                Ok(Ok(Some(response))) => response,
                // The library leaves out the reply to what begins with `$/`.
                Ok(Ok(None)) => Response::from_error(id, Error::method_not_found()),
                Ok(Err(_exited)) => Response::from_error(id, Error::invalid_request()),
                Err(_panic) => {
                    log_panic(&method);
                    Response::from_error(id, Error::internal_error())
                }
            };
            let shut_down = method == "shutdown" && response.is_ok();
            outbox.reply(&response);
            shut_down
        }));
        let replying = self.outbox.replying();
        let at_once = (&mut replied).now_or_never();
        drop(replying);
        match at_once {
            Some(shut_down) => self.has_shut_down |= shut_down,
            None => {
                self.tasks.spawn(replied.map(|_| ()));
            }
        }
    }

    /// Answers a message that is none.
    fn refuse(&self, id: Id, code: ErrorCode) {
        tracing::warn!(code = code.code(), "a message was refused");
        self.outbox.send(Response::from_error(id, Error::new(code)));
    }

    fn end(&self) -> End {
        if self.has_shut_down {
            End::AfterShutdown
        } else {
            End::Abrupt
        }
    }
}

fn request(method: String, id: Option<Id>, params: Option<Value>) -> Request {
    // Some clients send `{}`, `[]` or null where the protocol has no parameters or an object, which the library would
    // refuse.
    let params = match method.as_str() {
        "shutdown" => None,
        "initialized" => Some(json!({})),
        "workspace/didChangeConfiguration" => {
            let settings = params.unwrap_or_default();
            let settings = settings.get("settings").cloned().unwrap_or_default();
            Some(json!({ "settings": settings }))
        }
        _ => params,
    };
    let mut request = Request::build(method);
    if let Some(id) = id {
        request = request.id(id);
    }
    if let Some(params) = params {
        request = request.params(params);
    }
    request.finish()
}

/// What a response of the client holds: an error, or else a result.
fn outcome(result: Option<Value>, error: Option<Value>) -> Option<Result<Value, Error>> {
    match (result, error.filter(|error| !error.is_null())) {
        (_, Some(error)) => {
            let code = error["code"].as_i64().map(ErrorCode::from);
            let mut outcome = Error::new(code.unwrap_or(ErrorCode::InternalError));
            if let Some(message) = error["message"].as_str() {
                outcome.message = message.to_owned().into();
            }
            Some(Err(outcome))
        }
        (Some(result), None) => Some(Ok(result)),
        (None, None) => None,
    }
}

/// The id in a message that cannot be read as a whole, such as one that is nested too deeply.
fn id_of(bytes: &[u8]) -> Id {
    #[derive(serde::Deserialize)]
    struct Envelope {
        id: Id,
    }
    serde_json::from_slice(bytes).map_or(Id::Null, |Envelope { id }| id)
}

/// Says which handler panicked; what it said may quote a document, and no log holds that.
fn log_panic(method: &str) {
    tracing::error!("internal error while answering {method}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::log::Log;
    use std::sync::Mutex;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
    use tokio::task::JoinHandle;
    use tower_lsp::jsonrpc::Result;
    use tower_lsp::ls_types::*;
    use tower_lsp::{Client, LanguageServer, LspService};
    use tracing::subscriber::DefaultGuard;
    use tracing_subscriber::util::SubscriberInitExt;

    /// A server that does what a handler should not.
    struct Careless {
        client: Client,
        changes: Mutex<Vec<i32>>,
    }

    impl LanguageServer for Careless {
        async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
            Ok(InitializeResult::default())
        }

        async fn shutdown(&self) -> Result<()> {
            Ok(())
        }

        async fn did_change(&self, params: DidChangeTextDocumentParams) {
            for _ in 0..params.text_document.version % 3 {
                tokio::task::yield_now().await;
            }
            let version = params.text_document.version;
            self.changes.lock().unwrap().push(version);
        }

        async fn did_save(&self, _: DidSaveTextDocumentParams) {
            panic!("careless");
        }

        async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
            let line = params.text_document_position_params.position.line;
            if line > 0 {
                tokio::task::yield_now().await;
            }
            panic!("careless");
        }

        async fn goto_definition(
            &self,
            _: GotoDefinitionParams,
        ) -> Result<Option<GotoDefinitionResponse>> {
            std::future::pending().await
        }

        /// Waits for the client, which is slow.
        async fn document_link(&self, _: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
            let _ = self.client.configuration(Vec::new()).await;
            Ok(None)
        }

        /// The versions so far, as lines.
        async fn folding_range(&self, _: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
            let versions = self.changes.lock().unwrap().clone();
            let range = |version: &i32| FoldingRange {
                start_line: *version as u32,
                ..FoldingRange::default()
            };
            Ok(Some(versions.iter().map(range).collect()))
        }
    }

    struct Session {
        read: ReadHalf<DuplexStream>,
        write: WriteHalf<DuplexStream>,
        served: JoinHandle<End>,
        _log: DefaultGuard,
    }

    impl Session {
        async fn start() -> Self {
            let (ours, theirs) = tokio::io::duplex(1 << 20);
            let (read, write) = tokio::io::split(theirs);
            let gone = CancellationToken::new();
            let spellings = Arc::default();
            let (outbox, writer) = Outbox::new(Arc::clone(&spellings), None, gone.clone());
            tokio::spawn(writer.run(write, CancellationToken::new()));
            let log = Log::default();
            log.connect(&outbox);
            let (service, socket) = LspService::new(|client| Careless {
                client,
                changes: Mutex::default(),
            });
            let reader = tokio::io::BufReader::new(read);
            let served = tokio::spawn(serve(reader, service, socket, outbox, spellings, gone));
            let (read, write) = tokio::io::split(ours);
            let mut session = Self {
                read,
                write,
                served,
                // Of this thread alone, which is all that a test has.
                _log: log.subscriber(None).set_default(),
            };
            session
                .send(json!({ "id": 0, "method": "initialize", "params": { "capabilities": {} } }))
                .await;
            session.read().await;
            session
        }

        async fn send(&mut self, message: Value) {
            let bytes = frame::encode(&message).unwrap();
            self.write.write_all(&bytes).await.unwrap();
        }

        async fn request(&mut self, id: u32, method: &str) {
            let params = json!({
                "textDocument": { "uri": "file:///a" },
                "position": { "line": id, "character": 0 },
            });
            self.send(json!({ "id": id, "method": method, "params": params }))
                .await;
        }

        async fn read(&mut self) -> Value {
            let mut header = Vec::new();
            while !header.ends_with(b"\r\n\r\n") {
                header.push(self.read.read_u8().await.unwrap());
            }
            let header = String::from_utf8(header).unwrap();
            let length = header.trim().strip_prefix("Content-Length: ").unwrap();
            let mut body = vec![0; length.parse().unwrap()];
            self.read.read_exact(&mut body).await.unwrap();
            serde_json::from_slice(&body).unwrap()
        }

        async fn end(mut self) {
            self.send(json!({ "id": "end", "method": "shutdown" }))
                .await;
            assert_eq!(self.read().await["id"], "end");
            self.send(json!({ "method": "exit" })).await;
            assert_eq!(self.served.await.unwrap(), End::AfterShutdown);
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_error_reply_and_a_line_in_the_log() {
        let mut session = Session::start().await;
        // At once, and after the reading has gone on.
        for id in [0, 1] {
            session.request(id, "textDocument/hover").await;
            let log = session.read().await;
            assert_eq!(log["method"], "window/logMessage");
            let message = "internal error while answering textDocument/hover";
            assert_eq!(log["params"]["message"], message);
            let reply = session.read().await;
            assert_eq!(
                (&reply["id"], &reply["error"]["code"]),
                (&json!(id), &json!(-32603))
            );
        }
        session
            .send(json!({
                "method": "textDocument/didSave",
                "params": { "textDocument": { "uri": "file:///a" } },
            }))
            .await;
        assert_eq!(session.read().await["method"], "window/logMessage");
        session.end().await;
    }

    #[tokio::test]
    async fn notifications_are_taken_in_order_and_a_request_sees_those_before_it() {
        let mut session = Session::start().await;
        for version in 0..200 {
            session
                .send(json!({
                    "method": "textDocument/didChange",
                    "params": {
                        "textDocument": { "uri": "file:///a", "version": version },
                        "contentChanges": [],
                    },
                }))
                .await;
        }
        session.request(1, "textDocument/foldingRange").await;
        let reply = session.read().await;
        let ranges = reply["result"].as_array().unwrap().iter();
        let versions: Vec<_> = ranges.map(|it| it["startLine"].as_u64().unwrap()).collect();
        assert_eq!(versions, (0..200).collect::<Vec<_>>());
        session.end().await;
    }

    #[tokio::test]
    async fn a_cancel_is_seen_however_many_requests_wait() {
        let mut session = Session::start().await;
        for id in 1..=200 {
            session.request(id, "textDocument/definition").await;
        }
        session
            .send(json!({ "method": "$/cancelRequest", "params": { "id": 200 } }))
            .await;
        let reply = session.read().await;
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(200), &json!(-32800))
        );
        session.end().await;
    }

    #[tokio::test]
    async fn a_client_that_is_slow_to_answer_holds_nothing_up() {
        let mut session = Session::start().await;
        for id in 1..=200 {
            session.request(id, "textDocument/documentLink").await;
        }
        let mut asked = Vec::new();
        for _ in 1..=200 {
            let question = session.read().await;
            assert_eq!(question["method"], "workspace/configuration");
            asked.push(question["id"].clone());
        }
        session.request(201, "textDocument/foldingRange").await;
        assert_eq!(session.read().await["id"], 201);
        for id in asked {
            session.send(json!({ "id": id, "result": [] })).await;
        }
        let mut answered = Vec::new();
        for _ in 1..=200 {
            answered.push(session.read().await["id"].as_u64().unwrap());
        }
        answered.sort_unstable();
        assert_eq!(answered, (1..=200).collect::<Vec<_>>());
        session.end().await;
    }
}
