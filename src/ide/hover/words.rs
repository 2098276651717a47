//! Keys, words and durations of the format, keywords of JSON Schema, codes.

use crate::check::{Code, Severity, pages};
use crate::definition::parse_duration;
use crate::format::json_schema;
use crate::format::{KeySpec, Type};
use crate::ide::markdown::{self, code};
use crate::ide::place::Place;
use crate::ide::shape::Shape;

/// What a key is, for whoever writes it.
pub fn about_key(key: &KeySpec) -> String {
    let mut facts = vec![key.kind.describe()];
    if key.required {
        facts.push("required".into());
    }
    if !key.default.is_empty() {
        facts.push(format!("default: {}", key.default));
    }
    let example = match key.kind {
        Type::Table(_) => format!("[{}]\n{}", key.name, key.example),
        Type::Tables(_) => format!("[[{}]]\n{}", key.name, key.example),
        _ => format!("{} = {}", key.name, key.example),
    };
    let mut text = format!(
        "**`{}`** — {}\n\n{}",
        key.name,
        facts.join(" · "),
        key.meaning
    );
    let kind = match key.kind {
        Type::Map(item) => *item,
        kind => kind,
    };
    if let Type::Word(words) = kind {
        text.push('\n');
        for word in words {
            text.push_str(&format!("\n- `{}`: {}", word.name, word.meaning));
        }
    }
    text.push_str("\n\n");
    text.push_str(&markdown::fenced("toml", &example));
    text
}

/// What the value of `place` comes to, where it is a word or a duration.
pub fn value(place: &Place, shape: Shape) -> Option<String> {
    let text = place.text()?;
    let Shape::Format(kind) = shape else {
        return None;
    };
    match kind {
        Type::Duration => {
            let milliseconds = parse_duration(text).ok()?;
            Some(format!("{} = {milliseconds} ms", code(text)))
        }
        Type::Word(words) => {
            let word = words.iter().find(|word| word.name == text)?;
            Some(format!("`{}`: {}", word.name, word.meaning))
        }
        _ => None,
    }
}

/// What a keyword of JSON Schema says.
pub fn about_keyword(name: &str) -> Option<String> {
    let meaning = json_schema::find(name)?.meaning;
    Some(format!("**`{name}`** — JSON Schema\n\n{meaning}"))
}

/// A code that a comment allows.
pub fn allowed_code(name: &str) -> String {
    let Some(found) = Code::from_name(name) else {
        return format!("There is no code {}", code(name));
    };
    let severity = found.severity();
    let silenced = match severity {
        Severity::Error => "; no comment silences an error",
        _ => "",
    };
    format!(
        "**`{name}`** — {}{silenced}\n\n{}",
        severity.as_str(),
        pages::summary(found)
    )
}
