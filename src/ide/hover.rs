//! What is told about the thing under the cursor.

use super::markdown::{self, code};
use super::place::{On, Place, place_at};
use crate::check::Analysis;
use crate::definition::{
    Definition, Milliseconds, Mode, Origin, ResolvedLimit, ResolvedMode, Source, Surroundings,
    Target, Tool, format_duration, parse_duration, resolve,
};
use crate::format::{self, KeySpec, Type};
use crate::syntax::Node;
use crate::text::Span;

/// What is told, and about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about; covers the cursor.
    pub span: Span,
    /// Markdown; all foreign text in it is escaped or fenced.
    pub markdown: String,
}

/// What is told about the thing at byte `offset`.
pub fn hover(
    analysis: &Analysis,
    _surroundings: &dyn Surroundings,
    offset: usize,
) -> Option<Hover> {
    let definition = &analysis.definition;
    if let Some(mention) = analysis.names.at(offset) {
        let markdown = match mention.target {
            Target::Tool(index) => tool(definition, index),
            Target::Mode(index) => mode(analysis, Some(&definition.modes[index])),
            _ => return None,
        };
        return Some(Hover {
            span: mention.span,
            markdown,
        });
    }
    let place = place_at(&analysis.table, offset)?;
    let markdown = at_place(analysis, &place)?;
    Some(Hover {
        span: place.span,
        markdown,
    })
}

fn at_place(analysis: &Analysis, place: &Place) -> Option<String> {
    let definition = &analysis.definition;
    let keys = place.keys();
    let key = format::key_at(keys.iter().copied());
    let of_mode = place
        .index_in("modes")
        .and_then(|index| definition.modes.get(index));
    let whole = match keys.as_slice() {
        ["modes"] if of_mode.is_some() => Some(mode(analysis, of_mode)),
        ["modes", "limits"] => Some(mode(analysis, of_mode)),
        ["tools"] => place.index_in("tools").map(|index| tool(definition, index)),
        ["limits"] => Some(mode(analysis, None)),
        _ => None,
    };
    if place.on == On::Table {
        return whole.or_else(|| key.map(about_key));
    }
    let limits = match keys.as_slice() {
        ["limits", _] => Some(mode(analysis, None)),
        ["modes", "limits", _] => Some(mode(analysis, of_mode)),
        ["initial_mode"] => None,
        _ => whole,
    };
    let mut parts = Vec::new();
    if let (On::Value, Some(meaning)) = (place.on, value_meaning(analysis, place, key)) {
        parts.push(meaning);
    }
    parts.extend(key.map(about_key));
    parts.extend(limits);
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

/// What a key is, for whoever writes it.
fn about_key(key: &KeySpec) -> String {
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
    if let Type::Word(words) = key.kind {
        text.push('\n');
        for word in words {
            text.push_str(&format!("\n- `{}`: {}", word.name, word.meaning));
        }
    }
    text.push_str("\n\n");
    text.push_str(&markdown::fenced("toml", &example));
    text
}

fn value_meaning(analysis: &Analysis, place: &Place, key: Option<&KeySpec>) -> Option<String> {
    let text = place.span.of(&analysis.text).trim_matches(['"', '\'']);
    match key?.kind {
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

/// What a mode, or the base, comes to.
fn mode(analysis: &Analysis, wanted: Option<&Mode>) -> String {
    let definition = &analysis.definition;
    let modes = resolve(definition);
    let found = modes.iter().find(|resolved| match (resolved.mode, wanted) {
        (None, None) => true,
        (Some(one), Some(other)) => std::ptr::eq(one, other),
        _ => false,
    });
    // Every mode of the definition is among the resolved ones, and so is the base.
    let Some(resolved) = found else {
        return String::new();
    };
    let mut text = match wanted {
        Some(mode) => format!("**Mode {}**", code(mode.name.text())),
        None => "**Base**".to_owned(),
    };
    if wanted.is_some_and(|mode| {
        !mode.name.text().is_empty() && mode.name.text() == definition.initial_mode.text()
    }) {
        text.push_str(" — a run starts here");
    }
    if let Some(description) = wanted.and_then(|mode| mode.description.get()) {
        text.push_str(&format!("\n\n{}", markdown::text(description)));
    }
    text.push_str("\n\n| limit | value | from |\n|---|---:|---|");
    for (name, limit) in resolved.limits.named() {
        text.push_str(&format!(
            "\n| {name} | {} | {} |",
            limit_value(name, limit),
            origin(analysis, limit)
        ));
    }
    text.push_str(&format!("\n\nTools: {}", tools(definition, resolved)));
    text.push_str(&format!("\n\n{}", model_and_effort(resolved)));
    text
}

fn limit_value(name: &str, limit: ResolvedLimit) -> String {
    match (name, limit.value) {
        ("time", 0) => "none".into(),
        ("time", milliseconds) => format_duration(milliseconds),
        ("result_bytes" | "tokens", 0) => "no cap".into(),
        (_, value) => value.to_string(),
    }
}

fn origin(analysis: &Analysis, limit: ResolvedLimit) -> String {
    let line = |span: Span| analysis.rope.byte_to_line(span.start) + 1;
    match limit.origin {
        Origin::Default => "default".into(),
        Origin::Base(span) => format!("base, line {}", line(span)),
        Origin::Mode(span) => format!("this mode, line {}", line(span)),
    }
}

fn tools(definition: &Definition, resolved: &ResolvedMode) -> String {
    let names: Vec<String> = resolved
        .tools
        .iter()
        .flat_map(|index| produced(&definition.tools[*index]))
        .collect();
    let list = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    match resolved.mode {
        Some(_) if !resolved.own_tools => format!("{list} (the base's)"),
        _ => list,
    }
}

/// The model-facing names of a tool as code, or what stands for those of a server.
fn produced(tool: &Tool) -> Vec<String> {
    match tool.produced_names() {
        Some(names) => names.into_iter().map(|name| code(name.value)).collect(),
        None => vec![format!("those of the server {}", code(tool.name.text()))],
    }
}

fn model_and_effort(resolved: &ResolvedMode) -> String {
    let model = match resolved.model {
        Some(model) => {
            let name = format!("{}/{}", model.provider.text(), model.name.text());
            let own = resolved.mode.is_some_and(|mode| mode.model.get().is_some());
            format!(
                "Model: {}{}",
                code(&name),
                if own { " (this mode's)" } else { "" }
            )
        }
        None => "Model: none".into(),
    };
    let effort = match resolved.effort {
        None => "the model decides".to_owned(),
        Some(effort) => {
            let from = match resolved.mode {
                None => "",
                Some(mode) if mode.effort.text().is_empty() => " (the base's)",
                Some(_) => " (this mode's)",
            };
            format!("`{}`{from}", effort.as_str())
        }
    };
    format!("{model} · effort: {effort}")
}

/// What a tool is, and who has it.
fn tool(definition: &Definition, index: usize) -> String {
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
            produced(tool).join(", ")
        ));
    }
    let modes: Vec<String> = resolve(definition)
        .iter()
        .filter(|resolved| resolved.tools.contains(&index))
        .map(|resolved| {
            if resolved.mode.is_some() {
                code(resolved.name)
            } else {
                "the base".into()
            }
        })
        .collect();
    text.push_str(&format!(
        "\n\nIn {}",
        if modes.is_empty() {
            "no mode".into()
        } else {
            modes.join(", ")
        }
    ));
    text
}

