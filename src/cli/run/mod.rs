//! `loopls run`: runs one turn of a definition.

use super::{Failure, Status};
use std::path::PathBuf;

/// The arguments of `run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The definition, or `-` for standard input.
    file: PathBuf,
}

pub fn run(_: &Arguments) -> Result<Status, Failure> {
    Err(Failure::new("x"))
}
