//! What a bind came to, as `loopls bind --format json` and `loopls.bind` tell it.

use super::{Bound, BoundMode, Notice, ToolInfo};
use crate::text::{Encoding, position_at};
use serde_json::{Value, json};

/// The tools of every mode of `bound`, the base first, and what was left out; version 1 of the format. Lines are
/// zero-based.
pub fn told(bound: &Bound) -> Value {
    let rope = &bound.accepted.analysis().rope;
    let notice = |notice: &Notice| {
        let line = position_at(rope, notice.span.start, Encoding::Utf16).line;
        json!({ "message": notice.message, "line": line })
    };
    json!({
        "version": 1,
        "name": bound.accepted.definition().name.text(),
        "modes": bound.modes.iter().map(mode).collect::<Vec<_>>(),
        "notices": bound.notices.iter().map(notice).collect::<Vec<_>>(),
    })
}

fn mode(mode: &BoundMode) -> Value {
    let tools = mode.tools.iter().map(|each| tool(each.info()));
    json!({ "name": mode.name, "tools": tools.collect::<Vec<_>>() })
}

fn tool(info: &ToolInfo) -> Value {
    json!({
        "name": info.name,
        "definition": info.definition,
        "description": info.description,
        "effect": info.effect.as_str(),
        "input_schema": info.input_schema,
    })
}
