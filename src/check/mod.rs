//! What is right and wrong with a definition: one [`Analysis`] of a text, and the rules that read it.

mod accepted;
mod analysis;
mod code;
mod diagnostic;

pub use accepted::{Accepted, Rejected};
pub use analysis::Analysis;
pub use code::{Code, Severity};
pub use diagnostic::{Diagnostic, Related};
