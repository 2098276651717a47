//! What a mode, or the base, comes to.

use super::tool::produced;
use crate::check::Analysis;
use crate::definition::{
    Definition, Mode, Origin, ResolvedLimit, ResolvedLimits, ResolvedMode, format_duration, resolve,
};
use crate::ide::markdown::{self, code};
use crate::text::Span;

/// The mode `wanted`, or the base.
pub fn mode(analysis: &Analysis, wanted: Option<&Mode>) -> String {
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
    text.push_str(&format!("\n\n{}", limits_table(analysis, &resolved.limits)));
    text.push_str(&format!("\n\nTools: {}", tools(definition, resolved)));
    text.push_str(&format!("\n\n{}", model_and_effort(resolved)));
    text
}

/// Limits with where each comes from.
pub fn limits_table(analysis: &Analysis, limits: &ResolvedLimits) -> String {
    let mut text = String::from("| limit | value | from |\n|---|---:|---|");
    for (name, limit) in limits.named() {
        text.push_str(&format!(
            "\n| {name} | {} | {} |",
            limit_value(name, limit),
            origin(analysis, limit)
        ));
    }
    text
}

/// A limit in words.
pub fn limit_value(name: &str, limit: ResolvedLimit) -> String {
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
        markdown::list(&names)
    };
    match resolved.mode {
        Some(_) if !resolved.own_tools => format!("{list} (the base's)"),
        _ => list,
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
