//! The keywords of JSON Schema, draft 2020-12.

use crate::text::Map;
use Holds::{Data, NamedSchemas, Schema, Schemas};
use std::sync::LazyLock;

/// What stands below a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Data.
    Data,
    /// A schema.
    Schema,
    /// An array of schemas.
    Schemas,
    /// A table whose values are schemas.
    NamedSchemas,
}

/// A keyword.
#[derive(Clone, Copy, Debug)]
pub struct Keyword {
    /// The keyword.
    pub name: &'static str,
    /// What stands below it.
    pub holds: Holds,
    /// What it says, in a sentence of Markdown.
    pub meaning: &'static str,
}

const fn keyword(name: &'static str, holds: Holds, meaning: &'static str) -> Keyword {
    Keyword {
        name,
        holds,
        meaning,
    }
}

/// Every keyword that the draft defines, in its vocabularies' order.
pub const KEYWORDS: &[Keyword] = &[
    keyword(
        "$schema",
        Data,
        "The dialect of JSON Schema that the schema is written in.",
    ),
    keyword(
        "$id",
        Data,
        "The address by which other schemas refer to this one.",
    ),
    keyword(
        "$anchor",
        Data,
        "A name for this part, to which `$ref` can lead.",
    ),
    keyword(
        "$dynamicAnchor",
        Data,
        "A name for this part, which an outer schema can take over.",
    ),
    keyword(
        "$ref",
        Data,
        "The value fits the schema that this leads to, such as `#/$defs/date`.",
    ),
    keyword(
        "$dynamicRef",
        Data,
        "The value fits the schema of the outermost `$dynamicAnchor` of this name.",
    ),
    keyword(
        "$vocabulary",
        Data,
        "The sets of keywords that a dialect has; for whoever defines one.",
    ),
    keyword(
        "$comment",
        Data,
        "A note for whoever reads the schema; it has no effect.",
    ),
    keyword(
        "$defs",
        NamedSchemas,
        "Schemas by name, for `$ref` to lead to.",
    ),
    keyword("allOf", Schemas, "The value fits each of these schemas."),
    keyword(
        "anyOf",
        Schemas,
        "The value fits at least one of these schemas.",
    ),
    keyword(
        "oneOf",
        Schemas,
        "The value fits exactly one of these schemas.",
    ),
    keyword("not", Schema, "The value does not fit this schema."),
    keyword(
        "if",
        Schema,
        "Decides which of `then` and `else` holds: whether the value fits this schema.",
    ),
    keyword("then", Schema, "Holds where the value fits `if`."),
    keyword("else", Schema, "Holds where the value does not fit `if`."),
    keyword(
        "dependentSchemas",
        NamedSchemas,
        "For each property that is there, a schema that the whole object fits then.",
    ),
    keyword(
        "prefixItems",
        Schemas,
        "Schemas for the first items of an array, one each.",
    ),
    keyword(
        "items",
        Schema,
        "The schema of every item of an array, after those of `prefixItems`.",
    ),
    keyword(
        "contains",
        Schema,
        "The schema that at least one item of an array fits.",
    ),
    keyword(
        "properties",
        NamedSchemas,
        "The properties of an object by name, each with its schema. Of a tool's input, what the model fills in.",
    ),
    keyword(
        "patternProperties",
        NamedSchemas,
        "Schemas for the properties whose names match a regular expression.",
    ),
    keyword(
        "additionalProperties",
        Schema,
        "The schema of every other property; `false` allows no others.",
    ),
    keyword(
        "propertyNames",
        Schema,
        "The schema that each name of a property fits.",
    ),
    keyword(
        "unevaluatedItems",
        Schema,
        "The schema of the items that no other keyword looked at.",
    ),
    keyword(
        "unevaluatedProperties",
        Schema,
        "The schema of the properties that no other keyword looked at.",
    ),
    keyword(
        "type",
        Data,
        "What the value is: `object`, `array`, `string`, `number`, `integer`, `boolean` or `null`, or an array of these.",
    ),
    keyword("enum", Data, "The values that are allowed, and no others."),
    keyword("const", Data, "The only value that is allowed."),
    keyword(
        "multipleOf",
        Data,
        "A number that the value is a whole multiple of.",
    ),
    keyword("maximum", Data, "The greatest number."),
    keyword(
        "exclusiveMaximum",
        Data,
        "A number that the value is less than.",
    ),
    keyword("minimum", Data, "The least number."),
    keyword(
        "exclusiveMinimum",
        Data,
        "A number that the value is greater than.",
    ),
    keyword("maxLength", Data, "The most characters of a string."),
    keyword("minLength", Data, "The fewest characters of a string."),
    keyword(
        "pattern",
        Data,
        "A regular expression that matches somewhere in the string.",
    ),
    keyword("maxItems", Data, "The most items of an array."),
    keyword("minItems", Data, "The fewest items of an array."),
    keyword(
        "uniqueItems",
        Data,
        "Whether no two items of an array are equal.",
    ),
    keyword(
        "maxContains",
        Data,
        "How many items fit `contains` at the most.",
    ),
    keyword(
        "minContains",
        Data,
        "How many items fit `contains` at the least.",
    ),
    keyword("maxProperties", Data, "The most properties of an object."),
    keyword("minProperties", Data, "The fewest properties of an object."),
    keyword("required", Data, "The properties that must be there."),
    keyword(
        "dependentRequired",
        Data,
        "For each property that is there, others that must be there then.",
    ),
    keyword("title", Data, "A short name for people."),
    keyword(
        "description",
        Data,
        "What the value is. The model reads it, and fills the value in by it.",
    ),
    keyword(
        "default",
        Data,
        "The value that is meant where none is given.",
    ),
    keyword(
        "deprecated",
        Data,
        "Whether the value should not be given any more.",
    ),
    keyword(
        "readOnly",
        Data,
        "Whether the value is only told and never taken.",
    ),
    keyword(
        "writeOnly",
        Data,
        "Whether the value is only taken and never told.",
    ),
    keyword("examples", Data, "Values as they may be."),
    keyword(
        "format",
        Data,
        "The form of a string, such as `date` or `email`; an annotation that is not checked.",
    ),
    keyword(
        "contentEncoding",
        Data,
        "How a string encodes bytes, such as `base64`.",
    ),
    keyword(
        "contentMediaType",
        Data,
        "The media type of what a string holds.",
    ),
    keyword(
        "contentSchema",
        Schema,
        "The schema of what a string holds.",
    ),
];

/// The keyword called `name`; `None` if the draft does not define it.
pub fn find(name: &str) -> Option<&'static Keyword> {
    // Each key of each schema is looked up after each change of a text.
    static BY_NAME: LazyLock<Map<&str, &Keyword>> = LazyLock::new(|| {
        KEYWORDS
            .iter()
            .map(|keyword| (keyword.name, keyword))
            .collect()
    });
    BY_NAME.get(name).copied()
}

/// What stands below the keyword called `name`.
pub fn holds(name: &str) -> Option<Holds> {
    find(name).map(|keyword| keyword.holds)
}
