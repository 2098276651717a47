//! What is told about the thing under the cursor.

use crate::check::Analysis;
use crate::definition::Surroundings;
use crate::text::Span;

/// What is told, and about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about; covers the cursor.
    pub span: Span,
    /// Markdown; all foreign text in it is escaped or fenced.
    pub markdown: String,
}

/// What is told about the thing at byte `offset`.
pub fn hover(analysis: &Analysis, surroundings: &dyn Surroundings, offset: usize) -> Option<Hover> {
    let _ = (analysis, surroundings, offset);
    None
}
