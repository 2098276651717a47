//! The terminal: one file a subcommand.
//!
//! A command returns its `Status` or a `Failure`; [`main`] alone prints failures and makes exit statuses.

mod bind;
mod binding;
mod check;
mod completions;
mod explain;
mod fix;
mod fmt;
mod lsp;
mod new;
mod output;
mod printable;
mod project;
mod report;
mod resolve;
mod run;
mod schema;
mod search;
mod signals;
mod source;
mod test;
mod trust;
mod write;

use crate::run::StopReason;
use clap::{CommandFactory, Parser, Subcommand};
use printable::printable;
use std::process::ExitCode;

/// Checks, resolves and runs loop definition files, and serves editors.
#[derive(Parser)]
#[command(name = "loopls", version, about, disable_help_subcommand = true)]
struct CommandLine {
    /// Serve an editor on standard input and output; for clients that pass it before `lsp` or alone.
    #[arg(long, hide = true)]
    stdio: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Say everything that is wrong with definitions.
    Check(check::Arguments),
    /// Lay definitions out: white space only, every comment and the order stay.
    Fmt(fmt::Arguments),
    /// Show what each mode of a definition comes to: limits and where they come from, tools, model, system prompt.
    Resolve(resolve::Arguments),
    /// Bind a definition and list the tools that the model would see, with their inputs; servers are started and asked.
    Bind(bind::Arguments),
    /// Run one turn of a definition.
    Run(run::Arguments),
    /// Run the tests of definitions.
    Test(test::Arguments),
    /// Trust a folder, so that an editor runs what its definitions reach without asking.
    Trust(trust::Arguments),
    /// Tell what a code means, why it matters and how to put it right; without a code, list them all.
    Explain(explain::Arguments),
    /// Begin a definition: writes one that runs without a key, and never over a file that is there.
    New(new::Arguments),
    /// Print what a shell needs to complete commands, options and their values.
    Completions(completions::Arguments),
    /// Print the format as a JSON Schema.
    Schema,
    /// Serve an editor.
    Lsp(lsp::Arguments),
}

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Nothing is wrong.
    Good,
    /// A definition has errors.
    Faulty,
    /// Usage, or something that could not be read.
    Unusable,
    /// A run was started, or was about to be, and ended so.
    Ended(StopReason),
}

impl Status {
    /// The exit status of the process.
    fn code(self) -> u8 {
        match self {
            Status::Good => 0,
            Status::Faulty => 1,
            Status::Unusable => 2,
            Status::Ended(stop) => stop.exit_code(),
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Failure {
    status: Status,
    message: String,
    /// What to do about it.
    help: Option<String>,
}

impl Failure {
    /// Usage, or something that could not be read.
    fn new(message: impl Into<String>) -> Self {
        Self {
            status: Status::Unusable,
            message: message.into(),
            help: None,
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    fn print(&self) {
        output::complain("error", &printable(&self.message));
        if let Some(help) = &self.help {
            output::say(&format!("  help: {}", printable(help)));
        }
    }
}

/// Runs the command line of this process; returns its exit status.
pub fn main() -> ExitCode {
    let line = CommandLine::parse();
    let result = match line.command {
        Some(Command::Lsp(arguments)) => return lsp::lsp(arguments),
        None if line.stdio => return lsp::lsp(lsp::Arguments::default()),
        None => {
            output::say(&CommandLine::command().render_help().ansi().to_string());
            Ok(Status::Unusable)
        }
        Some(Command::Check(arguments)) => check::check(&arguments),
        Some(Command::Fmt(arguments)) => fmt::fmt(&arguments),
        Some(Command::Resolve(arguments)) => resolve::resolve(&arguments),
        Some(Command::Bind(arguments)) => bind::bind(&arguments),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Test(arguments)) => test::test(&arguments),
        Some(Command::Trust(arguments)) => trust::trust(&arguments),
        Some(Command::Explain(arguments)) => explain::explain(&arguments),
        Some(Command::New(arguments)) => new::new(&arguments),
        Some(Command::Completions(arguments)) => completions::completions(&arguments),
        Some(Command::Schema) => schema::schema(),
    };
    let status = result.unwrap_or_else(|failure| {
        failure.print();
        failure.status
    });
    ExitCode::from(status.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }
}
