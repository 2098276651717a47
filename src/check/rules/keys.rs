//! `unknown_key`, `wrong_type`, `missing_key`, and `invalid_value` for words and durations: what the description of
//! the format alone decides.

use super::{choices, did_you_mean, worth_guessing};
use crate::check::{Analysis, Code, Diagnostic, Repair};
use crate::definition::parse_duration;
use crate::format::{self, KeySpec, TableSpec, Type};
use crate::syntax::{Entry, Form, Node, NodeKind, Table, render};
use crate::text::{Edit, Span};

/// Tables whose missing keys have kinds of harness's own, which the rules beside this one report.
const REPORTED_ELSEWHERE: [&str; 5] = [
    "the top level",
    "`[model]`",
    "`[output]`",
    "`[[tools]]`",
    "`[[modes]]`",
];

/// Words whose misuse has a kind of harness's own.
const WORDS_REPORTED_ELSEWHERE: [&str; 2] = ["provider", "effort"];

pub fn check(analysis: &Analysis, found: &mut Vec<Diagnostic>) {
    table(&analysis.table, &format::DEFINITION, None, found);
}

fn table(
    table: &Table,
    spec: &'static TableSpec,
    parent: Option<&'static TableSpec>,
    found: &mut Vec<Diagnostic>,
) {
    let is_absent = |key: &&str| table.entry(key).is_none();
    let absent = || spec.keys.iter().map(|key| key.name).filter(is_absent);
    for entry in &table.entries {
        match spec.key(&entry.key.name) {
            Some(key) => value(&entry.value, key.kind, Where { key, spec }, found),
            None => {
                let guesses = worth_guessing(found).then(absent);
                found.push(unknown(entry, guesses.into_iter().flatten(), spec, parent));
            }
        }
    }
    if REPORTED_ELSEWHERE.contains(&spec.title) {
        return;
    }
    for key in spec
        .keys
        .iter()
        .filter(|key| key.required && table.entry(key.name).is_none())
    {
        found.push(Diagnostic::new(
            Code::MissingKey,
            table.span,
            format!(
                "{} needs `{}`, such as `{}`",
                spec.title,
                key.name,
                key.assignment()
            ),
        ));
    }
}

fn unknown<'a>(
    entry: &Entry,
    guesses: impl Iterator<Item = &'a str>,
    spec: &'static TableSpec,
    parent: Option<&'static TableSpec>,
) -> Diagnostic {
    let name = entry.key.name.as_str();
    let shown = name.escape_debug();
    let say = |message: String| Diagnostic::new(Code::UnknownKey, entry.key.span, message);
    if format::NOT_IN_FORMAT.contains(&name) {
        return say(format!(
            "harness has `{shown}`, a definition file has not: it belongs to the program that hosts the loop"
        ));
    }
    let place = if spec.title.starts_with("the ") {
        "at"
    } else {
        "in"
    };
    if let Some(meant) = did_you_mean(name, guesses) {
        let message = format!(
            "there is no key `{shown}` {place} {}; did you mean `{meant}`?",
            spec.title
        );
        return say(message).with_meant(Some(meant), render::key);
    }
    let mut homes = format::tables_with_key(name);
    homes.sort_by_key(|home| !parent.is_some_and(|parent| std::ptr::eq(*home, parent)));
    say(match homes.first() {
        Some(home) => format!(
            "`{shown}` is no key of {}; it belongs to {}",
            spec.title, home.title
        ),
        None => format!("there is no key `{shown}` {place} {}", spec.title),
    })
}

/// The key whose value is looked at, and its table.
#[derive(Clone, Copy)]
struct Where {
    key: &'static KeySpec,
    spec: &'static TableSpec,
}

