//! What can be started from a definition: lenses over the loop, its modes and tests, and the same as actions.

use crate::check::Analysis;
use crate::text::Span;

/// Something a person can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Run the loop in this mode; `None` is the initial one.
    Run {
        /// The mode's name.
        mode: Option<String>,
    },
    /// Bind the loop and tell what came of it.
    Bind,
    /// Run the test of this name.
    RunTest {
        /// The test's name.
        test: String,
    },
}

/// A line of its own over a place, which does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The place it stands over.
    pub span: Span,
    /// What it says.
    pub title: String,
    /// What it does.
    pub act: Act,
}

/// All lenses of a definition, in order of the text. Also for a text with errors: running then says why it cannot.
pub fn lenses(analysis: &Analysis) -> Vec<Lens> {
    let _ = analysis;
    Vec::new()
}

/// The acts offered as code actions for the range `span`, with their titles: the loop's, and the mode's it is in.
pub fn acts_at(analysis: &Analysis, span: Span) -> Vec<(String, Act)> {
    let _ = (analysis, span);
    Vec::new()
}
