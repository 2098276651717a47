//! The `loopls` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything else: a guard must be small and quick, and never a server or a terminal program.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|argument| argument == loopls::bind::guard::ARGUMENT)
    {
        return loopls::bind::guard::main();
    }
    loopls::cli::main()
}
