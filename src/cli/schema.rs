//! `loopls schema`: the format as a JSON Schema, for editors that check TOML by one.

use super::{Failure, Status, output};
use crate::format::schema;

/// Prints the schema.
pub fn schema() -> Result<Status, Failure> {
    output::print(&format!("{:#}\n", schema::schema()))?;
    Ok(Status::Good)
}
