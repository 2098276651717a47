//! What the format, or JSON Schema, says of a place.

use crate::format::json_schema::{self, Holds};
use crate::format::{DEFINITION, TableSpec, Type};

/// What a value is to be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Something of the format.
    Format(Type),
    /// A JSON Schema.
    Schema,
    /// An array of JSON Schemas.
    Schemas,
    /// A table of JSON Schemas by name.
    NamedSchemas,
    /// The data of a JSON Schema keyword.
    SchemaData(&'static str),
    /// Anything.
    Free,
}

impl Shape {
    /// The top level of a definition.
    pub const DEFINITION: Shape = Shape::Format(Type::Table(&DEFINITION));

    /// The shape of the value of `key`.
    pub fn of_key(self, key: &str) -> Self {
        match self {
            Shape::Format(Type::Table(spec) | Type::Tables(spec)) => {
                spec.key(key).map_or(Shape::Free, |key| match key.kind {
                    Type::JsonSchema => Shape::Schema,
                    kind => Shape::Format(kind),
                })
            }
            Shape::Format(Type::Map(item)) => Shape::Format(*item),
            Shape::Schema => {
                let Some(keyword) = json_schema::find(key) else {
                    return Shape::Free;
                };
                match keyword.holds {
                    Holds::Schema => Shape::Schema,
                    Holds::Schemas => Shape::Schemas,
                    Holds::NamedSchemas => Shape::NamedSchemas,
                    Holds::Data => Shape::SchemaData(keyword.name),
                }
            }
            // An array of tables whose header is followed by a key of its last table.
            Shape::Schemas => Shape::Schema.of_key(key),
            Shape::NamedSchemas => Shape::Schema,
            _ => Shape::Free,
        }
    }

    /// The shape of an item of the array.
    pub fn of_item(self) -> Self {
        match self {
            Shape::Format(Type::Array(item)) => Shape::Format(*item),
            Shape::Format(Type::Tables(spec)) => Shape::Format(Type::Table(spec)),
            Shape::Format(Type::Argument) => Shape::Format(Type::String),
            Shape::Schemas => Shape::Schema,
            // `type = ["string", "null"]`
            Shape::SchemaData("type") => Shape::SchemaData("type"),
            Shape::SchemaData("required") => Shape::SchemaData("required"),
            _ => Shape::Free,
        }
    }

    /// The table of the format that it is.
    pub fn table(self) -> Option<&'static TableSpec> {
        match self {
            Shape::Format(Type::Table(spec) | Type::Tables(spec)) => Some(spec),
            _ => None,
        }
    }
}
