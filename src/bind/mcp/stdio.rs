//! A server that is a process: started by the guard like any other, ended like any other.

use super::super::guard::message::Exit;
use super::super::process::{Launch, Process, Progress};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, DuplexStream};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::watch;

/// How much is held of what a server complains of.
const STDERR_BYTES: usize = 4 * 1024;

/// How much of what goes to a server is held before it is handed on.
const INPUT_BYTES: usize = 64 * 1024;

/// How long a server has to end by itself once nothing more comes.
const BY_ITSELF: Duration = Duration::from_millis(500);

/// A server's process, as far as its client needs to know.
pub struct Child {
    said: Arc<Mutex<Said>>,
    /// Its sender lives as long as the process.
    ended: watch::Receiver<()>,
}

#[derive(Default)]
struct Said {
    /// The last of its standard error.
    stderr: VecDeque<u8>,
    /// How it ended.
    end: Option<String>,
}

impl Child {
    /// Starts it; returns what it prints and where its input goes. It ends when that is dropped.
    ///
    /// # Errors
    ///
    /// The guard did not come up.
    pub async fn start(
        guard: &Path,
        launch: Launch<'_>,
    ) -> Result<(Self, ChildStdout, DuplexStream), String> {
        let process = Process::start(guard, launch).await;
        let mut process = process.map_err(|error| error.to_string())?;
        let output = process.stdout.take().ok_or("it has no standard output")?;
        let (input, to_process) = tokio::io::duplex(INPUT_BYTES);
        let said: Arc<Mutex<Said>> = Arc::default();
        let (alive, ended) = watch::channel(());
        let attending = attend(process, to_process, said.clone());
        tokio::spawn(async move {
            attending.await;
            drop(alive);
        });
        Ok((Self { said, ended }, output, input))
    }

    /// Waits until nothing is left of it.
    pub async fn ended(&self) {
        let mut ended = self.ended.clone();
        // Nothing is ever sent.
        while ended.changed().await.is_ok() {}
    }

    /// How it ended, if it did.
    pub fn end(&self) -> Option<String> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.end.clone()
    }

    /// The last line that it complained of.
    pub fn complaint(&self) -> Option<String> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let stderr = String::from_utf8_lossy(said.stderr.make_contiguous()).into_owned();
        let mut lines = stderr.lines().rev().map(str::trim);
        let line = lines.find(|line| !line.is_empty())?;
        Some(format!("it said: {line}"))
    }
}

/// Hands on what comes from `input`, reads what the process complains of, and sees it to its end: when it ends, or when
/// nobody writes to it any more.
async fn attend(mut process: Process, mut input: DuplexStream, said: Arc<Mutex<Said>>) {
    let mut complaints = Complaints {
        pipe: process.stderr.take(),
        chunk: vec![0; STDERR_BYTES],
        said: &said,
    };
    let mut pending = Vec::new();
    let mut is_over = false;
    while !is_over {
        tokio::select! {
            read = input.read_buf(&mut pending) => {
                if !matches!(read, Ok(1..)) {
                    break;
                }
                // Messages are lines.
                if let Some(end) = pending.iter().rposition(|byte| *byte == b'\n') {
                    let lines: Vec<u8> = pending.drain(..=end).collect();
                    process.write(String::from_utf8_lossy(&lines).into_owned()).await;
                }
            }
            () = complaints.hear() => {}
            progress = process.progress() => is_over = complaints.note(progress),
        }
    }
    process.close_stdin().await;
    let winding_down = async {
        while !is_over || complaints.pipe.is_some() {
            tokio::select! {
                () = complaints.hear() => {}
                progress = process.progress(), if !is_over => is_over = complaints.note(progress),
            }
        }
    };
    let _ = tokio::time::timeout(BY_ITSELF, winding_down).await;
    process.end().await;
    process.gone().await;
}

/// What a process complains of.
struct Complaints<'a> {
    pipe: Option<ChildStderr>,
    chunk: Vec<u8>,
    said: &'a Mutex<Said>,
}

impl Complaints<'_> {
    /// Reads some; never ends where there is no more. May be dropped and called again.
    async fn hear(&mut self) {
        let Some(pipe) = &mut self.pipe else {
            return std::future::pending().await;
        };
        match pipe.read(&mut self.chunk).await {
            Ok(length @ 1..) => {
                let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
                said.stderr.extend(&self.chunk[..length]);
                let excess = said.stderr.len().saturating_sub(STDERR_BYTES);
                said.stderr.drain(..excess);
            }
            _ => self.pipe = None,
        }
    }

    /// Notes how the process ended; returns whether it did.
    fn note(&self, progress: Progress) -> bool {
        let end = end_of(progress);
        let is_over = end.is_some();
        if is_over {
            self.said.lock().unwrap_or_else(PoisonError::into_inner).end = end;
        }
        is_over
    }
}

/// How a process ended, if it did.
fn end_of(progress: Progress) -> Option<String> {
    match progress {
        Progress::Started => None,
        Progress::Failed(why) => Some(why),
        Progress::Exited(Exit::Code(code)) => Some(format!("exit status {code}")),
        Progress::Exited(Exit::Signal(signal)) => Some(format!("killed by signal {signal}")),
        Progress::Gone => Some("its guard was ended".into()),
    }
}
