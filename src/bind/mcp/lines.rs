//! The messages of a server as lines, and word of one that is too long: who waits for its answer would wait in vain,
//! for it is skipped.

use std::pin::Pin;
use std::sync::Arc;
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
    too_long: Arc<Notify>,
}

/// Tells of lines that are too long.
pub struct TooLong(Arc<Notify>);

impl TooLong {
    /// Waits for the next one.
    pub async fn another(&self) {
        self.0.notified().await;
    }
}

impl<R> Lines<R> {
    /// Measures what comes from `inner`; a line may have `longest` bytes.
    pub fn new(inner: R, longest: usize) -> (Self, TooLong) {
        let too_long = Arc::new(Notify::new());
        let lines = Self {
            inner,
            longest,
            length: 0,
            too_long: too_long.clone(),
        };
        (lines, TooLong(too_long))
    }

    fn measure(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let was_too_long = self.length > self.longest;
            self.length += part.len();
            if self.length > self.longest && !was_too_long {
                self.too_long.notify_waiters();
            }
            if part.ends_with(b"\n") {
                self.length = 0;
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
            let (mut lines, too_long) = Lines::new(tokio::io::empty(), 4);
            let mut times = 0;
            // However it is divided.
            for byte in text.bytes() {
                let another = too_long.another();
                tokio::pin!(another);
                let mut nothing = [0];
                assert!(futures_util::poll!(&mut another).is_pending());
                lines.measure(&[byte]);
                assert_eq!(lines.read(&mut nothing).await.unwrap(), 0);
                times += usize::from(futures_util::poll!(&mut another).is_ready());
            }
            assert_eq!(times, told, "{text}");
            let (mut lines, too_long) = Lines::new(text.as_bytes(), 4);
            let another = too_long.another();
            tokio::pin!(another);
            assert!(futures_util::poll!(&mut another).is_pending());
            let mut read = String::new();
            lines.read_to_string(&mut read).await.unwrap();
            assert_eq!(read, text);
            assert_eq!(futures_util::poll!(&mut another).is_ready(), told > 0);
        }
    }
}
