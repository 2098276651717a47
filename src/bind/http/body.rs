//! The body of a request: what a model puts in stays a value of the language that the body is in.

use super::super::InputProblem;
use super::super::template::{Part, Template, Values};
use crate::syntax::{Node, NodeKind};
use serde::de::IgnoredAny;
use serde_json::Value;

/// The content type of what is JSON.
pub const JSON: &str = "application/json";

/// The content type of a text that no header says more of.
const PLAIN: &str = "text/plain; charset=utf-8";

/// What a request carries.
pub enum Body {
    /// The properties that are used nowhere else.
    Unused,
    /// This, with placeholders in its strings.
    Json(Value),
    /// This text.
    Text(Template, Language),
}

/// The language that a text is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Json,
    Form,
    Xml,
    Plain,
}

impl Language {
    /// The language of a content type.
    fn of(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Some(Self::Json),
            "application/x-www-form-urlencoded" => Some(Self::Form),
            "application/xml" | "text/xml" | "text/html" => Some(Self::Xml),
            "text/plain" => Some(Self::Plain),
            _ if essence.ends_with("+json") => Some(Self::Json),
            _ if essence.ends_with("+xml") => Some(Self::Xml),
            _ => None,
        }
    }
}

impl Body {
    /// The body that a definition has. `content_type` is what its headers say: nothing, something, or what a model
    /// has a part in.
    ///
    /// # Errors
    ///
    /// A text with placeholders in a language in which nobody here knows how to write a value.
    pub fn new(body: Option<&Node>, content_type: Option<Option<&str>>) -> Result<Self, String> {
        let text = match body {
            None => return Ok(Self::Unused),
            Some(node) => match &node.kind {
                NodeKind::String(text) => text,
                _ => return Ok(Self::Json(node.to_json())),
            },
        };
        let template = Template::new(text);
        let language = match content_type {
            // What begins like JSON would be read as JSON, whatever it is called.
            None if text.trim_start().starts_with(['{', '[']) => Some(Language::Json),
            None => Some(Language::Plain),
            Some(content_type) => content_type.and_then(Language::of),
        };
        match language {
            Some(language) => Ok(Self::Text(template, language)),
            None if template.literal().is_some() => Ok(Self::Text(template, Language::Plain)),
            None => Err(
                "a body takes placeholders as JSON, XML, a form or plain text only; say in the header \
                 `Content-Type` which it is"
                    .into(),
            ),
        }
    }

    /// The text of one call, and its content type if no header says it. [`Body::Unused`] has none.
    ///
    /// # Errors
    ///
    /// A value that cannot be put where it belongs.
    pub fn fill(
        &self,
        values: &Values<'_>,
    ) -> Result<Option<(String, &'static str)>, InputProblem> {
        match self {
            Self::Unused => Ok(None),
            Self::Json(value) => Ok(Some((filled(value, values)?.to_string(), JSON))),
            Self::Text(template, language) => {
                let text = match language {
                    Language::Json => fill_json(template, values)?,
                    Language::Form => fill_with(template, values, form_encoded)?,
                    Language::Xml => fill_with(template, values, xml_escaped)?,
                    Language::Plain => template.fill(values)?,
                };
                let content_type = match language {
                    Language::Json => JSON,
                    _ => PLAIN,
                };
                Ok(Some((text, content_type)))
            }
        }
    }
}

/// `value` with every string filled. A placeholder that is a whole string becomes the value itself.
fn filled(value: &Value, values: &Values<'_>) -> Result<Value, InputProblem> {
    match value {
        Value::String(text) => {
            let template = Template::new(text);
            match template.parts.as_slice() {
                [Part::Property(name)] => typed(name, values).cloned(),
                _ => template.fill(values).map(Value::from),
            }
        }
        Value::Array(items) => items.iter().map(|item| filled(item, values)).collect(),
        Value::Object(table) => table
            .iter()
            .map(|(key, value)| Ok((key.clone(), filled(value, values)?)))
            .collect(),
        value => Ok(value.clone()),
    }
}

/// The value of the property `name` as it is.
fn typed<'a>(name: &str, values: &Values<'a>) -> Result<&'a Value, InputProblem> {
    values.text(name)?;
    Ok(values.get(name).unwrap_or(&Value::Null))
}

/// A text that is JSON: within a string a value is text, elsewhere it is the value.
fn fill_json(template: &Template, values: &Values<'_>) -> Result<String, InputProblem> {
    let mut text = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for part in &template.parts {
        match part {
            Part::Literal(literal) => {
                for character in literal.chars() {
                    match character {
                        _ if escaped => escaped = false,
                        '\\' => escaped = in_string,
                        '"' => in_string = !in_string,
                        _ => {}
                    }
                }
                text.push_str(literal);
            }
            Part::Property(name) if in_string => {
                let value = Value::from(&*values.text(name)?).to_string();
                // Without its quotes.
                text.push_str(&value[1..value.len() - 1]);
            }
            Part::Property(name) => text.push_str(&typed(name, values)?.to_string()),
        }
    }
    match serde_json::from_str::<IgnoredAny>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(InputProblem(format!("the body would be no JSON: {error}"))),
    }
}

