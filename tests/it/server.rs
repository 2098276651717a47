//! The language server, through a client that reads every message.

mod actions;
mod completion;
mod documents;
mod features;
mod process;
mod projects;
mod runs;
mod scene;
mod transport;
