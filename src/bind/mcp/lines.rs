//! The messages of a server as lines; word of one that is too long, for who waits for its answer would wait in vain: it
//! is skipped; and what a program said that is no server at all.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;

/// Passes on what is read and measures its lines.
pub struct Lines<R> {
    inner: R,
    /// The most bytes of a line that is read as a message.
    longest: usize,
    /// How much there was of the current line so far.
    length: usize,
    /// Whether nothing but blank lines came so far.
    is_first: bool,
    heard: Arc<Shared>,
}

/// The most bytes that are kept of the first line.
const FIRST_BYTES: usize = 200;

#[derive(Default)]
struct Shared {
    too_long: Notify,
    /// The beginning of the first line that is not blank.
    first: Mutex<Vec<u8>>,
}

/// What is odd about the lines.
pub struct Odd(Arc<Shared>);

impl Odd {
    /// Waits for the next line that is too long.
    pub async fn too_long(&self) {
        self.0.too_long.notified().await;
    }

    /// The first line, if it can be no message.
    pub fn no_message(&self) -> Option<String> {
        let first = self.0.first.lock().unwrap_or_else(PoisonError::into_inner);
        let first = String::from_utf8_lossy(&first);
        let first = first.trim();
        (!first.is_empty() && !first.starts_with('{')).then(|| first.to_owned())
    }
}

impl<R> Lines<R> {
    /// Measures what comes from `inner`; a line may have `longest` bytes.
    pub fn new(inner: R, longest: usize) -> (Self, Odd) {
        let heard: Arc<Shared> = Arc::default();
        let lines = Self {
            inner,
            longest,
            length: 0,
            is_first: true,
            heard: heard.clone(),
        };
        (lines, Odd(heard))
    }

    fn measure(&mut self, bytes: &[u8]) {
        if self.is_first {
            self.keep(bytes);
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let was_too_long = self.length > self.longest;
            self.length += part.len();
            if self.length > self.longest && !was_too_long {
                self.heard.too_long.notify_waiters();
            }
            if part.ends_with(b"\n") {
                self.length = 0;
            }
        }
    }
}

impl<R> Lines<R> {
    /// Keeps what `bytes` has of the first line.
    fn keep(&mut self, bytes: &[u8]) {
        let mut first = self
            .heard
            .first
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for byte in bytes {
            let is_blank = first.is_empty() && byte.is_ascii_whitespace();
            if *byte == b'\n' && !first.is_empty() || first.len() == FIRST_BYTES {
                self.is_first = false;
                return;
            }
            if !is_blank {
                first.push(*byte);
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.measure(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn each_line_that_is_too_long_is_told_once() {
        for (text, told) in [
            ("ab\nabc\n\n", 0),
            ("abcd\n", 1),
            ("abcdefgh", 1),
            ("abcd\nab\nabcdefgh\nabc", 2),
        ] {
            let (mut lines, odd) = Lines::new(tokio::io::empty(), 4);
            let mut times = 0;
            // However it is divided.
            for byte in text.bytes() {
                let another = odd.too_long();
                tokio::pin!(another);
                let mut nothing = [0];
                assert!(futures_util::poll!(&mut another).is_pending());
                lines.measure(&[byte]);
                assert_eq!(lines.read(&mut nothing).await.unwrap(), 0);
                times += usize::from(futures_util::poll!(&mut another).is_ready());
            }
            assert_eq!(times, told, "{text}");
            let (mut lines, odd) = Lines::new(text.as_bytes(), 4);
            let another = odd.too_long();
            tokio::pin!(another);
            assert!(futures_util::poll!(&mut another).is_pending());
            let mut read = String::new();
            lines.read_to_string(&mut read).await.unwrap();
            assert_eq!(read, text);
            assert_eq!(futures_util::poll!(&mut another).is_ready(), told > 0);
        }
    }

    #[tokio::test]
    async fn what_is_no_message_is_known_by_its_first_line() {
        let long = "x".repeat(1_000);
        for (text, expected) in [
            ("", None),
            ("\n \n", None),
            ("\n  Usage: server\nmore\n", Some("Usage: server")),
            (" {\"id\":1}\nnot this\n", None),
            (&long, Some(&long[..FIRST_BYTES])),
        ] {
            // However it is divided.
            for size in [1, 3, 2_000] {
                let (mut lines, odd) = Lines::new(tokio::io::empty(), 4);
                text.as_bytes()
                    .chunks(size)
                    .for_each(|bytes| lines.measure(bytes));
                assert_eq!(odd.no_message().as_deref(), expected, "{text}");
            }
        }
    }
}
