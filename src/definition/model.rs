//! The typed definition. Every part keeps its place in the text, and whether it was there at all.

use super::Test;
use super::duration::Milliseconds;
use crate::syntax::{Node, Table};
use crate::text::{Span, Text};
use smallvec::SmallVec;

/// A value with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What it is.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// A key's value as far as it could be understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Field<T> {
    /// The key is not there.
    #[default]
    Missing,
    /// The key is there with a value of another type, or none; whoever checks types has said so.
    Invalid(Span),
    /// The key is there with this value.
    Present(Spanned<T>),
}

impl<T> Field<T> {
    /// The value, if it is there and understood.
    pub fn get(&self) -> Option<&T> {
        match self {
            Field::Present(spanned) => Some(&spanned.value),
            _ => None,
        }
    }

    /// The value with its place, if it is there and understood.
    pub fn spanned(&self) -> Option<&Spanned<T>> {
        match self {
            Field::Present(spanned) => Some(spanned),
            _ => None,
        }
    }

    /// Where the value stands, understood or not.
    pub fn span(&self) -> Option<Span> {
        match self {
            Field::Missing => None,
            Field::Invalid(span) => Some(*span),
            Field::Present(spanned) => Some(spanned.span),
        }
    }

    /// Whether the key is absent.
    pub fn is_missing(&self) -> bool {
        matches!(self, Field::Missing)
    }
}

impl Field<Text> {
    /// The text, or `""` where it is absent or not understood.
    pub fn text(&self) -> &str {
        self.get().map_or("", Text::as_str)
    }
}

/// A list whose items are understood one by one.
pub type List<T> = Field<Vec<Field<T>>>;

impl<T> List<T> {
    /// The items that were understood, with their places.
    pub fn items(&self) -> impl Iterator<Item = &Spanned<T>> {
        self.get().into_iter().flatten().filter_map(Field::spanned)
    }
}

/// One loop definition file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    /// `format`
    pub format: Field<i64>,
    /// `name`
    pub name: Field<Text>,
    /// `display_name`
    pub display_name: Field<Text>,
    /// `description`
    pub description: Field<Text>,
    /// `system`
    pub system: Field<Text>,
    /// `system_file`
    pub system_file: Field<Text>,
    /// `prompt`
    pub prompt: Field<Text>,
    /// `initial_mode`
    pub initial_mode: Field<Text>,
    /// `drain_timeout`
    pub drain_timeout: Field<Milliseconds>,
    /// `cwd`
    pub cwd: Field<Text>,
    /// `secrets`
    pub secrets: List<Text>,
    /// `delegates`
    pub delegates: List<Text>,
    /// `[model]`
    pub model: Field<Model>,
    /// `[limits]`
    pub limits: Field<Limits>,
    /// `[access]`
    pub access: Field<Access>,
    /// `[output]`
    pub output: Field<Output>,
    /// `[[tools]]`
    pub tools: Vec<Tool>,
    /// `[[middlewares]]`
    pub middlewares: Vec<Middleware>,
    /// `[[modes]]`
    pub modes: Vec<Mode>,
    /// `[[tests]]`
    pub tests: Vec<Test>,
}

/// `[model]`, of the base or of a mode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// `provider`
    pub provider: Field<Text>,
    /// `name`
    pub name: Field<Text>,
    /// `base_url`
    pub base_url: Field<Text>,
    /// `api_key_env`
    pub api_key_env: Field<Text>,
    /// `effort`
    pub effort: Field<Text>,
    /// `temperature`
    pub temperature: Field<f64>,
    /// `top_p`
    pub top_p: Field<f64>,
    /// `max_tokens`
    pub max_tokens: Field<i64>,
    /// `stop`
    pub stop: List<Text>,
    /// `script`
    pub script: Field<Vec<Reply>>,
}

/// One reply of a `scripted` model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The entry.
    pub span: Span,
    /// `text`
    pub text: Field<Text>,
    /// `calls`
    pub calls: Vec<ScriptedCall>,
    /// `stop_reason`
    pub stop_reason: Field<Text>,
    /// `usage`: input and output tokens.
    pub usage: Field<(i64, i64)>,
    /// `delay`
    pub delay: Field<Milliseconds>,
    /// `error`
    pub error: Field<Text>,
}

/// One call of a scripted reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptedCall {
    /// The entry.
    pub span: Span,
    /// `tool`
    pub tool: Field<Text>,
    /// `input`: a table, or a string that goes out as raw text.
    pub input: Field<Node>,
}

/// `[limits]`, of the base or of a mode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// `iterations`
    pub iterations: Field<i64>,
    /// `calls`
    pub calls: Field<i64>,
    /// `parallel`
    pub parallel: Field<i64>,
    /// `result_bytes`
    pub result_bytes: Field<i64>,
    /// `tokens`
    pub tokens: Field<i64>,
    /// `time`
    pub time: Field<Milliseconds>,
}

/// `[access]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Access {
    /// `allow`
    pub allow: List<Text>,
    /// `ask`
    pub ask: List<Text>,
    /// `deny`
    pub deny: List<Text>,
}

/// `[output]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// `name`
    pub name: Field<Text>,
    /// `description`
    pub description: Field<Text>,
    /// `strict`
    pub strict: Field<bool>,
    /// `schema`
    pub schema: Field<Node>,
}

