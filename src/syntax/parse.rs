//! Text to statements.

use super::{SyntaxError, Tree};

/// The statements of `text` and everything in it that is not TOML. Never panics, never gives up.
pub fn parse(text: &str) -> (Tree, Vec<SyntaxError>) {
    let _ = text;
    (Tree::default(), Vec::new())
}
