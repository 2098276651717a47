//! The address of a request: what a model puts in can change neither where it goes nor which part of it is which.

use super::super::InputProblem;
use super::super::environment::{self, variable};
use super::super::template::{self, Template, Values};
use super::connection::refused_host;
use crate::definition::Spanned;
use crate::text::Text;
use reqwest::Url;
use serde_json::Value;
use std::borrow::Cow;
use url::Origin;

/// The address of a definition, taken apart.
pub struct Address {
    parts: Vec<(Part, Component)>,
    /// Scheme, host and port, which are the file's own.
    origin: Origin,
}

enum Part {
    Literal(String),
    Variable { name: String, value: String },
    Property(String),
}

/// Which part of an address a character belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Scheme,
    Host,
    Path,
    Query,
    Fragment,
}

impl Component {
    /// Splits `text`, which begins in this component, into what belongs to one component each.
    fn split(mut self, mut text: &str) -> Vec<(&str, Self)> {
        let mut pieces = Vec::new();
        loop {
            let end = match self {
                Self::Scheme => text.find("://").map(|at| (at + 3, Self::Host)),
                Self::Host => text.find(['/', '?', '#']).map(|at| {
                    let next = match text.as_bytes()[at] {
                        b'/' => Self::Path,
                        b'?' => Self::Query,
                        _ => Self::Fragment,
                    };
                    (at, next)
                }),
                Self::Path => text.find(['?', '#']).map(|at| {
                    let next = match text.as_bytes()[at] {
                        b'?' => Self::Query,
                        _ => Self::Fragment,
                    };
                    (at, next)
                }),
                Self::Query => text.find('#').map(|at| (at, Self::Fragment)),
                Self::Fragment => None,
            };
            let Some((end, next)) = end else {
                pieces.push((text, self));
                return pieces;
            };
            pieces.push((&text[..end], self));
            text = &text[end..];
            self = next;
        }
    }
}

impl Address {
    /// Takes `url` apart and reads its variables from `environment`.
    ///
    /// # Errors
    ///
    /// It is no address, or goes to where no request may go; or a variable is not set or names the host.
    pub fn new(
        url: &Spanned<Text>,
        environment: &[(String, String)],
    ) -> Result<Self, Spanned<String>> {
        let problem = |value: String| Spanned {
            value,
            span: url.span,
        };
        let mut parts = Vec::new();
        let mut component = Component::Scheme;
        for part in Template::new(&url.value).parts {
            let text = match part {
                template::Part::Property(name) => {
                    parts.push((Part::Property(name), component));
                    continue;
                }
                template::Part::Literal(text) => text,
            };
            for part in environment::parts(&text) {
                match part {
                    environment::Part::Plain(text) => {
                        for (text, at) in component.split(text) {
                            parts.push((Part::Literal(text.to_owned()), at));
                            component = at;
                        }
                    }
                    environment::Part::Variable(name) => {
                        let value = variable(name, url.span, environment)?.to_owned();
                        let name = name.to_owned();
                        parts.push((Part::Variable { name, value }, component));
                    }
                }
            }
        }
        let chosen = parts.iter().any(|(part, component)| {
            let is_literal = matches!(part, Part::Literal(_));
            !is_literal && matches!(component, Component::Scheme | Component::Host)
        });
        if chosen {
            let message = "where a request goes must stand in the file: no variable or placeholder before the path";
            return Err(problem(message.into()));
        }
        let literal: String = parts
            .iter()
            .filter_map(|(part, _)| match part {
                Part::Literal(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let base = Url::parse(&literal);
        let base = base.map_err(|error| problem(format!("`url` is no address: {error}")))?;
        if let Some(refused) = base.host().and_then(|host| refused_host(&host)) {
            return Err(problem(refused));
        }
        Ok(Self {
            parts,
            origin: base.origin(),
        })
    }

    /// Whether the property `name` is put in.
    pub fn uses(&self, name: &str) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|(part, _)| matches!(part, Part::Property(used) if used == name))
    }

    /// The address of one call.
    ///
    /// # Errors
    ///
    /// A value that cannot be put where it belongs.
    pub fn fill(&self, values: &Values<'_>) -> Result<Filled, InputProblem> {
        let mut filled = Filled::default();
        for (part, component) in &self.parts {
            let in_path = *component == Component::Path;
            match part {
                // It is not sent.
                _ if *component == Component::Fragment => {}
                Part::Literal(text) => filled.push(text, text),
                Part::Variable { name, value } => {
                    let encoded = encoded(value, if in_path { "/" } else { "" });
                    filled.push(&encoded, &format!("${{{name}}}"));
                }
                Part::Property(name) => {
                    let text = values.text(name)?;
                    if in_path && matches!(&*text, "" | "." | "..") {
                        return Err(InputProblem(format!(
                            "input.{name} must not be empty, `.` or `..`: it is part of a path"
                        )));
                    }
                    let encoded = encoded(&text, "");
                    filled.push(&encoded, &encoded);
                }
            }
        }
        Ok(filled)
    }
}

/// An address with everything put in.
#[derive(Default)]
pub struct Filled {
    text: String,
    /// The same for people: with the names of variables, whose values may be secret.
    pub shown: String,
}

impl Filled {
    fn push(&mut self, text: &str, shown: &str) {
        self.text.push_str(text);
        self.shown.push_str(shown);
    }

