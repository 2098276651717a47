//! One thing to say about a definition.

use super::{Code, Severity};
use crate::text::Span;

/// One thing to say, at the smallest place that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub code: Code,
    /// How bad it is; the code's own, unless a level says otherwise.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong and what to do.
    pub message: String,
    /// Other places that have a part in it.
    pub related: Vec<Related>,
}

/// Another place that has a part in a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there.
    pub message: String,
}

impl Diagnostic {
    /// A diagnostic of the code's own severity.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            span,
            message: message.into(),
            related: Vec::new(),
        }
    }

    /// The same, pointing at another place too.
    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related {
            span,
            message: message.into(),
        });
        self
    }
}
