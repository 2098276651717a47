//! What is said of keys and tables that cannot be where others are already.

use super::draft::DraftValue;
use super::{Form, Key, Node, NodeKind, render};

fn shown(key: &Key) -> String {
    render::key(&key.name)
}

fn dotted(keys: &[Key]) -> String {
    let names: Vec<String> = keys.iter().map(shown).collect();
    names.join(".")
}

/// Of the first of two.
pub(super) fn set_here(key: &Key) -> String {
    format!("`{}` is set here", shown(key))
}

/// Of a key that is there already.
pub(super) fn set_twice(key: &Key, first: &DraftValue) -> String {
    let name = shown(key);
    match first {
        DraftValue::Node(_) => format!("`{name}` is set twice; remove one of them"),
        DraftValue::Table(_) => format!("`{name}` is a table already; remove one of them"),
        DraftValue::Tables(_) => {
            format!("`{name}` is an array of tables already; remove one of them")
        }
    }
}

/// Of a dotted key, of which `key` is `first` and cannot hold `next`.
pub(super) fn cannot_hold(key: &Key, next: &Key, first: &DraftValue) -> String {
    let (name, next) = (shown(key), shown(next));
    match first {
        DraftValue::Node(node) => match node.kind {
            NodeKind::Table(_) => format!(
                "`{name}` is an inline table, which its braces complete; write `{next}` inside them"
            ),
            _ => {
                let what = describe(&node.kind);
                format!("`{name}` is {what}, so it cannot have the key `{next}`")
            }
        },
        DraftValue::Tables(_) => {
            format!("`{name}` is an array of tables; write this key below one of its headers")
        }
        DraftValue::Table(_) => format!("`{name}` has a header; write this key below it"),
    }
}

/// Of a header that needs `key` to be a table, which is the value `first`.
pub(super) fn no_table(key: &Key, first: &Node) -> String {
    let name = shown(key);
    match first.kind {
        NodeKind::Table(_) => format!(
            "`{name}` is an inline table, which its braces complete; write what follows inside them"
        ),
        _ => {
            let what = describe(&first.kind);
            format!("`{name}` is {what} already, so it cannot be a table")
        }
    }
}

/// Of `[[key]]`, where `key` is the value `first`.
pub(super) fn no_array(key: &Key, first: &Node) -> String {
    match first.kind {
        NodeKind::Array(_) => {
            let name = shown(key);
            format!("`{name}` is an array already; write this item in it, or remove the array")
        }
        _ => no_table(key, first),
    }
}

/// Of `[keys]`, where it is an array of tables.
pub(super) fn one_of_many(keys: &[Key]) -> String {
    let name = dotted(keys);
    format!("`{name}` is an array of tables; the header of an item is `[[{name}]]`")
}

/// Of `[keys]`, where there is a table of that name and the form `first`.
pub(super) fn table_twice(keys: &[Key], first: Form) -> String {
    let name = dotted(keys);
    match first {
        Form::Header => format!("`[{name}]` stands here twice; put its keys together"),
        _ => format!("`{name}` is made by dotted keys already; put these keys there"),
    }
}

/// Of `[[keys]]`, where there is one table of that name and the form `first`.
pub(super) fn many_of_one(keys: &[Key], first: Form) -> String {
    let name = dotted(keys);
    match first {
        Form::Header => {
            format!("`[{name}]` is one table already; for several, write `[[{name}]]` there too")
        }
        Form::Implicit => {
            format!("a header above belongs to `{name}` already; `[[{name}]]` comes before it")
        }
        _ => format!("`{name}` is made by dotted keys already, as one table"),
    }
}

fn describe(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::String(_) => "a string",
        NodeKind::Integer(_) | NodeKind::Float(_) => "a number",
        NodeKind::Boolean(_) => "a boolean",
        NodeKind::Datetime(_) => "a date or time",
        NodeKind::Array(_) => "an array",
        NodeKind::Tables(_) => "an array of tables",
        NodeKind::Table(_) => "a table",
        NodeKind::Missing | NodeKind::Bad => "a value",
    }
}