fn value(node: &Node, kind: Type, place: Where, found: &mut Vec<Diagnostic>) {
    match (kind, &node.kind) {
        // Reported as a syntax error.
        (_, NodeKind::Missing | NodeKind::Bad) => {}
        (Type::Any, _) => {}
        (Type::String | Type::Path, NodeKind::String(_)) => {}
        (Type::Integer, NodeKind::Integer(_)) => {}
        (Type::Number, NodeKind::Integer(_) | NodeKind::Float(_)) => {}
        (Type::Boolean, NodeKind::Boolean(_)) => {}
        (Type::StringOrTable, NodeKind::String(_) | NodeKind::Table(_)) => {}
        (Type::FreeTable | Type::JsonSchema, NodeKind::Table(_)) => {}
        (Type::Argument, NodeKind::String(_)) => {}
        (Type::Argument, NodeKind::Array(items)) => {
            items
                .iter()
                .for_each(|item| value(item, Type::String, place, found));
        }
        (Type::Word(words), NodeKind::String(text)) => {
            let known = || words.iter().map(|word| word.name);
            if !WORDS_REPORTED_ELSEWHERE.contains(&place.key.name)
                && !known().any(|word| word == text)
            {
                let choices = choices(text, known());
                let message = format!(
                    "`{}` is no {}{choices}",
                    text.escape_debug(),
                    place.key.name
                );
                let meant = did_you_mean(text, known());
                found.push(
                    Diagnostic::new(Code::InvalidValue, node.span, message)
                        .with_meant(meant, render::string),
                );
            }
        }
        (Type::Duration, NodeKind::String(text)) => {
            if let Err(problem) = parse_duration(text) {
                let message = format!(
                    "`{}` is no duration: {problem}; write `\"1m30s\"` or `\"250ms\"`",
                    text.escape_debug()
                );
                found.push(Diagnostic::new(Code::InvalidValue, node.span, message));
            }
        }
        (Type::Duration, NodeKind::Integer(number)) => {
            let message = format!(
                "`{}` is a duration, and a number alone has no unit; write `\"{number}s\"` or `\"{number}ms\"`",
                place.key.name
            );
            let guess = |unit| {
                (
                    format!("Change to `\"{number}{unit}\"`"),
                    Repair::Replace(format!("\"{number}{unit}\"")),
                )
            };
            let (seconds, milliseconds) = (guess("s"), guess("ms"));
            found.push(
                Diagnostic::new(Code::WrongType, node.span, message)
                    .with_guess(seconds.0, seconds.1)
                    .with_guess(milliseconds.0, milliseconds.1),
            );
        }
        (Type::Array(item), NodeKind::Array(items)) => {
            items
                .iter()
                .for_each(|node| value(node, *item, place, found));
        }
        (Type::Map(item), NodeKind::Table(map)) => {
            map.entries
                .iter()
                .for_each(|entry| value(&entry.value, *item, place, found));
        }
        (Type::Table(inner), NodeKind::Table(inside)) => {
            table(inside, inner, Some(place.spec), found)
        }
        (Type::Tables(inner), NodeKind::Tables(tables)) => {
            tables
                .iter()
                .for_each(|inside| table(inside, inner, Some(place.spec), found));
        }
        (Type::Tables(inner), NodeKind::Array(items)) => {
            for item in items {
                match &item.kind {
                    NodeKind::Table(inside) => table(inside, inner, Some(place.spec), found),
                    NodeKind::Missing | NodeKind::Bad => {}
                    other => found.push(wrong_type(place.key, "holds tables", other, item)),
                }
            }
        }
        (Type::Tables(_), NodeKind::Table(inside)) => {
            let message = format!(
                "there can be several `{0}`, so write `[[{0}]]`",
                place.key.name
            );
            let diagnostic = Diagnostic::new(Code::WrongType, inside.span, message);
            found.push(match inside.form {
                Form::Header => diagnostic.with_remedy(
                    format!("Change to `[[{}]]`", place.key.name),
                    Repair::Edits(vec![
                        Edit {
                            span: Span::empty(inside.span.start),
                            text: "[".into(),
                        },
                        Edit {
                            span: Span::empty(inside.span.end),
                            text: "]".into(),
                        },
                    ]),
                ),
                _ => diagnostic,
            });
        }
        (kind, other) => {
            let diagnostic = wrong_type(place.key, &format!("is {}", kind.describe()), other, node);
            found.push(match as_type(kind, other, node) {
                Some(text) => {
                    diagnostic.with_remedy(format!("Change to `{text}`"), Repair::Replace(text))
                }
                None => diagnostic,
            });
        }
    }
}

fn wrong_type(key: &KeySpec, wanted: &str, got: &NodeKind, node: &Node) -> Diagnostic {
    Diagnostic::new(
        Code::WrongType,
        node.span,
        format!("`{}` {wanted}, and this is {}", key.name, describe(got)),
    )
}

/// The value as the type that is wanted, where there is one way to write it so.
fn as_type(kind: Type, value: &NodeKind, node: &Node) -> Option<String> {
    match (kind, value) {
        (Type::Integer, NodeKind::String(text)) => text
            .trim()
            .parse::<i64>()
            .ok()
            .map(|number| number.to_string()),
        (Type::Integer, NodeKind::Float(number))
            if number.fract() == 0.0 && number.abs() < 1e15 =>
        {
            Some(format!("{number:.0}"))
        }
        (Type::Boolean, NodeKind::String(text)) => {
            let text = text.trim();
            (text == "true" || text == "false").then(|| text.to_owned())
        }
        (Type::String | Type::Path, NodeKind::Integer(number)) => {
            Some(render::string(&number.to_string()))
        }
        (Type::String | Type::Path, NodeKind::Boolean(value)) => {
            Some(render::string(&value.to_string()))
        }
        (Type::Array(Type::String | Type::Argument | Type::Word(_)), NodeKind::String(text))
            if !node.span.is_empty() =>
        {
            Some(format!("[{}]", render::string(text)))
        }
        (Type::Array(Type::Integer), NodeKind::Integer(number)) => Some(format!("[{number}]")),
        _ => None,
    }
}

fn describe(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::String(_) => "a string",
        NodeKind::Integer(_) => "an integer",
        NodeKind::Float(_) => "a float",
        NodeKind::Boolean(_) => "a boolean",
        NodeKind::Datetime(_) => "a date or time",
        NodeKind::Array(_) => "an array",
        NodeKind::Tables(_) => "an array of tables",
        NodeKind::Table(_) => "a table",
        NodeKind::Missing | NodeKind::Bad => "no value",
    }
}