/// One `[[tools]]` entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    /// The entry: its header, or its braces.
    pub span: Span,
    /// All the text that belongs to it.
    pub extent: Span,
    /// `name`
    pub name: Field<Text>,
    /// `description`
    pub description: Field<Text>,
    /// `input`
    pub input: Field<Node>,
    /// `produces`
    pub produces: List<Text>,
    /// `command`, `http`, `mcp`, `loop` and `reply`, as many as stand there, in order; an accepted tool has one.
    pub sources: Vec<Spanned<Source>>,
    /// `stdin`
    pub stdin: Field<Text>,
    /// `ok_exit`
    pub ok_exit: List<i64>,
    /// `effect`
    pub effect: Field<Text>,
    /// `effects`: effect by tool name.
    pub effects: Vec<(Spanned<Text>, Field<Text>)>,
    /// `timeout`
    pub timeout: Field<Milliseconds>,
    /// `cwd`
    pub cwd: Field<Text>,
    /// `env`
    pub env: Vec<(Spanned<Text>, Field<Text>)>,
    /// `sequential`
    pub sequential: Field<bool>,
}

/// Where a tool's results come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// `command`; `None` where it is no array.
    Command(Option<Vec<CommandArgument>>),
    /// `http`
    Http(Option<Http>),
    /// `mcp`
    Mcp(Option<Mcp>),
    /// `loop`
    Loop(Field<Text>),
    /// `reply`
    Reply(Node),
}

/// One item of `command`.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandArgument {
    /// An argument.
    One(Spanned<Text>),
    /// Arguments that are left out together when a placeholder in them is absent.
    Optional(Vec<Field<Text>>),
    /// Neither a string nor an array.
    Invalid(Span),
}

/// `http`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Http {
    /// `method`
    pub method: Field<Text>,
    /// `url`
    pub url: Field<Text>,
    /// `headers`
    pub headers: Vec<(Spanned<Text>, Field<Text>)>,
    /// `body`
    pub body: Field<Node>,
}

/// `mcp`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mcp {
    /// `command`
    pub command: List<Text>,
    /// `url`
    pub url: Field<Text>,
    /// `headers`
    pub headers: Vec<(Spanned<Text>, Field<Text>)>,
    /// `prefix`
    pub prefix: Field<Text>,
}

/// One `[[middlewares]]` entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Middleware {
    /// The entry.
    pub span: Span,
    /// `kind`
    pub kind: Field<Text>,
    /// `tools`
    pub tools: List<Text>,
    /// `file`, of `log`
    pub file: Field<Text>,
    /// `attempts`, of `retry`
    pub attempts: Field<i64>,
    /// `backoff`, of `retry`
    pub backoff: Field<Milliseconds>,
    /// `patterns`, of `redact`
    pub patterns: List<Text>,
}

/// One `[[modes]]` entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mode {
    /// The entry: its header, or its braces.
    pub span: Span,
    /// All the text that belongs to it.
    pub extent: Span,
    /// `name`
    pub name: Field<Text>,
    /// `description`
    pub description: Field<Text>,
    /// `instructions`
    pub instructions: Field<Text>,
    /// `instructions_file`
    pub instructions_file: Field<Text>,
    /// `tools`
    pub tools: List<Text>,
    /// `limits`
    pub limits: Field<Limits>,
    /// `effort`
    pub effort: Field<Text>,
    /// `model`
    pub model: Field<Model>,
}

/// What a call of a tool does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing changes.
    Read,
    /// Something changes.
    #[default]
    Write,
    /// Something changes for good.
    Irreversible,
}

impl Effect {
    /// The word in a definition.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Irreversible => "irreversible",
        }
    }

    /// The effect that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        [Effect::Read, Effect::Write, Effect::Irreversible]
            .into_iter()
            .find(|effect| effect.as_str() == word)
    }
}

/// How hard a model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Effort {
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Effort {
    /// All efforts, the lowest first.
    pub const ALL: [Effort; 6] = [
        Effort::Minimal,
        Effort::Low,
        Effort::Medium,
        Effort::High,
        Effort::Xhigh,
        Effort::Max,
    ];

    /// The word in a definition.
    pub fn as_str(self) -> &'static str {
        match self {
            Effort::Minimal => "minimal",
            Effort::Low => "low",
            Effort::Medium => "medium",
            Effort::High => "high",
            Effort::Xhigh => "xhigh",
            Effort::Max => "max",
        }
    }

    /// The effort that `word` names.
    pub fn from_word(word: &str) -> Option<Self> {
        Effort::ALL
            .into_iter()
            .find(|effort| effort.as_str() == word)
    }
}

/// The effect of a tool that names none.
fn default_effect(source: &Source) -> Effect {
    match source {
        Source::Loop(_) => Effect::Read,
        _ => Effect::default(),
    }
}

impl Tool {
    /// What a call does, as far as the entry says: its `effect`, else the default of its source.
    pub fn effect(&self) -> Effect {
        let declared = self.effect.get().and_then(|word| Effect::from_word(word));
        declared.unwrap_or_else(|| {
            self.sources
                .first()
                .map_or(Effect::default(), |source| default_effect(&source.value))
        })
    }

    /// The properties of its input: what its schema has below `properties`.
    pub fn properties(&self) -> Option<&Table> {
        let schema = self.input.get()?.as_table()?;
        schema.get("properties")?.as_table()
    }

    /// The model-facing names that the entry declares, trimmed, with their places: `produces`, else the name.
    /// `None` for a server whose tools only a bind tells.
    pub fn produced_names(&self) -> Option<SmallVec<[Spanned<&str>; 1]>> {
        if !self.produces.is_missing() {
            let names = self.produces.items();
            return Some(
                names
                    .map(|item| Spanned {
                        value: item.value.trim(),
                        span: item.span,
                    })
                    .collect(),
            );
        }
        if matches!(
            self.sources.first(),
            Some(Spanned {
                value: Source::Mcp(_),
                ..
            })
        ) {
            return None;
        }
        let name = self.name.spanned();
        Some(
            name.map(|name| Spanned {
                value: name.value.trim(),
                span: name.span,
            })
            .into_iter()
            .collect(),
        )
    }
}
