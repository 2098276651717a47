//! What is told about the thing under the cursor.

mod mode;
mod model;
mod tool;
mod words;

pub(super) use mode::{limit_value, limits_table};

use super::embedded::{is_variable, takes_placeholders, takes_variables};
use super::markdown::{self, code};
use super::patterns::{WrittenPattern, pattern_at};
use super::place::{On, Place, Step, place_at};
use super::references::tool_name;
use super::shape::Shape;
use crate::check::{Analysis, allows};
use crate::definition::placeholder::placeholders;
use crate::definition::{Mention, StringPlaces, Surroundings, Target, Variable, variables};
use crate::format;
use crate::text::Span;
use std::ops::Range;

/// What is told, and about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about; covers the cursor.
    pub span: Span,
    /// Markdown; all foreign text in it is escaped or fenced.
    pub markdown: String,
}

/// What is told about the thing at byte `offset`.
pub fn hover(analysis: &Analysis, surroundings: &dyn Surroundings, offset: usize) -> Option<Hover> {
    if let Some(mention) = analysis.mentions().at(offset) {
        return Some(Hover {
            span: mention.span,
            markdown: about_mention(analysis, surroundings, mention),
        });
    }
    if let Some(pattern) = pattern_at(analysis, offset) {
        return Some(Hover {
            span: pattern.written.span,
            markdown: about_pattern(analysis, &pattern),
        });
    }
    let allows = allows(analysis);
    if let Some(allow) = allows.iter().find(|allow| allow.span.touches(offset)) {
        return Some(Hover {
            span: allow.span,
            markdown: words::allowed_code(allow.name),
        });
    }
    let place = place_at(&analysis.table, offset)?;
    within_string(analysis, surroundings, &place, offset).or_else(|| {
        Some(Hover {
            span: place.span,
            markdown: at_place(analysis, surroundings, &place)?,
        })
    })
}

fn about_mention(analysis: &Analysis, surroundings: &dyn Surroundings, mention: Mention) -> String {
    let definition = &analysis.definition;
    match mention.target {
        Target::Tool(index) => tool::tool(definition, index),
        Target::Produced { tool: index, .. } => {
            let (name, _) = tool_name(analysis, mention.target).unwrap_or_default();
            let of = tool::tool(definition, index);
            format!("{}, as the model sees it, of:\n\n{of}", code(name.trim()))
        }
        Target::Mode(index) => mode::mode(analysis, definition.modes.get(index)),
        Target::Delegate(_) => {
            let (name, _) = tool_name(analysis, mention.target).unwrap_or_default();
            tool::delegate(surroundings, name)
        }
        Target::Property {
            tool: index,
            property,
        } => tool::property(definition, index, property),
    }
}

/// What a pattern with wildcards matches.
fn about_pattern(analysis: &Analysis, pattern: &WrittenPattern) -> String {
    let targets = pattern.targets(analysis).into_iter();
    let names = targets.filter_map(|target| tool_name(analysis, target));
    let names: Vec<String> = names.map(|(name, _)| code(name.trim())).collect();
    let shown = code(&pattern.written.value);
    match names.is_empty() {
        true => format!("The pattern {shown} matches no tool that this file names"),
        false => format!("The pattern {shown} matches {}", markdown::list(&names)),
    }
}

/// A placeholder or a variable in the string that the cursor is in.
fn within_string(
    analysis: &Analysis,
    surroundings: &dyn Surroundings,
    place: &Place,
    offset: usize,
) -> Option<Hover> {
    let text = place.text().filter(|_| place.on == On::Value)?;
    let keys = place.keys();
    let touched = |range: &Range<usize>| {
        let span = StringPlaces::new(&analysis.text, place.span)?.place(range)?;
        span.touches(offset).then_some(span)
    };
    if takes_variables(&keys) {
        for Variable { range, name } in variables(text) {
            if let Some(span) = touched(&range) {
                let markdown = model::variable(surroundings, name);
                return Some(Hover { span, markdown });
            }
        }
    }
    if takes_placeholders(&keys) {
        for placeholder in placeholders(text) {
            if let Some(span) = touched(&placeholder.range) {
                let name = code(placeholder.name);
                let markdown = format!("The tool's `input` has no property {name}");
                return Some(Hover { span, markdown });
            }
        }
    }
    None
}

fn at_place(analysis: &Analysis, surroundings: &dyn Surroundings, place: &Place) -> Option<String> {
    let definition = &analysis.definition;
    let keys = place.keys();
    let key = format::key_at(keys.iter().copied());
    let of_mode = place
        .index_in("modes")
        .and_then(|index| definition.modes.get(index));
    let mut parts = Vec::new();
    if place.on == On::Value {
        parts.extend(words::value(place, shape_at(&place.path)));
        if let Some(name) = place.text().filter(|_| is_variable(&keys)) {
            parts.push(model::variable(surroundings, name));
        }
    }
    let whole = match (keys.as_slice(), place.on) {
        (["modes"], _) if of_mode.is_some() => Some(mode::mode(analysis, of_mode)),
        (["modes", "limits", ..], _) if of_mode.is_some() => Some(mode::mode(analysis, of_mode)),
        (["limits", ..], _) => Some(mode::mode(analysis, None)),
        (["tools"], On::Table) => {
            let index = place.index_in("tools");
            index.map(|index| tool::tool(definition, index))
        }
        (["model"], _) | (["model", "provider" | "name" | "base_url"], On::Value) => {
            let model = definition.model.get();
            model.map(|model| model::model(surroundings, model))
        }
        (["modes", "model"], _)
        | (["modes", "model", "provider" | "name" | "base_url"], On::Value) => {
            let model = of_mode.and_then(|mode| mode.model.get());
            model.map(|model| model::model(surroundings, model))
        }
        _ => None,
    };
    // At the header of a mode or a tool itself the key `modes` or `tools` is no news.
    let is_item = place.on == On::Table && matches!(keys.as_slice(), ["modes"] | ["tools"]);
    if !(is_item && whole.is_some()) {
        parts.extend(key.map(words::about_key));
    }
    if place.on != On::Value {
        parts.extend(keyword(place).and_then(words::about_keyword));
    }
    parts.extend(whole);
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

/// The key of the place, if it stands where JSON Schema has keywords.
fn keyword<'a>(place: &Place<'a>) -> Option<&'a str> {
    let (last, path) = place.path.split_last()?;
    let Step::Key(name) = last else { return None };
    matches!(shape_at(path), Shape::Schema).then_some(name)
}

fn shape_at(path: &[Step]) -> Shape {
    let step = |shape: Shape, step: &Step| match step {
        Step::Key(key) => shape.of_key(key),
        Step::Index(_) => shape.of_item(),
    };
    path.iter().fold(Shape::DEFINITION, step)
}
