//! What the modes of a definition come to, as `loopls resolve --format json` and `loopls.resolve` tell it.

use crate::definition::{Definition, ResolvedLimit, ResolvedMode, Surroundings};
use crate::text::{Encoding, position_at};
use ropey::Rope;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// A mode with its system prompt, for which files may have to be read.
pub struct ShownMode<'a> {
    /// What it comes to.
    pub mode: ResolvedMode<'a>,
    /// Its whole system prompt; empty for none.
    pub system: String,
}

/// A tool as the model will see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolName<'a> {
    /// It is called this.
    Known(Cow<'a, str>),
    /// The tools of the server of this definition, which only a bind or a probe tells.
    ServerOf(&'a str),
}

/// The tools of `mode`, in order; those of a server as `surroundings` know them.
pub fn tool_names<'a>(
    definition: &'a Definition,
    mode: &ResolvedMode<'_>,
    surroundings: &dyn Surroundings,
) -> Vec<ToolName<'a>> {
    let entries = mode.tools.iter().map(|&index| &definition.tools[index]);
    entries
        .flat_map(|tool| match tool.produced_names() {
            None => match surroundings.probed(tool.name.text()) {
                None => vec![ToolName::ServerOf(tool.name.text())],
                Some(offered) => {
                    let names = offered.iter().cloned();
                    names.map(|name| ToolName::Known(name.into())).collect()
                }
            },
            Some(names) => {
                let names = names.into_iter();
                names
                    .map(|name| ToolName::Known(name.value.into()))
                    .collect()
            }
        })
        .collect()
}

/// The names of the loops that `definition` may hand work to.
pub fn delegates(definition: &Definition) -> Vec<&str> {
    let names = definition.delegates.items();
    names.map(|name| name.value.as_str()).collect()
}

/// `modes` of the definition with the lines of `rope`, as version 1 of the format: lines are zero-based and absent for
/// a default, times in milliseconds.
pub fn resolved(
    definition: &Definition,
    rope: &Rope,
    modes: &[ShownMode<'_>],
    surroundings: &dyn Surroundings,
) -> Value {
    let modes = modes
        .iter()
        .map(|shown| mode_value(definition, rope, shown, surroundings));
    json!({
        "version": 1,
        "name": definition.name.text(),
        "initial_mode": definition.initial_mode.text(),
        "delegates": delegates(definition),
        "modes": modes.collect::<Vec<_>>(),
    })
}

fn mode_value(
    definition: &Definition,
    rope: &Rope,
    shown: &ShownMode<'_>,
    surroundings: &dyn Surroundings,
) -> Value {
    let mode = &shown.mode;
    let limits: Map<String, Value> = mode
        .limits
        .named()
        .into_iter()
        .map(|(name, limit)| (name.to_owned(), limit_value(rope, name, limit)))
        .collect();
    let tools = tool_names(definition, mode, surroundings);
    let tools = tools.into_iter().map(tool_value);
    let model = mode
        .model
        .map(|model| json!({ "provider": model.provider.text(), "name": model.name.text() }));
    json!({
        "name": mode.name,
        "limits": limits,
        "tools": tools.collect::<Vec<_>>(),
        "model": model,
        "effort": mode.effort.map(|effort| effort.as_str()),
        "system": shown.system,
    })
}

fn tool_value(tool: ToolName<'_>) -> Value {
    match tool {
        ToolName::Known(name) => Value::from(name),
        ToolName::ServerOf(definition) => json!({ "name": null, "definition": definition }),
    }
}

fn limit_value(rope: &Rope, name: &str, limit: ResolvedLimit) -> Value {
    let value = match (name, limit.value) {
        ("time", 0) => Value::Null,
        (_, value) => value.into(),
    };
    let mut object = json!({ "value": value, "origin": limit.origin.as_str() });
    if let Some(span) = limit.origin.span() {
        object["line"] = position_at(rope, span.start, Encoding::Utf16).line.into();
    }
    object
}