    /// Adds a parameter to the query; null adds none.
    ///
    /// # Errors
    ///
    /// A value that no request can hold.
    pub fn add_query(&mut self, name: &str, value: &Value) -> Result<(), InputProblem> {
        let text = match value {
            Value::Null => return Ok(()),
            Value::String(text) if text.contains('\0') => {
                return Err(InputProblem(format!(
                    "input.{name} contains a NUL character"
                )));
            }
            Value::String(text) => Cow::Borrowed(text.as_str()),
            value => Cow::Owned(value.to_string()),
        };
        let separator = match self.text.find('?') {
            None => "?",
            Some(_) if self.text.ends_with(['?', '&']) => "",
            Some(_) => "&",
        };
        let parameter = format!("{separator}{}={}", encoded(name, ""), encoded(&text, ""));
        self.push(&parameter, &parameter);
        Ok(())
    }

    /// The address, which is one of `address`.
    ///
    /// # Errors
    ///
    /// It is none: a last look at what the rules above already hold.
    pub fn url(&self, address: &Address) -> Result<Url, InputProblem> {
        let url = Url::parse(&self.text).ok();
        url.filter(|url| url.origin() == address.origin)
            .ok_or_else(|| InputProblem("the input makes no address".into()))
    }
}

/// `text` with every byte percent-encoded that is neither unreserved nor in `kept`.
fn encoded(text: &str, kept: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let character = char::from(byte);
        if character.is_ascii_alphanumeric()
            || "-._~".contains(character)
            || kept.contains(character)
        {
            encoded.push(character);
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Span;
    use serde_json::json;

    fn address(url: &str) -> Result<Address, String> {
        let url = Spanned {
            value: url.into(),
            span: Span::empty(0),
        };
        let variables = [("REPO", "a b/c"), ("KEY", "k&y=1"), ("EVIL", "{{s}}")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Address::new(&url, &variables).map_err(|problem| problem.value)
    }

    fn filled(url: &str, value: Value) -> Result<(String, String), String> {
        let address = address(url).unwrap();
        let schema = json!({ "properties": { "s": {} } });
        let input = json!({ "s": value });
        let filled = address.fill(&Values::new(&input, &schema));
        let filled = filled.map_err(|problem| problem.0)?;
        let url = filled.url(&address).map_err(|problem| problem.0)?;
        Ok((url.to_string(), filled.shown))
    }

    #[test]
    fn a_value_is_one_segment_or_one_value_of_the_query() {
        for (url, value, expected) in [
            (
                "https://h/a/{{s}}/b",
                json!("x/../y?z#f"),
                "https://h/a/x%2F..%2Fy%3Fz%23f/b",
            ),
            (
                "https://h/a/{{s}}.json",
                json!("ä b"),
                "https://h/a/%C3%A4%20b.json",
            ),
            ("https://h/{{s}}", json!("%2e%2e"), "https://h/%252e%252e"),
            ("https://h/{{s}}", json!("a\\b"), "https://h/a%5Cb"),
            (
                "https://h/a?q={{s}}&r=1",
                json!("x&r=2#f"),
                "https://h/a?q=x%26r%3D2%23f&r=1",
            ),
            ("https://h?q={{s}}", json!(""), "https://h/?q="),
            ("https://h/{{s}}", json!(7), "https://h/7"),
            (
                "https://h/?q={{s}}",
                json!([1, "a"]),
                "https://h/?q=%5B1%2C%22a%22%5D",
            ),
            ("https://h/a#{{s}}", json!("x"), "https://h/a"),
            ("https://H:443/{{s}}", json!("@e/"), "https://h/%40e%2F"),
            // What was put in is not scanned again.
            (
                "https://h/{{s}}",
                json!("{{s}}${KEY}"),
                "https://h/%7B%7Bs%7D%7D%24%7BKEY%7D",
            ),
            ("https://h/${EVIL}", json!("x"), "https://h/%7B%7Bs%7D%7D"),
            (
                "https://h/${REPO}/x?k=${KEY}",
                json!("x"),
                "https://h/a%20b/c/x?k=k%26y%3D1",
            ),
        ] {
            assert_eq!(filled(url, value).unwrap().0, expected, "{url}");
        }
        for value in ["", ".", ".."] {
            let expected = "input.s must not be empty, `.` or `..`: it is part of a path";
            assert_eq!(
                filled("https://h/a/{{s}}", json!(value)).unwrap_err(),
                expected
            );
            assert_eq!(
                filled("https://h/a/{{s}}x", json!(value)).unwrap_err(),
                expected
            );
            assert!(filled("https://h/a?q={{s}}", json!(value)).is_ok());
        }
        assert_eq!(
            filled("https://h/a?q={{s}}", Value::Null).unwrap_err(),
            "input.s is null, which cannot be put into a call"
        );
    }

    #[test]
    fn people_see_the_names_of_variables() {
        let (_, shown) = filled("https://h/${REPO}/{{s}}?k=${KEY}", json!("a b")).unwrap();
        assert_eq!(shown, "https://h/${REPO}/a%20b?k=${KEY}");
    }

    #[test]
    fn parameters_are_added_to_what_the_query_is() {
        for (url, expected) in [
            ("https://h/p", "https://h/p?a%20b=1&c=%26"),
            ("https://h/p#f", "https://h/p?a%20b=1&c=%26"),
            ("https://h/p?", "https://h/p?a%20b=1&c=%26"),
            ("https://h/p?x=1", "https://h/p?x=1&a%20b=1&c=%26"),
        ] {
            let address = address(url).unwrap();
            let (input, schema) = (json!({}), json!({}));
            let mut filled = address.fill(&Values::new(&input, &schema)).unwrap();
            filled.add_query("a b", &json!(1)).unwrap();
            filled.add_query("n", &Value::Null).unwrap();
            filled.add_query("c", &json!("&")).unwrap();
            assert_eq!(filled.url(&address).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn where_a_request_goes_stands_in_the_file() {
        for (url, expected) in [
            (
                "https://${KEY}/a",
                "where a request goes must stand in the file",
            ),
            (
                "https://h${KEY}/a",
                "where a request goes must stand in the file",
            ),
            (
                "${KEY}://h/a",
                "where a request goes must stand in the file",
            ),
            (
                "https://h:{{s}}/a",
                "where a request goes must stand in the file",
            ),
            (
                "https://h/${NOPE}",
                "the environment variable `NOPE` is not set",
            ),
            ("https:///", "`url` is no address"),
            (
                "https://169.254.169.254/latest",
                "`169.254.169.254` is a link-local address",
            ),
            (
                "https://2852039166/latest",
                "`169.254.169.254` is a link-local address",
            ),
            ("https://[fe80::1]/", "`[fe80::1]` is a link-local address"),
            (
                "https://[::ffff:a9fe:a9fe]/",
                "`[::ffff:a9fe:a9fe]` is a link-local address",
            ),
        ] {
            let problem = address(url).err().unwrap();
            assert!(problem.starts_with(expected), "{url}: {problem}");
        }
    }
}
