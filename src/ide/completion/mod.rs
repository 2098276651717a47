//! What can stand where the cursor is, also in a line that is half typed.

mod context;
mod keys;
mod offered;
mod values;

use crate::check::Analysis;
use crate::definition::Surroundings;
use crate::text::Edit;
use context::{Context, context_at};

/// Something that can stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The bare key, word or name: what is shown and what typing is compared with.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// A few words beside the label.
    pub detail: String,
    /// What it means, as Markdown; may be empty.
    pub documentation: String,
    /// Replaces what is typed so far.
    pub edit: Edit,
    /// The text of the edit with places to fill in (`$1`, `$0`), for editors that know snippets.
    pub snippet: Option<String>,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A key of a table.
    Key,
    /// A table or an array of tables, with its header.
    Table,
    /// One of the words that a value may be.
    Word,
    /// A name that the definition gives: of a tool, a mode, a property.
    Name,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// An environment variable.
    Variable,
}

/// Everything that can stand at byte `offset`, the most useful first.
pub fn completions(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    offset: usize,
) -> Vec<Completion> {
    match context_at(analysis, offset) {
        None => Vec::new(),
        Some(Context::Key(position)) => keys::keys(analysis, surroundings, &position),
        Some(Context::Header(position)) => keys::headers(&position),
        Some(Context::Value(position)) => values::values(analysis, surroundings, &position),
        Some(Context::Allow(span)) => values::codes(span),
    }
}
