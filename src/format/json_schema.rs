//! The keywords of JSON Schema, draft 2020-12.

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

/// Every keyword that the draft defines, in its vocabularies' order, with what stands below it.
pub const KEYWORDS: &[(&str, Holds)] = &[
    ("$schema", Holds::Data),
    ("$id", Holds::Data),
    ("$anchor", Holds::Data),
    ("$dynamicAnchor", Holds::Data),
    ("$ref", Holds::Data),
    ("$dynamicRef", Holds::Data),
    ("$vocabulary", Holds::Data),
    ("$comment", Holds::Data),
    ("$defs", Holds::NamedSchemas),
    ("allOf", Holds::Schemas),
    ("anyOf", Holds::Schemas),
    ("oneOf", Holds::Schemas),
    ("not", Holds::Schema),
    ("if", Holds::Schema),
    ("then", Holds::Schema),
    ("else", Holds::Schema),
    ("dependentSchemas", Holds::NamedSchemas),
    ("prefixItems", Holds::Schemas),
    ("items", Holds::Schema),
    ("contains", Holds::Schema),
    ("properties", Holds::NamedSchemas),
    ("patternProperties", Holds::NamedSchemas),
    ("additionalProperties", Holds::Schema),
    ("propertyNames", Holds::Schema),
    ("unevaluatedItems", Holds::Schema),
    ("unevaluatedProperties", Holds::Schema),
    ("type", Holds::Data),
    ("enum", Holds::Data),
    ("const", Holds::Data),
    ("multipleOf", Holds::Data),
    ("maximum", Holds::Data),
    ("exclusiveMaximum", Holds::Data),
    ("minimum", Holds::Data),
    ("exclusiveMinimum", Holds::Data),
    ("maxLength", Holds::Data),
    ("minLength", Holds::Data),
    ("pattern", Holds::Data),
    ("maxItems", Holds::Data),
    ("minItems", Holds::Data),
    ("uniqueItems", Holds::Data),
    ("maxContains", Holds::Data),
    ("minContains", Holds::Data),
    ("maxProperties", Holds::Data),
    ("minProperties", Holds::Data),
    ("required", Holds::Data),
    ("dependentRequired", Holds::Data),
    ("title", Holds::Data),
    ("description", Holds::Data),
    ("default", Holds::Data),
    ("deprecated", Holds::Data),
    ("readOnly", Holds::Data),
    ("writeOnly", Holds::Data),
    ("examples", Holds::Data),
    ("format", Holds::Data),
    ("contentEncoding", Holds::Data),
    ("contentMediaType", Holds::Data),
    ("contentSchema", Holds::Schema),
];

/// What stands below `keyword`; `None` if the draft does not define it.
pub fn holds(keyword: &str) -> Option<Holds> {
    KEYWORDS
        .iter()
        .find(|(name, _)| *name == keyword)
        .map(|(_, holds)| *holds)
}
