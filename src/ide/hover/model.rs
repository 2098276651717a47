//! Models, their providers and environment variables.

use crate::definition::provider::{Address, Provider, provider};
use crate::definition::{Effort, Model, Surroundings};
use crate::ide::markdown::code;

/// A model: who serves it, where, with which key, and what its provider takes.
pub fn model(surroundings: &dyn Surroundings, model: &Model) -> String {
    let name = format!("{}/{}", model.provider.text(), model.name.text());
    let mut text = format!("**Model {}**", code(&name));
    let Some(provider) = provider(model.provider.text()) else {
        return text;
    };
    for fact in facts(surroundings, model, provider) {
        text.push_str(&format!("\n- {fact}"));
    }
    text
}

fn facts(surroundings: &dyn Surroundings, model: &Model, provider: &Provider) -> Vec<String> {
    let mut facts = Vec::new();
    let base_url = model.base_url.text();
    facts.push(match &provider.address {
        Address::Embedded => {
            facts.push("part of loopls: its replies are those of `script`".into());
            return facts;
        }
        _ if !base_url.is_empty() => format!("served at {}", code(base_url)),
        Address::Own(address) => format!("served at {}", code(address.value)),
        Address::Given => "served where `base_url` says, which is missing".into(),
    });
    let usual = provider.key_variable.as_ref().map(|fact| fact.value);
    facts.extend(match (model.api_key_env.text(), usual) {
        ("", Some(usual)) if base_url.is_empty() => {
            Some(format!("key: {}", variable(surroundings, usual)))
        }
        ("", Some(usual)) => Some(format!(
            "no key is sent: with a `base_url` the usual {} is not used",
            code(usual)
        )),
        ("", None) if provider.wants_key() => {
            Some("no key is sent: there is no `api_key_env`".into())
        }
        ("", None) => Some("needs no key".into()),
        (own, _) => Some(format!("key: {}", variable(surroundings, own))),
    });
    if let Some(efforts) = &provider.efforts {
        let words: Vec<String> = efforts
            .value
            .iter()
            .map(|effort| format!("`{}`", effort.as_str()))
            .collect();
        facts.push(format!("efforts: {}", words.join(", ")));
    }
    let wanted = Effort::from_word(model.effort.text());
    if let Some((wanted, sent)) = wanted
        .map(|wanted| (wanted, provider.sent_effort(wanted)))
        .filter(|(wanted, sent)| wanted != sent)
    {
        facts.push(format!(
            "`{}` goes out as `{}`",
            wanted.as_str(),
            sent.as_str()
        ));
    }
    if let Some(names) = &provider.tool_names {
        let most = names.value.longest;
        facts.push(format!("names of tools have at most {most} characters"));
    }
    if let Some(tokens) = &provider.demanded_max_tokens
        && model.max_tokens.is_missing()
    {
        facts.push(format!(
            "a reply has at most {} tokens, for `max_tokens` is absent",
            tokens.value
        ));
    }
    facts
}

/// An environment variable: whether it is set, never what it is.
pub fn variable(surroundings: &dyn Surroundings, name: &str) -> String {
    let state = match (
        surroundings.knows_machine(),
        surroundings.variable_is_set(name),
    ) {
        (false, _) => "",
        (true, true) => ", set here",
        (true, false) => ", **not set** here",
    };
    format!("environment variable {}{state}", code(name))
}
