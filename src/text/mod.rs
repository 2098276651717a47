//! Characters: byte spans, positions in the encodings of LSP, and a versioned document over a rope.
//!
//! Everything above this room speaks of places as byte [`Span`]s of the text it analysed. Only the edges (the
//! server and reports) turn them into lines and characters, with a [`Rope`](ropey::Rope) at hand.

mod cursor;
mod difference;
mod document;
mod hidden;
mod map;
mod name_index;
mod position;
mod span;

pub use cursor::PositionCursor;
pub use difference::difference;
pub use document::{Change, Document};
pub use hidden::{is_hidden, is_unseen, one_line, write_out, written_out};
pub use map::{Map, Set};
pub use name_index::NameIndex;
pub use position::{Encoding, Position, Range, offset_at, position_at, range_of};
pub use span::{Edit, Span, apply_edits};

/// A text that does not change: cheap to clone, and without memory of its own as long as it is short.
pub use smol_str::SmolStr as Text;
