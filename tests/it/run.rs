//! Runs with fake models, tools and people: what a turn does, event by event.

mod access;
mod calls;
mod cancel;
mod conformance;
mod fake;
mod limits;
mod middlewares;
mod output;
mod providers;
mod replay;
mod replies;
mod scene;
mod scripted;
mod secrets;
mod subloops;
mod testing;
mod transcript;
mod view;
mod wires;
