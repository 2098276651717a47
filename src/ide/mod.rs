//! A person's cursor: one file a feature, plain results in our own terms.

mod completion;
mod format;
mod hover;
mod lens;
pub mod markdown;
mod place;
mod quick_fix;
mod resolved;

pub use completion::{Completion, CompletionKind, completions};
pub use format::{format, format_range};
pub use hover::{Hover, hover};
pub use lens::{Act, Lens, acts_at, lenses};
pub use place::{On, Place, Step, place_at};
pub use quick_fix::{QuickFix, quick_fixes};
pub use resolved::{ShownMode, ToolName, delegates, resolved, tool_names};
