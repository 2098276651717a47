//! `loopls lsp`: serves an editor.

use crate::lsp;
use std::path::PathBuf;
use std::process::ExitCode;

/// The arguments of `lsp`.
#[derive(Default, clap::Args)]
pub struct Arguments {
    /// Use standard input and output, which is the default.
    #[arg(long)]
    stdio: bool,
    /// Connect to the client's port on 127.0.0.1.
    #[arg(long, value_name = "PORT", conflicts_with = "stdio")]
    socket: Option<u16>,
    /// Append the log to FILE, with more detail than the editor is told. It holds no text of a document or of a run.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// Serves until the client leaves.
pub fn lsp(arguments: Arguments) -> ExitCode {
    lsp::main(lsp::Options {
        socket: arguments.socket,
        log: arguments.log,
    })
}
