//! What is right and wrong with a definition: one [`Analysis`] of a text, and the rules that read it.

mod accepted;
mod allows;
mod analysis;
mod code;
mod diagnostic;
mod edits;
mod fixing;
mod levels;
pub mod pages;
mod rules;

pub use accepted::{Accepted, Rejected};
pub use allows::{Allow, allows};
pub use analysis::{Analysis, LARGEST_TEXT, MOST_DIAGNOSTICS};
pub use code::{Code, Severity};
pub use diagnostic::{Diagnostic, Fix, Related, Remedy, Repair};
pub use fixing::{Applied, Fixed, fix_all};
pub use levels::{LevelProblem, Levels};
