//! The language server, through a client that reads every message.

mod documents;
mod features;
mod process;
mod runs;
mod transport;
