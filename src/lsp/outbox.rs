//! The one way out: everything that is sent passes through here, in the order in which it was put in.

use super::stdio::Output;
use super::uri::Spellings;
use super::{frame, packed};
use serde::Serialize;
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower_lsp::jsonrpc::Response;
use tower_lsp::ls_types::notification::Notification;

/// A client that has left this many bytes unread is taken to be gone.
const MAX_BACKLOG_BYTES: usize = 256 << 20;

/// Sends messages without waiting. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Outbox {
    messages: mpsc::UnboundedSender<Vec<u8>>,
    /// Where a sender may write itself.
    output: Option<Output>,
    backlog: Arc<AtomicUsize>,
    /// Held while a request is taken up, until its reply, if it has one already, is sent.
    replying: Arc<Mutex<()>>,
    spellings: Arc<Spellings>,
    gone: CancellationToken,
}

#[derive(Serialize)]
struct Notified<'a, P> {
    jsonrpc: &'a str,
    method: &'a str,
    params: P,
}

/// The other end of an [`Outbox`].
#[derive(Debug)]
pub struct Writer {
    messages: mpsc::UnboundedReceiver<Vec<u8>>,
    backlog: Arc<AtomicUsize>,
    gone: CancellationToken,
}

impl Outbox {
    /// An outbox and its writer; `output` is what the writer writes to, if that is standard output. `gone` is cancelled when nothing more can be sent.
    pub fn new(
        spellings: Arc<Spellings>,
        output: Option<Output>,
        gone: CancellationToken,
    ) -> (Self, Writer) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let backlog = Arc::new(AtomicUsize::new(0));
        let outbox = Self {
            messages: sender,
            output,
            backlog: backlog.clone(),
            replying: Arc::default(),
            spellings,
            gone: gone.clone(),
        };
        let writer = Writer {
            messages: receiver,
            backlog,
            gone,
        };
        (outbox, writer)
    }

    /// Sends a notification.
    pub fn notify<N: Notification>(&self, params: N::Params) {
        self.send(Notified {
            jsonrpc: "2.0",
            method: N::METHOD,
            params,
        });
    }

    /// Sends a notification that the protocol's types do not know.
    pub fn notify_value(&self, method: &str, params: Value) {
        self.send(Notified {
            jsonrpc: "2.0",
            method,
            params,
        });
    }

    /// Sends a message.
    pub fn send(&self, message: impl Serialize) {
        // What the protocol's types hold are maps with string keys: they become JSON without fail.
        let encoded = match self.spellings.is_empty() {
            true => frame::encode(&message),
            false => serde_json::to_value(message).and_then(|mut message| {
                self.spellings.restore(&mut message);
                frame::encode(&message)
            }),
        };
        if let Ok(bytes) = encoded {
            self.send_bytes(bytes);
        }
    }

    /// Sends the reply to a request.
    pub fn reply(&self, response: &Response) {
        let Some(result) = packed::unpack(response) else {
            return self.send(response);
        };
        if let Ok(id) = serde_json::to_string(response.id()) {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
            self.send_bytes(frame::with_header(body.as_bytes()));
        }
    }

    fn send_bytes(&self, bytes: Vec<u8>) {
        // What waits for the writer counts as backlog before anybody can see it waiting.
        let is_next = || self.backlog() == 0 && !self.messages.is_closed();
        let output = self.output.as_ref();
        if output.is_some_and(|output| output.write_now(&bytes, is_next)) {
            return;
        }
        let backlog = self.backlog.fetch_add(bytes.len(), Ordering::AcqRel);
        if backlog > MAX_BACKLOG_BYTES || self.messages.send(bytes).is_err() {
            self.gone.cancel();
        }
    }

    /// Takes up a request: what [`after_reply`](Self::after_reply) holds back waits until the guard is dropped.
    pub fn replying(&self) -> MutexGuard<'_, ()> {
        self.replying.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a task that a request has started: returns when the reply to that request, if it came at once, is sent, so
    /// that nothing of the task is heard before.
    pub fn after_reply(&self) {
        drop(self.replying());
    }

    /// Bytes that the client has not taken yet.
    pub fn backlog(&self) -> usize {
        self.backlog.load(Ordering::Acquire)
    }
}

impl Writer {
    /// Writes what is sent until a write fails, or until `closing` is cancelled and what was sent before is written.
    pub async fn run(mut self, mut write: impl AsyncWrite + Unpin, closing: CancellationToken) {
        loop {
            let bytes = tokio::select! {
                biased;
                () = closing.cancelled(), if !self.messages.is_closed() => {
                    self.messages.close();
                    continue;
                }
                bytes = self.messages.recv() => bytes,
            };
            let Some(bytes) = bytes else { return };
            let written = async {
                write.write_all(&bytes).await?;
                write.flush().await
            };
            if written.await.is_err() {
                self.gone.cancel();
                return;
            }
            self.backlog.fetch_sub(bytes.len(), Ordering::Release);
        }
    }
}
