//! The terminal: one file a subcommand.

mod printable;
mod report;

/// Runs the command line of this process; returns its exit status.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
