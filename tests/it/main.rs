//! All integration tests, in one binary so that they link once.

mod architecture;
mod bind;
mod check;
mod cli;
mod conformance;
mod fixing;
mod recovery;
mod run;
mod server;
mod support;
mod syntax;
