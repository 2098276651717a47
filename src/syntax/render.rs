//! How keys and values are written.

use serde_json::Value as Json;
use toml_edit::Value;

/// `name` as a key, quoted only where TOML asks for it.
pub fn key(name: &str) -> String {
    toml_edit::Key::new(name).display_repr().into_owned()
}

/// `text` as a string: in double quotes, in single ones where that saves escapes, in three quotes where it has
/// several lines.
pub fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// `json` as a value on one line, but for strings of several lines. A key whose value is null is left out, for
/// TOML has no null; `None` for what it cannot say either: a null that is no key's value, and an integer out of
/// range.
pub fn value(json: &Json) -> Option<String> {
    Some(to_toml(json)?.to_string())
}

fn to_toml(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => return None,
        Json::Bool(truth) => Value::from(*truth),
        Json::Number(number) if number.is_f64() => Value::from(number.as_f64()?),
        Json::Number(number) => Value::from(number.as_i64()?),
        Json::String(text) => Value::from(text),
        Json::Array(items) => {
            let items = items
                .iter()
                .map(to_toml)
                .collect::<Option<toml_edit::Array>>();
            Value::from(items?)
        }
        Json::Object(entries) => {
            let mut table = toml_edit::InlineTable::new();
            for (key, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
                table.insert(key, to_toml(value)?);
            }
            Value::from(table)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Table, parse};
    use serde_json::json;

    #[test]
    fn keys_are_quoted_where_they_have_to_be() {
        let cases = [
            ("name", "name"),
            ("result_bytes-2", "result_bytes-2"),
            ("1", "1"),
            ("", "\"\""),
            ("a.b", "\"a.b\""),
            ("my key", "\"my key\""),
            ("größe", "\"größe\""),
            ("say \"x\"", "'say \"x\"'"),
        ];
        for (name, written) in cases {
            assert_eq!(key(name), written);
        }
    }

    #[test]
    fn strings_take_the_quotes_that_suit_them() {
        let cases = [
            ("reply", "\"reply\""),
            ("", "\"\""),
            ("C:\\x", "'C:\\x'"),
            ("say \"x\"", "'say \"x\"'"),
            ("don't", "\"don't\""),
            ("a\u{1}b", "\"a\\u0001b\""),
            ("a\nb", "\"\"\"\na\nb\"\"\""),
        ];
        for (text, written) in cases {
            assert_eq!(string(text), written);
        }
    }

    #[test]
    fn whatever_is_written_reads_as_it_was() {
        let values = [
            json!("a \"\"\" ''' \\ \r\n \u{7f}\u{1f} 📦"),
            json!([1, -2.5, 1e300, true, "x", [], {}]),
            json!({ "a b": { "c": [{ "d": "e\nf" }] }, "": i64::MIN, "n.m": 1.0 }),
        ];
        for value in values {
            let text = format!("{} = {}\n", key("x y"), super::value(&value).unwrap());
            let (tree, errors) = parse(&text);
            assert_eq!(errors, [], "{text}");
            assert_eq!(Table::build(&tree).0.to_json()["x y"], value, "{text}");
        }
    }

    #[test]
    fn what_toml_cannot_say() {
        assert_eq!(
            value(&json!({ "a": null, "b": 1 })).as_deref(),
            Some("{ b = 1 }")
        );
        assert_eq!(value(&json!(null)), None);
        assert_eq!(value(&json!([1, null])), None);
        assert_eq!(value(&json!(u64::MAX)), None);
    }
}
