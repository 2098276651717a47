//! A tool's process as loopls sees it: through the guard that started it.

use super::guard::message::{Exit, Start};
use std::ffi::OsString;
use std::path::Path;
use tokio::process::{ChildStderr, ChildStdout};

/// Why there is no process.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The guard itself could not be started or spoken to.
    #[error("the guard of the process could not be started: {0}")]
    #[cfg_attr(not(unix), allow(dead_code))]
    Guard(#[from] std::io::Error),
    /// This system has no guard yet.
    #[error("processes are not supported on this system yet")]
    #[cfg_attr(unix, allow(dead_code))]
    Unsupported,
}

/// What the guard reported next.
#[derive(Debug)]
pub enum Progress {
    /// The process runs.
    Started,
    /// The process could not be started, which this says why.
    Failed(String),
    /// The first process ended. Its output may not be read to the end yet, and others may live on.
    Exited(Exit),
    /// The guard is gone, and with it whatever it guarded.
    Gone,
}

/// A process, its pipes, and the line to its guard. Dropping it ends the process and whatever came of it, within
/// about a second and without waiting for it.
pub struct Process {
    /// What it prints; `None` once taken.
    pub stdout: Option<ChildStdout>,
    /// What it complains of; `None` once taken.
    pub stderr: Option<ChildStderr>,
    #[cfg(unix)]
    line: unix::Line,
}

/// A process that is to be started.
pub struct Launch<'a> {
    /// Absolute path of the program.
    pub program: &'a Path,
    /// The arguments after it.
    pub arguments: Vec<String>,
    /// Absolute path of the working directory.
    pub directory: &'a Path,
    /// The whole environment.
    pub environment: Vec<(String, String)>,
    /// How long it may take to end after it was told to, in milliseconds.
    pub drain: u64,
}

impl Launch<'_> {
    fn start(self) -> Start {
        Start {
            program: OsString::from(self.program),
            arguments: self.arguments,
            directory: OsString::from(self.directory),
            environment: self.environment,
            drain: self.drain,
        }
    }
}

#[cfg(unix)]
mod unix {
    use super::{Launch, Path, Process, Progress, StartError};
    use crate::bind::guard;
    use crate::bind::guard::message::{Order, Report, line};
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::fd::OwnedFd;
    use std::process::Stdio;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
    use tokio::net::UnixStream;
    use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
    use tokio::process::{Child, Command};

    /// The line to a guard. The guard ends everything when `orders` is dropped.
    pub struct Line {
        guard: Child,
        /// The process group, while its leader is known to be there or unreaped.
        group: Option<Pid>,
        orders: OwnedWriteHalf,
        reports: Lines<BufReader<OwnedReadHalf>>,
    }

    impl Process {
        /// Starts `guard` and has it start `launch`; whether that worked is its first [`Progress`].
        ///
        /// # Errors
        ///
        /// The guard did not come up.
        pub async fn start(guard: &Path, launch: Launch<'_>) -> Result<Self, StartError> {
            let (ours, its) = std::os::unix::net::UnixStream::pair()?;
            ours.set_nonblocking(true)?;
            // The command is dropped at once: the guard alone must hold its end of the socket.
            let mut guard = Command::new(guard)
                .arg(guard::ARGUMENT)
                .stdin(Stdio::from(OwnedFd::from(its)))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            let (reports, orders) = UnixStream::from_std(ours)?.into_split();
            let mut process = Self {
                stdout: guard.stdout.take(),
                stderr: guard.stderr.take(),
                line: Line {
                    guard,
                    group: None,
                    orders,
                    reports: BufReader::new(reports).lines(),
                },
            };
            let start = line(&Order::Start(launch.start()))?;
            process.line.orders.write_all(&start).await?;
            Ok(process)
        }

        /// Sends `text` to standard input. It is held until the process reads it.
        pub async fn write(&mut self, text: String) {
            self.order(&Order::Stdin(text)).await;
        }

        /// Closes standard input, after what was written to it.
        pub async fn close_stdin(&mut self) {
            self.order(&Order::CloseStdin).await;
        }

        /// Tells the process and all that came of it to end.
        pub async fn end(&mut self) {
            self.order(&Order::End).await;
        }

        async fn order(&mut self, order: &Order) {
            // Fails only when the guard is gone, which `progress` tells.
            if let Ok(line) = line(order) {
                let _ = self.line.orders.write_all(&line).await;
            }
        }

        /// What happens next. May be dropped and called again.
        pub async fn progress(&mut self) -> Progress {
            let report = match self.line.reports.next_line().await {
                Ok(Some(line)) => serde_json::from_str(&line).ok(),
                _ => None,
            };
            match report {
                Some(Report::Started(group)) => {
                    self.line.group = Pid::from_raw(group);
                    Progress::Started
                }
                Some(Report::Failed(reason)) => Progress::Failed(reason),
                Some(Report::Exited(exit)) => {
                    self.line.group = None;
                    Progress::Exited(exit)
                }
                None => {
                    // Somebody killed the guard. What it guarded is not left alone, as far as it can still be known.
                    if let Some(group) = self.line.group.take() {
                        let _ = kill_process_group(group, Signal::KILL);
                    }
                    Progress::Gone
                }
            }
        }

        /// Waits until everything is over. What is still printed is not read.
        pub async fn gone(mut self) {
            drop((self.stdout.take(), self.stderr.take()));
            let _ = self.line.guard.wait().await;
        }
    }
}

#[cfg(not(unix))]
impl Process {
    /// Refuses.
    ///
    /// # Errors
    ///
    /// Always.
    pub async fn start(_guard: &Path, launch: Launch<'_>) -> Result<Self, StartError> {
        let _ = launch.start();
        Err(StartError::Unsupported)
    }

    /// Does nothing; there is no such process.
    pub async fn write(&mut self, _text: String) {}

    /// Does nothing; there is no such process.
    pub async fn close_stdin(&mut self) {}

    /// Does nothing; there is no such process.
    pub async fn end(&mut self) {}

    /// There is no such process.
    pub async fn progress(&mut self) -> Progress {
        Progress::Gone
    }

    /// There is no such process.
    pub async fn gone(self) {}
}
