//! Standard input and output of this process, without detours.
//!
//! The runtime's own hand each piece to a pool of threads and back, which costs a person more than most answers do. Here
//! a reader and a writer block the thread that they are polled on, so each of them is given a thread of its own.

use std::fs::File;
use std::io::{Read, Result, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A file whose reading and writing block the thread.
#[derive(Debug)]
pub struct Blocking(File);

/// Standard input and output, without the buffers that the library puts around them.
///
/// # Errors
///
/// One of them is closed.
#[cfg(unix)]
pub fn streams() -> Result<(Blocking, Blocking)> {
    use std::os::fd::AsFd;
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    Ok((Blocking(input.into()), Blocking(output.into())))
}

/// Standard input and output, without the buffers that the library puts around them.
///
/// # Errors
///
/// One of them is closed.
#[cfg(windows)]
pub fn streams() -> Result<(Blocking, Blocking)> {
    use std::os::windows::io::AsHandle;
    let input = std::io::stdin().as_handle().try_clone_to_owned()?;
    let output = std::io::stdout().as_handle().try_clone_to_owned()?;
    Ok((Blocking(input.into()), Blocking(output.into())))
}

impl AsyncRead for Blocking {
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

impl AsyncWrite for Blocking {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        Poll::Ready(loop {
            match self.0.write(bytes) {
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