fn fill_with(
    template: &Template,
    values: &Values<'_>,
    write: fn(&str, &mut String) -> bool,
) -> Result<String, InputProblem> {
    let mut text = String::new();
    for part in &template.parts {
        match part {
            Part::Literal(literal) => text.push_str(literal),
            Part::Property(name) => {
                if !write(&values.text(name)?, &mut text) {
                    return Err(InputProblem(format!(
                        "input.{name} holds a character that the body cannot hold"
                    )));
                }
            }
        }
    }
    Ok(text)
}

fn form_encoded(value: &str, text: &mut String) -> bool {
    text.extend(url::form_urlencoded::byte_serialize(value.as_bytes()));
    true
}

fn xml_escaped(value: &str, text: &mut String) -> bool {
    for character in value.chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            '\t' | '\n' | '\r' => text.push(character),
            character if character.is_control() => return false,
            character => text.push(character),
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;
    use serde_json::json;

    fn body(kind: NodeKind, content_type: Option<&str>, value: Value) -> Result<String, String> {
        let node = Node {
            kind,
            span: Span::empty(0),
        };
        let body = Body::new(Some(&node), content_type.map(Some))?;
        let schema = json!({ "properties": { "s": {} } });
        let input = json!({ "s": value });
        let filled = body.fill(&Values::new(&input, &schema));
        filled
            .map(|filled| filled.unwrap().0)
            .map_err(|problem| problem.0)
    }

    #[test]
    fn a_value_in_a_text_is_written_in_its_language() {
        let json = Some("application/vnd.x+json; charset=utf-8");
        for (text, content_type, value, expected) in [
            (
                r#"{"a":"<{{s}}>"}"#,
                None,
                json!("\"},{\n"),
                Ok(r#"{"a":"<\"},{\n>"}"#),
            ),
            (
                r#" {"a\"":"{{s}}"}"#,
                json,
                json!("\\"),
                Ok(r#" {"a\"":"\\"}"#),
            ),
            (
                r#"{"a":{{s}}}"#,
                json,
                json!("1,\"b\":2"),
                Ok(r#"{"a":"1,\"b\":2"}"#),
            ),
            (
                r#"{"a":{{s}},"b":"{{s}}"}"#,
                json,
                json!(7),
                Ok(r#"{"a":7,"b":"7"}"#),
            ),
            (
                r#"{"a":"{{s}}"}"#,
                json,
                json!({ "k": "\"" }),
                Ok(r#"{"a":"{\"k\":\"\\\"\"}"}"#),
            ),
            (
                "{{s}}1",
                json,
                json!({}),
                Err("the body would be no JSON: "),
            ),
            (
                "a={{s}}&b=1",
                Some("application/x-www-form-urlencoded"),
                json!("x&b=2 ä"),
                Ok("a=x%26b%3D2+%C3%A4&b=1"),
            ),
            (
                "<a b='{{s}}'/>",
                Some("text/xml"),
                json!("'/><&\""),
                Ok("<a b='&#39;/&gt;&lt;&amp;&quot;'/>"),
            ),
            (
                "<a>{{s}}</a>",
                Some("application/xml"),
                json!("\u{1}"),
                Err("input.s holds a character"),
            ),
            ("say {{s}}", None, json!("\"a\""), Ok("say \"a\"")),
            (
                "say {{s}}",
                Some("Text/Plain"),
                json!("\"a\""),
                Ok("say \"a\""),
            ),
            (
                "x,{{s}}",
                Some("text/csv"),
                json!("a"),
                Err("a body takes placeholders as"),
            ),
            ("x,y", Some("text/csv"), json!("a"), Ok("x,y")),
            ("say {{s}}", None, Value::Null, Err("input.s is null")),
        ] {
            let filled = body(NodeKind::String(text.into()), content_type, value);
            match (filled, expected) {
                (Ok(filled), Ok(expected)) => assert_eq!(filled, expected),
                (Err(problem), Err(expected)) => {
                    assert!(problem.starts_with(expected), "{problem}")
                }
                (filled, _) => panic!("{text}: {filled:?}"),
            }
        }
    }

    #[test]
    fn in_a_table_a_placeholder_alone_is_the_typed_value() {
        let text = |text: &str| Node {
            kind: NodeKind::String(text.into()),
            span: Span::empty(0),
        };
        let items = || NodeKind::Array(vec![text("{{s}}"), text("n: {{ s }}"), text("{{x")]);
        for (value, expected) in [
            (json!(7), r#"[7,"n: 7","{{x"]"#),
            (json!("7"), r#"["7","n: 7","{{x"]"#),
            (json!([true]), r#"[[true],"n: [true]","{{x"]"#),
        ] {
            assert_eq!(body(items(), None, value).unwrap(), expected);
        }
        let problem = body(items(), None, Value::Null).unwrap_err();
        assert_eq!(problem, "input.s is null, which cannot be put into a call");
    }
}
