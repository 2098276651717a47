//! What a tool is, who has it and what it takes.

use crate::definition::{
    CommandArgument, DEFAULT_TIMEOUT, Definition, Milliseconds, Source, Surroundings, Tool,
    format_duration, resolve,
};
use crate::ide::markdown::{self, code};
use crate::syntax::{Entry, Node, NodeKind};
use crate::text::Text;
use std::collections::HashSet;

/// The tool `Definition::tools[index]`.
pub fn tool(definition: &Definition, index: usize) -> String {
    let Some(tool) = definition.tools.get(index) else {
        return String::new();
    };
    let mut text = format!("**Tool {}**", code(tool.name.text()));
    if let Some(description) = tool.description.get() {
        text.push_str(&format!("\n\n{}", markdown::text(description)));
    }
    text.push_str(&format!(
        "\n\n{} · effect: `{}`",
        source(tool),
        tool.effect().as_str()
    ));
    let timeout = tool.timeout.get().copied().or(default_timeout(tool));
    if let Some(timeout) = timeout {
        text.push_str(&format!(" · timeout: {}", format_duration(timeout)));
    }
    text.push_str(&input(tool));
    if !tool.produces.is_missing() {
        text.push_str(&format!(
            "\n\nThe model sees: {}",
            markdown::list(&produced(tool))
        ));
    }
    text.push_str(&format!("\n\nIn {}", modes_with(definition, index)));
    text
}

fn modes_with(definition: &Definition, index: usize) -> String {
    let modes: Vec<String> = resolve(definition)
        .iter()
        .filter(|resolved| !resolved.own_tools || resolved.tools.contains(&index))
        .map(|resolved| match resolved.mode {
            Some(_) => code(resolved.name),
            None => "the base".into(),
        })
        .collect();
    match modes.is_empty() {
        true => "no mode".into(),
        false => markdown::list(&modes),
    }
}

/// The model-facing names of a tool as code, or what stands for those of a server.
pub fn produced(tool: &Tool) -> Vec<String> {
    match tool.produced_names() {
        Some(names) => names.into_iter().map(|name| code(name.value)).collect(),
        None => vec![format!("those of the server {}", code(tool.name.text()))],
    }
}

fn default_timeout(tool: &Tool) -> Option<Milliseconds> {
    match tool.sources.first().map(|source| &source.value) {
        Some(Source::Command(_) | Source::Http(_) | Source::Mcp(_)) => Some(DEFAULT_TIMEOUT),
        _ => None,
    }
}

fn source(tool: &Tool) -> String {
    match tool.sources.first().map(|source| &source.value) {
        None => "No source yet".into(),
        Some(Source::Command(arguments)) => {
            let words = arguments
                .iter()
                .flatten()
                .flat_map(|argument| match argument {
                    CommandArgument::One(text) => vec![text.value.as_str()],
                    CommandArgument::Optional(group) => group
                        .iter()
                        .filter_map(|item| item.get().map(Text::as_str))
                        .collect(),
                    CommandArgument::Invalid(_) => Vec::new(),
                });
            format!("Runs {}", code(&words.collect::<Vec<_>>().join(" ")))
        }
        Some(Source::Http(http)) => {
            let method = http.as_ref().map_or("", |http| http.method.text());
            let url = http.as_ref().map_or("", |http| http.url.text());
            let method = if method.is_empty() { "GET" } else { method };
            format!("Requests {}", code(&format!("{method} {url}")))
        }
        Some(Source::Mcp(_)) => "Tools of a Model Context Protocol server".into(),
        Some(Source::Loop(path)) => format!("Runs the loop {}", code(path.text())),
        Some(Source::Reply(_)) => "Gives a fixed reply".into(),
    }
}

/// How many properties a tool shows.
const SHOWN_PROPERTIES: usize = 40;

fn input(tool: &Tool) -> String {
    let Some(properties) = tool.properties() else {
        return String::new();
    };
    let required = required(tool);
    let mut text = String::from("\n");
    for entry in properties.entries.iter().take(SHOWN_PROPERTIES) {
        text.push_str(&format!("\n- {}", property_line(entry, &required)));
    }
    let more = properties.entries.len().saturating_sub(SHOWN_PROPERTIES);
    if more > 0 {
        text.push_str(&format!("\n- and {more} more"));
    }
    text
}

fn required(tool: &Tool) -> HashSet<&str> {
    let schema = tool.input.get().and_then(Node::as_table);
    match schema
        .and_then(|schema| schema.get("required"))
        .map(|node| &node.kind)
    {
        Some(NodeKind::Array(items)) => items.iter().filter_map(Node::as_str).collect(),
        _ => HashSet::new(),
    }
}

/// `` `id` (integer, required): what it is ``.
fn property_line(entry: &Entry, required: &HashSet<&str>) -> String {
    let schema = entry.value.as_table();
    let kind = match schema
        .and_then(|schema| schema.get("type"))
        .map(Node::to_json)
    {
        Some(serde_json::Value::String(name)) => name,
        Some(other) => other.to_string(),
        None => "any".into(),
    };
    let needed = if required.contains(entry.key.name.as_str()) {
        ", required"
    } else {
        ""
    };
    let described = schema
        .and_then(|schema| schema.get("description"))
        .and_then(Node::as_str);
    let described = described.map_or(String::new(), |text| format!(": {}", markdown::text(text)));
    format!(
        "{} ({}{needed}){described}",
        code(&entry.key.name),
        markdown::text(&kind)
    )
}

/// The property `index` of the input of `Definition::tools[tool]`.
pub fn property(definition: &Definition, tool: usize, index: usize) -> String {
    let found = definition.tools.get(tool).and_then(|tool| {
        let entry = tool.properties()?.entries.get(index)?;
        Some((tool, entry))
    });
    let Some((tool, entry)) = found else {
        return String::new();
    };
    let mut text = format!(
        "{}\n\nA property of the input of {}",
        property_line(entry, &required(tool)),
        code(tool.name.text())
    );
    for key in ["default", "enum"] {
        let value = entry.value.as_table().and_then(|schema| schema.get(key));
        if let Some(value) = value {
            text.push_str(&format!(" · {key}: {}", code(&value.to_json().to_string())));
        }
    }
    text
}

/// A loop that this one may hand work to.
pub fn delegate(surroundings: &dyn Surroundings, name: &str) -> String {
    let loops = surroundings.loops();
    let mut text = format!("**Loop {}**", code(name));
    let called = loops
        .iter()
        .flat_map(|loops| loops.iter())
        .filter(|known| known.name == name);
    let called: Vec<_> = called.collect();
    for known in &called {
        if !known.description.is_empty() {
            text.push_str(&format!("\n\n{}", markdown::text(&known.description)));
        }
        let path = known.path.display().to_string();
        text.push_str(&format!("\n\nDefined in {}", code(&path)));
    }
    if loops.is_some() && called.is_empty() {
        text.push_str("\n\nNo loop of this project has this name");
    }
    text.push_str(
        "\n\nIts description is what the model reads of it; it takes `{ message }` and returns the loop's answer",
    );
    text
}
