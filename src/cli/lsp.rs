//! `loopls lsp`: serves an editor.

use crate::lsp;
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
}

/// Serves until the client leaves.
pub fn lsp(arguments: Arguments) -> ExitCode {
    lsp::main(lsp::Options {
        socket: arguments.socket,
    })
}
