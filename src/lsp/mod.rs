//! The language server.

/// What the server is started with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Connect to the client's port on 127.0.0.1 instead of using standard input and output.
    pub socket: Option<u16>,
}

/// Serves until the client leaves; returns the exit status of this process.
pub fn main(options: Options) -> std::process::ExitCode {
    let _ = options;
    std::process::ExitCode::FAILURE
}
