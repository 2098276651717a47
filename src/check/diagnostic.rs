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
    pub remedies: Vec<Remedy>,
}

/// Something that would put a diagnostic right; [`Analysis::fixes`](super::Analysis::fixes) makes the edits of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// What it does: "Rename to `limits`".
    pub title: String,
    /// How.
    pub change: Repair,
    /// Whether it is the one right answer, so that it may be applied without asking. A guess is not.
    pub certain: bool,
}

/// A change of the text, in terms of the place that a diagnostic marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// This stands at the place instead.
    Replace(String),
    /// The key-value pair of the place goes.
    RemovePair,
    /// The array item at the place goes.
    RemoveItem,
    /// This line comes to the top level.
    AddAtTop(String),
    /// The key-value pair of the place goes, and stands at the end of the keys of the table around its own.
    MoveOut,
    /// These edits.
    Edits(Vec<Edit>),
}

/// A remedy as edits, none of which overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// Whether it is the one right answer.
    pub certain: bool,
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
            remedies: Vec::new(),
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

    /// The one right answer: two are a choice, and a choice is a person's.
    pub fn certain_remedy(&self) -> Option<&Remedy> {
        let mut certain = self.remedies.iter().filter(|remedy| remedy.certain);
        certain.next().filter(|_| certain.next().is_none())
    }

    /// The same, with the one right answer.
    pub fn with_remedy(mut self, title: impl Into<String>, change: Repair) -> Self {
        self.remedies.push(Remedy {
            title: title.into(),
            change,
            certain: true,
        });
        self
    }

    /// The same, with something that may be right.
    pub fn with_guess(mut self, title: impl Into<String>, change: Repair) -> Self {
        self.remedies.push(Remedy {
            title: title.into(),
            change,
            certain: false,
        });
        self
    }

    /// The same, with the guess that `meant` should stand at the place, written as `text`.
    pub fn with_meant(self, meant: Option<&str>, write: impl Fn(&str) -> String) -> Self {
        match meant {
            None => self,
            Some(meant) => {
                let title = format!("Change to `{}`", meant.escape_debug());
                self.with_guess(title, Repair::Replace(write(meant)))
            }
        }
    }
}
