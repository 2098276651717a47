//! The guard: a small process of loopls' own between loopls and a tool's process.

/// The first argument that makes `loopls` a guard. Not for people.
pub const ARGUMENT: &str = "__guard";

/// The whole life of a guard process; returns its exit status.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::FAILURE
}
