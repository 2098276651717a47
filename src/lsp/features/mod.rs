//! What a client asks about a document: a file a feature, each converting in, asking `ide`, and converting out.

pub mod actions;
pub mod completion;
pub mod definition;
mod fixes;
pub mod folding;
pub mod formatting;
pub mod hints;
pub mod hover;
pub mod lens;
pub mod links;
pub mod references;
pub mod rename;
pub mod symbols;
pub mod tokens;
pub mod workspace_symbols;

pub use fixes::FIX_ALL_KIND;
