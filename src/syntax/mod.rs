//! TOML, also while it is being typed.
//!
//! [`parse`] never fails: it returns what could be understood as a flat list of statements, and what could not
//! as errors with their places. [`Table::build`] then lays the statements into the nested tables that they
//! mean; duplicate keys and conflicting tables are found there, with both places at hand.

mod build;
mod conflict;
mod draft;
mod errors;
mod header;
mod lex;
mod pair;
mod parse;
mod rebuild;
pub mod render;
mod reparse;
mod scalar;
mod string;
mod structure;
mod table;
mod tree;
mod value;

pub use parse::{DEPTH_LIMIT, parse};
pub use reparse::{Change, Reparsed, reparse};
pub use table::{Entry, Form, Node, NodeKind, Table};
pub use tree::{
    Array, Comment, Header, InlineTable, Key, KeyValue, Keys, Statement, SyntaxError, Tree, Value,
    ValueKind,
};
