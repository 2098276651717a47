//! The tables and keys of the format: a table, or a few that belong together, a file.

mod limits;
mod middleware;
mod mode;
mod model;
mod test;
mod tool;
mod top;

pub use model::MODEL;
pub use tool::TOOL;
pub use top::{DEFINITION, NOT_IN_FORMAT};

use super::{KeySpec, Type, Word};

const fn key(
    name: &'static str,
    kind: Type,
    default: &'static str,
    meaning: &'static str,
    example: &'static str,
) -> KeySpec {
    KeySpec {
        name,
        kind,
        required: false,
        default,
        meaning,
        example,
    }
}

const fn required(
    name: &'static str,
    kind: Type,
    meaning: &'static str,
    example: &'static str,
) -> KeySpec {
    KeySpec {
        name,
        kind,
        required: true,
        default: "",
        meaning,
        example,
    }
}

const fn word(name: &'static str, meaning: &'static str) -> Word {
    Word { name, meaning }
}
