//! The proof that a definition has no error, which is what may be bound and run.

use super::{Analysis, Diagnostic, Severity};
use crate::definition::{Definition, Surroundings};
use std::sync::Arc;

/// An analysis without errors. Nothing else makes one, so whoever holds it need not check again.
#[derive(Clone, Debug)]
pub struct Accepted(Arc<Analysis>);

/// The errors for which a definition was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the definition has {} error{}", .0.len(), if .0.len() == 1 { "" } else { "s" })]
pub struct Rejected(pub Vec<Diagnostic>);

impl Accepted {
    /// Accepts `analysis` if neither its text nor its surroundings make an error.
    ///
    /// # Errors
    ///
    /// All errors there are.
    pub fn new(analysis: Arc<Analysis>, surroundings: &dyn Surroundings) -> Result<Self, Rejected> {
        let mut errors = analysis.diagnostics_in(surroundings);
        errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
        if errors.is_empty() {
            Ok(Self(analysis))
        } else {
            Err(Rejected(errors))
        }
    }

    /// The analysis.
    pub fn analysis(&self) -> &Arc<Analysis> {
        &self.0
    }

    /// The definition.
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }
}
