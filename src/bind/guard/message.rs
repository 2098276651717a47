//! What loopls and a guard say to each other: one JSON value a line.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;

/// What loopls tells the guard.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Start this; the first order, once.
    Start(Start),
    /// More of the tool's standard input.
    Stdin(String),
    /// The tool's standard input is over.
    CloseStdin,
    /// End the tool and whatever came of it.
    End,
}

/// What is to be started.
#[derive(Debug, Serialize, Deserialize)]
pub struct Start {
    /// Absolute path of the program; it becomes the zeroth argument as well, so that a program which looks for
    /// itself on `PATH` does not find another.
    pub program: OsString,
    /// The arguments after it.
    pub arguments: Vec<String>,
    /// Absolute path of the working directory.
    pub directory: OsString,
    /// The whole environment.
    pub environment: Vec<(String, String)>,
    /// How long the processes may take to end after they were told to, in milliseconds.
    pub drain: u64,
}

/// What the guard tells loopls. When everything is over the guard exits, which closes the socket.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// The tool runs, as the leader of the process group with this number.
    Started(i32),
    /// The tool could not be started, which this says why. Nothing follows.
    Failed(String),
    /// The tool's first process ended; others of its making may live on.
    Exited(Exit),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// By itself, with this status.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// `message` as the line that is sent.
pub fn line(message: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}
