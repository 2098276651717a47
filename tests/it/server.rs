//! The language server, through a client that reads every message.

mod abilities;
mod actions;
mod completion;
mod documented;
mod documents;
mod features;
mod navigation;
mod probe;
mod process;
mod projects;
mod reported;
mod runs;
mod scene;
mod settings;
mod structure;
mod transport;
mod writing;
