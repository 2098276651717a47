//! Names of tools as the model sees them, as far as the text and what servers were asked tell them. Nothing is asked here.

use crate::definition::{Definition, Source, Surroundings, Tool};
use std::sync::Arc;

/// Those that entries declare.
pub fn declared(definition: &Definition) -> impl Iterator<Item = &str> {
    definition.tools.iter().flat_map(declared_by)
}

/// Those that `tool` declares.
fn declared_by(tool: &Tool) -> impl Iterator<Item = &str> {
    let names = tool.produced_names().unwrap_or_default();
    names.into_iter().map(|name| name.value)
}

/// What the servers of those entries offered that leave open what they produce.
pub fn open(definition: &Definition, surroundings: &dyn Surroundings) -> Vec<Arc<Vec<String>>> {
    let tools = definition.tools.iter();
    let open = tools.filter(|tool| tool.produced_names().is_none());
    open.filter_map(|tool| by_server(tool, surroundings))
        .collect()
}

/// What the server of `tool` offered when it was last asked.
pub fn by_server(tool: &Tool, surroundings: &dyn Surroundings) -> Option<Arc<Vec<String>>> {
    surroundings.probed(tool.name.text())
}

/// The tools of the server of `tool` that the model sees and that `named` does not have: those that the entry exposes, else
/// all that were offered. A name may be the model's or the server's own.
pub fn unnamed(tool: &Tool, surroundings: &dyn Surroundings, named: &[String]) -> Vec<String> {
    let source = tool.sources.first().map(|source| &source.value);
    let Some(Source::Mcp(mcp)) = source else {
        return Vec::new();
    };
    let mut names = match tool.produces.is_missing() {
        true => by_server(tool, surroundings).map_or_else(Vec::new, |names| names.to_vec()),
        false => declared_by(tool).map(str::to_owned).collect(),
    };
    let prefix = mcp.as_ref().map_or("", |mcp| mcp.prefix.text());
    names.retain(|name| {
        let own_name = name.strip_prefix(prefix).unwrap_or(name);
        !named.iter().any(|other| other == name || other == own_name)
    });
    names
}
