//! All integration tests, in one binary so that they link once.

mod architecture;
mod bind;
mod check;
mod cli;
mod completion;
mod conformance;
mod faults;
mod fixing;
mod formatting;
mod ide;
mod pages;
mod recovery;
mod reference;
mod run;
mod schema;
mod server;
mod support;
mod syntax;
mod testing;
mod world;
