//! Bind: an accepted definition and the host's bindings become tools that can be called.
//!
//! One file a source. `bind` knows nothing of turns, limits or access: it makes [`Tool`]s, and a tool first
//! *prepares* a call (checks its input, puts it into arguments) and then runs exactly what it prepared.

mod arguments;
mod bound;
mod command;
mod environment;
mod family;
mod foreseen;
pub mod guard;
mod http;
mod input;
mod keys;
mod log_file;
mod maker;
mod mcp;
mod middleware;
mod output;
mod probe;
mod process;
mod reply;
mod secrets;
mod shown;
mod subloop;
mod template;
mod told;
mod tool;

pub use bound::{BindError, Bindings, Bound, BoundMode, Notice, bind, bind_foreseen};
pub use family::Family;
pub use foreseen::{Foreseen, ForeseenCall};
pub(crate) use http::{USER_AGENT, cause, place};
pub use keys::{KeyMissing, Keys};
pub use log_file::LogFile;
pub use mcp::Servers;
pub use middleware::{Middleware, MiddlewareKind};
pub use probe::{Offer, probe};
pub use secrets::{Hiding, Secrets};
pub use shown::written_out;
pub use subloop::Subloop;
pub use told::told;
pub use tool::{
    CANCELLED, CallContext, InputProblem, Outcome, OutputSink, PreparedCall, RESULT_BYTES, Stream,
    Tool, ToolInfo,
};
