//! A person's cursor: one file a feature, plain results in our own terms.

mod hover;
mod lens;
pub mod markdown;
mod place;
mod resolved;

pub use hover::{Hover, hover};
pub use lens::{Act, Lens, acts_at, lenses};
pub use place::{On, Place, Step, place_at};
pub use resolved::{ShownMode, ToolName, delegates, resolved, tool_names};
