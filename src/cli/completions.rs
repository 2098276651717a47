//! `loopls completions`: what a shell needs to complete the command line.

use super::{CommandLine, Failure, Status, output};
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// The arguments of `completions`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the shell's script.
pub fn completions(arguments: &Arguments) -> Result<Status, Failure> {
    let mut script = Vec::new();
    generate(
        arguments.shell,
        &mut CommandLine::command(),
        "loopls",
        &mut script,
    );
    let script = String::from_utf8(script).map_err(|error| Failure::new(error.to_string()))?;
    output::print_document(&script)?;
    Ok(Status::Good)
}
