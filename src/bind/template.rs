//! A text with placeholders, taken apart once, and what a property of the input is put in as.

use super::InputProblem;
use crate::definition::placeholder::placeholders;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// In order; literal parts are not empty.
    pub parts: Vec<Part>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Stays as it is.
    Literal(String),
    /// Is replaced by this property of the input.
    Property(String),
}

impl Template {
    /// Takes `text` apart.
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let literal = |from: usize, to: usize, parts: &mut Vec<Part>| {
            if from < to {
                parts.push(Part::Literal(text[from..to].to_owned()));
            }
        };
        let mut done = 0;
        for placeholder in placeholders(text) {
            literal(done, placeholder.range.start, &mut parts);
            parts.push(Part::Property(placeholder.name.to_owned()));
            done = placeholder.range.end;
        }
        literal(done, text.len(), &mut parts);
        Self { parts }
    }

    /// The properties that are put in.
    pub fn properties(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Property(name) => Some(name.as_str()),
            Part::Literal(_) => None,
        })
    }

    /// The text if nothing is put in.
    pub fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The text with every placeholder replaced, in one pass: what was put in is not scanned again.
    ///
    /// # Errors
    ///
    /// A value that cannot be put in.
    pub fn fill(&self, values: &Values<'_>) -> Result<String, InputProblem> {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => filled.push_str(text),
                Part::Property(name) => filled.push_str(&values.text(name)?),
            }
        }
        Ok(filled)
    }
}

/// The input of one call, with the defaults that its schema gives.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    input: Option<&'a Map<String, Value>>,
    properties: Option<&'a Map<String, Value>>,
}

impl<'a> Values<'a> {
    /// The values of `input`, whose schema is `schema`.
    pub fn new(input: &'a Value, schema: &'a Value) -> Self {
        Self {
            input: input.as_object(),
            properties: schema.get("properties").and_then(Value::as_object),
        }
    }

    /// The properties of the input that the schema declares, in the order of the input.
    pub fn declared_input(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let is_declared = move |name: &String| {
            let properties = self.properties;
            properties.is_some_and(|properties| properties.contains_key(name))
        };
        let input = self.input.into_iter().flatten();
        input
            .filter(move |(name, _)| is_declared(name))
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The names of the properties that the schema declares.
    pub fn declared_names(self) -> impl Iterator<Item = &'a str> {
        let properties = self.properties.into_iter().flatten();
        properties.map(|(name, _)| name.as_str())
    }

    /// What the schema says of the property `name`.
    pub fn declared(&self, name: &str, keyword: &str) -> Option<&'a Value> {
        self.properties?.get(name)?.get(keyword)
    }

    /// Whether the property `name` can only be a number.
    pub fn is_number(&self, name: &str) -> bool {
        let number = |word: &Value| word == "number" || word == "integer";
        match self.declared(name, "type") {
            Some(Value::Array(words)) => !words.is_empty() && words.iter().all(number),
            Some(word) => number(word),
            None => false,
        }
    }

    /// The value of the property `name`, or the default that it has.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        let given = self.input.and_then(|input| input.get(name));
        given.or_else(|| self.declared(name, "default"))
    }

    /// The value as it is put in: a string as it is, anything else as JSON.
    ///
    /// # Errors
    ///
    /// It is absent, null, or a string with a NUL, which neither an argument nor a request holds.
    pub fn text(&self, name: &str) -> Result<Cow<'a, str>, InputProblem> {
        match self.get(name) {
            None => Err(InputProblem(format!(
                "input.{name} is absent, and the call needs it"
            ))),
            Some(Value::Null) => Err(InputProblem(format!(
                "input.{name} is null, which cannot be put into a call"
            ))),
            Some(Value::String(text)) if text.contains('\0') => Err(InputProblem(format!(
                "input.{name} contains a NUL character"
            ))),
            Some(Value::String(text)) => Ok(Cow::Borrowed(text)),
            Some(value) => Ok(Cow::Owned(value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_put_in_once_and_as_they_are() {
        let schema = json!({ "properties": { "n": { "default": 3 }, "s": {} } });
        let fill =
            |text: &str, input: Value| Template::new(text).fill(&Values::new(&input, &schema));
        let problem = |text: &str| Err(InputProblem(text.into()));
        for (text, input, expected) in [
            ("plain {{.Names}}", json!({}), Ok("plain {{.Names}}".into())),
            (
                "<{{s}}>",
                json!({ "s": "{{n}} $x" }),
                Ok("<{{n}} $x>".into()),
            ),
            ("{{s}}{{ s }}", json!({ "s": "ä" }), Ok("ää".into())),
            ("{{n}}", json!({}), Ok("3".into())),
            ("{{n}}", json!({ "n": -1.5 }), Ok("-1.5".into())),
            (
                "{{s}}",
                json!({ "s": [1, { "a": "b" }] }),
                Ok(r#"[1,{"a":"b"}]"#.into()),
            ),
            ("{{s}}", json!({ "s": true }), Ok("true".into())),
            ("{{s}}", json!({ "s": "" }), Ok("".into())),
            (
                "{{s}}",
                json!({}),
                problem("input.s is absent, and the call needs it"),
            ),
            (
                "{{n}}",
                json!({ "n": null }),
                problem("input.n is null, which cannot be put into a call"),
            ),
            (
                "{{s}}",
                json!({ "s": "a\0b" }),
                problem("input.s contains a NUL character"),
            ),
        ] {
            assert_eq!(fill(text, input.clone()), expected, "{text} with {input}");
        }
    }
}
