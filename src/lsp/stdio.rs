//! Standard input and output of this process, without detours.
//!
//! The runtime's own hand each piece to a pool of threads and back, which costs a person more than most answers do. Here
//! they block the thread that they are polled on, so whoever reads or writes is given a thread of its own. And a short
//! message need not wait for the one that writes: its sender writes it, where the client can take it at once.

use std::fs::File;
use std::io::{Read, Result, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Standard input.
#[derive(Debug)]
pub struct Input(File);

/// Standard output, shared by those who write.
#[derive(Clone, Debug)]
pub struct Output(Arc<Mutex<File>>);

/// Standard input and output, without the buffers that the library puts around them.
///
/// # Errors
///
/// One of them is closed.
#[cfg(unix)]
pub fn streams() -> Result<(Input, Output)> {
    use std::os::fd::AsFd;
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok((Input(input.into()), Output::new(output.into())))
}

/// Standard input and output, without the buffers that the library puts around them.
///
/// # Errors
///
/// One of them is closed.
#[cfg(windows)]
pub fn streams() -> Result<(Input, Output)> {
    use std::os::windows::io::AsHandle;
    let input = std::io::stdin().as_handle().try_clone_to_owned()?;
    let output = std::io::stdout().as_handle().try_clone_to_owned()?;
    Ok((Input(input.into()), Output::new(output.into())))
}

/// What a pipe or socket that is ready takes without blocking: the `PIPE_BUF` of Linux.
#[cfg(unix)]
const TAKEN_AT_ONCE: usize = 4096;

impl Output {
    fn new(file: File) -> Self {
        Self(Arc::new(Mutex::new(file)))
    }

    /// Writes `bytes` if the client takes them at once, and `is_next` says, with everybody else held off, that nothing
    /// goes before them. Returns whether they are written.
    #[cfg(unix)]
    pub fn write_now(&self, bytes: &[u8], is_next: impl FnOnce() -> bool) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        if bytes.len() > TAKEN_AT_ONCE {
            return false;
        }
        // Whoever holds it goes before them.
        let Ok(mut file) = self.0.try_lock() else {
            return false;
        };
        let mut ready = [PollFd::new(&*file, PollFlags::OUT)];
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let is_ready =
            poll(&mut ready, Some(&at_once)) == Ok(1) && ready[0].revents() == PollFlags::OUT;
        is_ready && is_next() && file.write_all(bytes).is_ok()
    }

    /// Here nobody can ask whether the client takes them at once.
    #[cfg(not(unix))]
    pub fn write_now(&self, _: &[u8], _: impl FnOnce() -> bool) -> bool {
        false
    }

    fn file(&self) -> MutexGuard<'_, File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let read = loop {
            match self.0.read(buffer.initialize_unfilled()) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        buffer.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Poll::Ready(loop {
            match self.file().write(bytes) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        })
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_sender_writes_what_is_short_and_next_and_taken_at_once() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let output = Output::new(std::os::fd::OwnedFd::from(writer).into());
        assert!(!output.write_now(b"not next", || false));
        assert!(!output.write_now(&[0; TAKEN_AT_ONCE + 1], || true));
        let held = output.clone();
        let held = held.file();
        assert!(!output.write_now(b"somebody writes", || true));
        drop(held);
        assert!(output.write_now(b"now", || true));
        let mut read = [0; 16];
        assert_eq!(reader.read(&mut read).unwrap(), 3);
        // Until the pipe is full; then it says so instead of waiting.
        let written = (0..1_000).take_while(|_| output.write_now(&[0; TAKEN_AT_ONCE], || true));
        assert!((1..1_000).contains(&written.count()));
        drop(reader);
        assert!(!output.write_now(b"nobody reads", || true));
    }
}
