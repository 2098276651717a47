//! Providers: what each takes, what it refuses and where it is. Nobody else names a provider but its client.
//!
//! All of it is data, and every fact says where it is written. What no source tells is left out: an absent fact means
//! that nothing is known, so nothing is checked.

mod in_use;
mod names;
mod rows;
mod schemas;

pub use in_use::ProvidersInUse;
pub use names::{First, NameRule};
pub use rows::PROVIDERS;
pub use schemas::{SchemaFault, SchemaFaultKind, SchemaRule};

use super::Effort;
use std::ops::RangeInclusive;

/// What is known, and who says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact<T> {
    /// What is known.
    pub value: T,
    /// A page of the provider's documentation, a file of its published sources, or a report of its server's answer
    /// (`owner/repository#number`).
    pub source: &'static str,
}

/// One provider.
#[derive(Debug, PartialEq)]
pub struct Provider {
    /// The word in a definition.
    pub name: &'static str,
    /// The environment variable that usually holds the key; used only where a model has no `base_url`.
    pub key_variable: Option<Fact<&'static str>>,
    /// Where it is served.
    pub address: Address,
    /// The names that a tool may have. A request with any other name is refused as a whole.
    pub tool_names: Option<Fact<NameRule>>,
    /// What it does not take in the input schema of a tool.
    pub schemas: &'static [Fact<SchemaRule>],
    /// The efforts that it takes, the lowest first. Not every model of a provider takes each of them.
    pub efforts: Option<Fact<&'static [Effort]>>,
    /// The cap on a reply, in tokens, that is sent where the definition names none, because one is demanded.
    pub demanded_max_tokens: Option<Fact<i64>>,
    /// Whether it holds an answer to a schema itself, and when.
    pub structured_output: Option<Fact<StructuredOutput>>,
    /// The range of `temperature`.
    pub temperature: Option<Fact<RangeInclusive<f64>>>,
    /// The range of `top_p`.
    pub top_p: Option<Fact<RangeInclusive<f64>>>,
}

/// When a provider holds an answer to a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructuredOutput {
    /// Always.
    WithTools,
    /// Only in requests that offer no tools.
    WithoutTools,
}

/// Where a provider is served.
#[derive(Clone, Debug, PartialEq)]
pub enum Address {
    /// Nowhere: it is part of this program and needs neither network nor key.
    Embedded,
    /// At its own URL, unless a model gives a `base_url`.
    Own(Fact<&'static str>),
    /// Only where a model's `base_url` says.
    Given,
}

/// The provider called `name` in a definition.
pub fn provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

impl Provider {
    /// The effort that goes out for `wanted`: the same, else the nearest lower one, else the lowest there is (for an
    /// effort that is not sent at all would be the model's own choice, and that is rarely the least).
    pub fn sent_effort(&self, wanted: Effort) -> Effort {
        let Some(taken) = &self.efforts else {
            return wanted;
        };
        let nearest_lower = taken.value.iter().rev().find(|effort| **effort <= wanted);
        nearest_lower
            .or(taken.value.first())
            .copied()
            .unwrap_or(wanted)
    }

    /// Whether it holds an answer to a schema where tools are offered too, or none are.
    pub fn holds_answers(&self, with_tools: bool) -> bool {
        match self.structured_output.as_ref().map(|fact| fact.value) {
            None => false,
            Some(StructuredOutput::WithTools) => true,
            Some(StructuredOutput::WithoutTools) => !with_tools,
        }
    }

    /// Whether it may want a key: not where it is part of this program, nor where its own address needs none.
    pub fn wants_key(&self) -> bool {
        match self.address {
            Address::Embedded => false,
            Address::Own(_) => self.key_variable.is_some(),
            Address::Given => true,
        }
    }

    /// What it does not take in `schema`, the input schema of a tool as it would be sent, in the schema's order.
    pub fn schema_faults(&self, schema: &serde_json::Value) -> Vec<SchemaFault> {
        schemas::faults(self.schemas, schema)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{self, Type};

    #[test]
    fn the_format_lists_the_same_providers() {
        let Some(Type::Word(words)) = format::MODEL.key("provider").map(|key| key.kind) else {
            panic!("`provider` is a word");
        };
        let in_format: Vec<&str> = words.iter().map(|word| word.name).collect();
        let here: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
        assert_eq!(in_format, here);
    }

    #[test]
    fn every_fact_has_a_source() {
        for provider in PROVIDERS {
            let sources = [
                provider.key_variable.as_ref().map(|fact| fact.source),
                provider.tool_names.as_ref().map(|fact| fact.source),
                provider.efforts.as_ref().map(|fact| fact.source),
                provider
                    .demanded_max_tokens
                    .as_ref()
                    .map(|fact| fact.source),
                provider.temperature.as_ref().map(|fact| fact.source),
                provider.top_p.as_ref().map(|fact| fact.source),
                match &provider.address {
                    Address::Own(url) => Some(url.source),
                    _ => None,
                },
            ];
            let sources = sources.into_iter().flatten();
            for source in sources.chain(provider.schemas.iter().map(|fact| fact.source)) {
                assert!(source.contains(['/', '#']), "{}: {source}", provider.name);
            }
        }
    }

    #[test]
    fn an_effort_that_is_not_taken_goes_out_as_the_nearest_lower() {
        let sent = |name: &str| -> Vec<&str> {
            let provider = provider(name).expect("a provider");
            let sent = Effort::ALL.map(|effort| provider.sent_effort(effort).as_str());
            sent.to_vec()
        };
        for (name, expected) in [
            (
                "scripted",
                ["minimal", "low", "medium", "high", "xhigh", "max"],
            ),
            (
                "anthropic",
                ["low", "low", "medium", "high", "xhigh", "max"],
            ),
            (
                "openai",
                ["minimal", "low", "medium", "high", "xhigh", "max"],
            ),
            (
                "gemini",
                ["minimal", "low", "medium", "high", "high", "high"],
            ),
            ("ollama", ["low", "low", "medium", "high", "high", "max"]),
            (
                "openai-compatible",
                ["minimal", "low", "medium", "high", "xhigh", "max"],
            ),
        ] {
            assert_eq!(sent(name), expected, "{name}");
        }
    }

    #[test]
    fn efforts_are_listed_from_the_lowest() {
        for provider in PROVIDERS {
            if let Some(efforts) = &provider.efforts {
                assert!(efforts.value.is_sorted(), "{}", provider.name);
            }
        }
    }
}
