//! A person's cursor: one file a feature, plain results in our own terms.
//!
//! Every feature is a pure function of one [`Analysis`](crate::check::Analysis), of a place in it, and where it matters of
//! the [`Surroundings`](crate::definition::Surroundings). Results speak of places as byte spans. All of them work in a
//! text with mistakes: they answer from what could be understood.

mod completion;
mod definition;
mod embedded;
mod exactly;
mod folding;
mod format;
mod highlight;
mod hover;
mod inlay;
mod lens;
mod links;
mod loops;
pub mod markdown;
mod patterns;
mod place;
mod quick_fix;
mod references;
mod regions;
mod rename;
mod resolved;
mod selection;
mod shape;
mod symbols;
mod tokens;
mod walk;
mod workspace_symbols;

pub use completion::{Completion, CompletionKind, completions};
pub use definition::{Destination, Jump, definition};
pub use folding::{Fold, FoldKind, folds};
pub use format::{format, format_range};
pub use highlight::{Highlight, HighlightKind, highlights};
pub use hover::{Hover, hover};
pub use inlay::{InlayHint, inlay_hints};
pub use lens::{Act, Lens, acts_at, lenses};
pub use links::{Link, LinkTarget, links};
pub use loops::{
    LoopMentions, LoopName, loop_can_be_called, loop_mentions, loop_name_at, rename_loop,
};
pub use place::{On, Place, Step, place_at};
pub use quick_fix::{QuickFix, quick_fixes};
pub use references::references;
pub use rename::{Renamable, Rename, RenameError, RenameWarning, prepare_rename, rename};
pub use resolved::{ShownMode, ToolName, delegates, resolved, tool_names};
pub use selection::selections;
pub use symbols::{Symbol, SymbolKind, symbols};
pub use tokens::{DECLARATION_MODIFIER, TOKEN_KINDS, Token, TokenKind, tokens, tokens_in};
pub use workspace_symbols::{WorkspaceSymbol, is_meant, workspace_symbols};

use crate::definition::StringPlaces;
use crate::text::Span;

/// The place of what is between the quotes of the string at `span`; `span` itself where no whole string stands.
fn content(text: &str, span: Span) -> Span {
    StringPlaces::new(text, span).map_or(span, |places| places.content())
}
