//! One thing to say about a definition.

use super::{Code, Severity};
use crate::text::{Edit, Span};

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
    /// What would put it right, the likeliest first.
    pub fixes: Vec<Fix>,
}

/// An edit that puts a diagnostic right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does: "Rename to `limits`".
    pub title: String,
    /// The edits, none of which overlap.
    pub edits: Vec<Edit>,
    /// Whether it is the one right answer, so that it may be applied without asking. A guess is not.
    pub certain: bool,
}

impl Fix {
    /// Replaces `span` by `text`; a guess until [`Fix::certain`] says otherwise.
    pub fn replace(title: impl Into<String>, span: Span, text: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            edits: vec![Edit {
                span,
                text: text.into(),
            }],
            certain: false,
        }
    }

    /// The same as the one right answer.
    pub fn certain(mut self) -> Self {
        self.certain = true;
        self
    }
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
            fixes: Vec::new(),
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

    /// The same, with a fix.
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }
}