fn default_timeout(tool: &Tool) -> Option<Milliseconds> {
    match tool.sources.first().map(|source| &source.value) {
        Some(Source::Command(_) | Source::Http(_) | Source::Mcp(_)) => {
            Some(crate::definition::DEFAULT_TIMEOUT)
        }
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
                    crate::definition::CommandArgument::One(text) => vec![text.value.as_str()],
                    crate::definition::CommandArgument::Optional(group) => group
                        .iter()
                        .filter_map(|item| item.get().map(String::as_str))
                        .collect(),
                    crate::definition::CommandArgument::Invalid(_) => Vec::new(),
                });
            format!("Runs {}", code(&words.collect::<Vec<_>>().join(" ")))
        }
        Some(Source::Http(http)) => {
            let method = http.as_ref().map_or("", |http| http.method.text());
            let url = http.as_ref().map_or("", |http| http.url.text());
            format!(
                "Requests {}",
                code(&format!(
                    "{} {url}",
                    if method.is_empty() { "GET" } else { method }
                ))
            )
        }
        Some(Source::Mcp(_)) => "Tools of a Model Context Protocol server".into(),
        Some(Source::Loop(path)) => format!("Runs the loop {}", code(path.text())),
        Some(Source::Reply(_)) => "Gives a fixed reply".into(),
    }
}

fn input(tool: &Tool) -> String {
    let schema = tool.input.get().and_then(Node::as_table);
    let Some(properties) = schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Node::as_table)
    else {
        return String::new();
    };
    let required: Vec<String> = schema
        .and_then(|schema| schema.get("required"))
        .map(Node::to_json)
        .and_then(|value| serde_json::from_value(value).ok())
        .unwrap_or_default();
    let mut text = String::from("\n");
    for property in &properties.entries {
        let inner = property.value.as_table();
        let kind = inner
            .and_then(|inner| inner.get("type"))
            .map(|kind| kind.to_json());
        let kind = match kind {
            Some(serde_json::Value::String(name)) => name,
            Some(other) => other.to_string(),
            None => "any".into(),
        };
        let needed = if required.contains(&property.key.name) {
            ", required"
        } else {
            ""
        };
        text.push_str(&format!(
            "\n- {} ({}{needed})",
            code(&property.key.name),
            markdown::text(&kind)
        ));
        if let Some(description) = inner
            .and_then(|inner| inner.get("description"))
            .and_then(Node::as_str)
        {
            text.push_str(&format!(": {}", markdown::text(description)));
        }
    }
    text
}
