//! Every key and value of a text, in order, with what the format says of it. It follows what is written and not the
//! tables that it means, so that nothing is left out of a text with mistakes.

use super::shape::Shape;
use crate::syntax::{Key, KeyValue, Statement, Tree, Value, ValueKind};

/// Something that is written.
#[derive(Clone, Copy, Debug)]
pub enum Written<'t> {
    /// One part of the name in a header, which has double brackets or not.
    HeaderKey(&'t Key, bool),
    /// One part of a key.
    Key(&'t Key),
    /// A value that is neither an array nor an inline table.
    Value(&'t Value),
}

/// Where it is written.
#[derive(Clone, Debug)]
pub struct Place<'t> {
    /// The keys that lead there from the top, its own included.
    pub path: Vec<&'t str>,
    /// What the format says of what is there.
    pub shape: Shape,
}

impl<'t> Place<'t> {
    fn step(&mut self, key: &'t str) {
        self.path.push(key);
        self.shape = self.shape.of_key(key);
    }
}

/// Calls `visit` for everything that is written in `tree`.
pub fn walk<'t>(tree: &'t Tree, visit: &mut dyn FnMut(Written<'t>, &Place<'t>)) {
    let top = Place {
        path: Vec::new(),
        shape: Shape::DEFINITION,
    };
    let mut table = top.clone();
    for statement in &tree.statements {
        match statement {
            Statement::Header(header) => {
                table = top.clone();
                for key in &header.keys {
                    table.step(&key.name);
                    visit(Written::HeaderKey(key, header.array), &table);
                }
            }
            Statement::KeyValue(pair) => in_pair(pair, &table, visit),
        }
    }
}

fn in_pair<'t>(
    pair: &'t KeyValue,
    table: &Place<'t>,
    visit: &mut dyn FnMut(Written<'t>, &Place<'t>),
) {
    let mut place = table.clone();
    for key in &pair.keys {
        place.step(&key.name);
        visit(Written::Key(key), &place);
    }
    in_value(&pair.value, &place, visit);
}

fn in_value<'t>(
    value: &'t Value,
    place: &Place<'t>,
    visit: &mut dyn FnMut(Written<'t>, &Place<'t>),
) {
    match &value.kind {
        ValueKind::Array(array) => {
            let item = Place {
                path: place.path.clone(),
                shape: place.shape.of_item(),
            };
            for value in &array.items {
                in_value(value, &item, visit);
            }
        }
        ValueKind::InlineTable(table) => {
            for pair in &table.entries {
                in_pair(pair, place, visit);
            }
        }
        _ => visit(Written::Value(value), place),
    }
}
