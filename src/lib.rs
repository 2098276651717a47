//! loopls: the language server, runner and command line for loop definition files.
//!
//! The rooms below are listed in the order in which they may import each other; a room uses only rooms above
//! it (`docs/architecture.md` has the picture, `tests/architecture.rs` holds it). Everything down to [`ide`] is
//! pure: no tokio, no protocol types, no clock, no process, no environment.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod text;

pub mod syntax;

pub mod format;

pub mod definition;

pub mod check;

pub mod workspace;

pub mod ide;

pub mod host;

#[cfg(feature = "run")]
pub mod bind;

#[cfg(feature = "run")]
pub mod run;

#[cfg(feature = "lsp")]
pub mod lsp;

#[cfg(feature = "cli")]
pub mod cli;
