//! The same name elsewhere in the file, while the cursor is on it.

use crate::check::Analysis;
use crate::text::Span;

/// A place that names the thing under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// The name.
    pub span: Span,
    /// What is done there.
    pub kind: HighlightKind,
}

/// What is done with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HighlightKind {
    /// A thing gets it.
    Declaration,
    /// The thing is named by it.
    Mention,
}

/// Every place of the file that names exactly what stands at byte `offset`, in order of the text.
pub fn highlights(analysis: &Analysis, offset: usize) -> Vec<Highlight> {
    let Some(mention) = analysis.mentions().at(offset) else {
        return Vec::new();
    };
    let mentions = analysis.mentions().of_target(mention.target);
    mentions
        .map(|mention| Highlight {
            span: mention.span,
            kind: match mention.declares {
                true => HighlightKind::Declaration,
                false => HighlightKind::Mention,
            },
        })
        .collect()
}
