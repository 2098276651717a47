//! The guard: a small process of loopls' own between loopls and a tool's process.
//!
//! loopls starts one guard for each process that a tool needs: `loopls __guard`. The guard's standard input is one
//! end of a socket on which it gets orders and sends reports (`message`); its standard
//! output and error are the pipes that the tool inherits. It starts the tool in a process group of its own and
//! ends everything that came of it when it is told to, and when the socket closes, however loopls died: a kernel
//! closes the sockets of a process that was killed too.
//!
//! It has no parent-death signal, which fires already when a *thread* of the parent ends, and it is in a session of
//! its own: a Ctrl-C on the terminal does not reach it, and a tool that wants to ask on the terminal has none.

#[cfg(unix)]
mod family;
#[cfg(unix)]
mod life;
pub(super) mod message;

/// The first argument that makes `loopls` a guard. Not for people.
pub const ARGUMENT: &str = "__guard";

/// The whole life of a guard process; returns its exit status.
#[cfg(unix)]
pub fn main() -> std::process::ExitCode {
    // Whoever could be told of an error is at the other end of the socket, which is gone or broken then.
    match life::live() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(_) => std::process::ExitCode::FAILURE,
    }
}

/// The whole life of a guard process; returns its exit status.
#[cfg(not(unix))]
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
