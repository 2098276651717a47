//! What a bind came to, as `loopls bind --format json` and `loopls.bind` tell it.

use super::{Bound, BoundMode, Notice, ToolInfo};
use crate::text::{Encoding, position_at};
use ropey::Rope;
use serde_json::{Value, json};

/// The tools of every mode of `bound`, the base first, and what was left out; version 1 of the format. Lines are
/// zero-based.
pub fn told(bound: &Bound) -> Value {
    let rope = &bound.accepted.analysis().rope;
    let notices = bound.notices.iter().map(|each| notice(rope, each));
    json!({
        "version": 1,
        "name": bound.accepted.definition().name.text(),
        "modes": bound.modes.iter().map(mode).collect::<Vec<_>>(),
        "notices": notices.collect::<Vec<_>>(),
    })
}

fn mode(mode: &BoundMode) -> Value {
    let tools = mode.tools.iter().map(|each| tool(each.info()));
    json!({ "name": mode.name, "tools": tools.collect::<Vec<_>>() })
}

/// A tool as the model sees it, and what the access policy knows of it.
pub fn tool(info: &ToolInfo) -> Value {
    json!({
        "name": info.name,
        "definition": info.definition,
        "description": info.description,
        "effect": info.effect.as_str(),
        "input_schema": info.input_schema,
    })
}

/// What was left out of a definition whose text is `rope`.
pub fn notice(rope: &Rope, notice: &Notice) -> Value {
    let line = position_at(rope, notice.span.start, Encoding::Utf16).line;
    json!({ "message": notice.message, "line": line })
}
