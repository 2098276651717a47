//! The loop that a file defines: its typed definition, names and mentions, and what each mode comes to.

mod duration;
mod lower;
mod mentions;
mod model;
mod names;
pub mod pattern;
pub mod placeholder;
pub mod provider;
mod resolve;
mod string_places;
mod surroundings;
mod test;
mod variable;

pub use duration::{Milliseconds, format_duration, parse_duration};
pub use lower::lower;
pub use mentions::{Mention, Mentions, Written};
pub use model::*;
pub use names::{Names, Target};
pub use pattern::Pattern;
pub use resolve::{
    DEFAULT_CALLS, DEFAULT_ITERATIONS, DEFAULT_PARALLEL, DEFAULT_TIMEOUT, Origin, ResolvedLimit,
    ResolvedLimits, ResolvedMode, resolve, resolve_limits,
};
pub use string_places::StringPlaces;
pub use surroundings::{FileProblem, KnownLoop, Nowhere, Surroundings, beside};
pub use test::{Expect, ExpectedCall, ExpectedResult, GivenResult, Test};
pub use variable::{Variable, variables};

/// The name of the tool through which a model gives its structured answer; no definition may produce it.
pub const RESERVED_TOOL_NAME: &str = "_looprig_final_output";
