//! Asking one server what it offers, without binding the rest.

use super::mcp::{self, Key, Server};
use super::told::{notice, tool};
use super::{BindError, Bindings, Notice, Secrets, ToolInfo};
use crate::check::Analysis;
use crate::definition::{Definition, Source, Spanned};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a server offers.
#[derive(Debug)]
pub struct Offer {
    /// All its tools that could be bound, whichever of them the entry exposes.
    pub tools: Vec<ToolInfo>,
    /// What was left out.
    pub notices: Vec<Notice>,
}

/// Starts or reaches the server of entry number `index` of `definition`, asks it, and ends it. Whoever calls this knows
/// that nothing in the entry is wrong; what is wrong elsewhere is of no account here.
///
/// # Errors
///
/// It has no server, or one that cannot be used.
pub async fn probe(
    definition: &Definition,
    index: usize,
    bindings: &Bindings,
) -> Result<Offer, BindError> {
    let entry = &definition.tools[index];
    let secrets = Arc::new(Secrets::of([definition], &bindings.environment));
    let failed = |problem: Spanned<String>| BindError::Factory {
        tool: entry.name.text().to_owned(),
        problem: secrets.hide(&problem.value).into_owned(),
        span: problem.span,
    };
    let source = entry.sources.first();
    let span = source.map_or(entry.span, |source| source.span);
    let here = |value: String| Spanned { value, span };
    let Some(Source::Mcp(Some(mcp))) = source.map(|source| &source.value) else {
        return Err(failed(here("it has no server".to_owned())));
    };
    let key = Key::of(definition, entry, mcp, bindings).map_err(failed)?;
    let drain = definition.drain();
    let server = Server::start(&key, &bindings.guard, drain, secrets.clone()).await;
    let server = Arc::new(server.map_err(|problem| failed(here(problem)))?);
    let made = mcp::Maker::new(definition, (index, mcp), &server, &secrets).all();
    server.end().await;
    Ok(Offer {
        tools: made.tools.iter().map(|tool| tool.info().clone()).collect(),
        notices: mcp::notices(entry, span, made.left_out, &secrets),
    })
}

impl Offer {
    /// It as `loopls.probe` tells it: version 1 of the format.
    pub fn told(&self, name: &str, analysis: &Analysis) -> Value {
        let notices = self.notices.iter();
        json!({
            "version": 1,
            "tool": name,
            "tools": self.tools.iter().map(tool).collect::<Vec<_>>(),
            "notices": notices.map(|each| notice(&analysis.rope, each)).collect::<Vec<_>>(),
        })
    }
}
