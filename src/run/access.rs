//! Who decides about a call: patterns, the tool's effect, flags, a person.

use super::transcript::Recorder;
use super::{AccessDecision, DecidedBy, Event};
use crate::bind::ToolInfo;
use crate::definition::{Access, Definition, Effect, List, Pattern, Source, Tool};
use crate::text::Text;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// What a person is asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// The run.
    pub run: String,
    /// The call's number.
    pub call: u64,
    /// The tool.
    pub tool: String,
    /// What it does to the world.
    pub effect: Effect,
    /// What will happen, exactly.
    pub shown: String,
}

/// What a person can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Do not run it.
    Deny,
    /// Run this call.
    Once,
    /// Run this call, and later ones of the tool in this run; counts as [`Answer::Once`] for an irreversible tool.
    ForRun,
}

/// Someone who can be asked. Where nobody can, a question is a denial: [`Nobody`].
pub trait Approver: Send + Sync {
    /// Asks. Dropped when the turn is cancelled meanwhile.
    fn ask(&self, question: Question) -> BoxFuture<'_, Answer>;
}

/// Nobody, who denies.
pub struct Nobody;

impl Approver for Nobody {
    fn ask(&self, _question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(Answer::Deny))
    }
}

/// The patterns of `[access]`, compiled.
#[derive(Debug)]
pub(super) struct AccessPolicy {
    deny: Vec<Written>,
    ask: Vec<Written>,
    allow: Vec<Written>,
    /// Definitions that are servers, whose tools a wildcard of `allow` does not reach: what a server offers may
    /// change without the file (`docs/security.md`, 13).
    servers: HashSet<String>,
    /// The policy of the loop above, whose `deny` and `ask` hold here too.
    above: Option<Arc<AccessPolicy>>,
}

/// What patterns and effect say of a tool, before flags and people are heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Whatever anybody says, because of this pattern.
    Deny(String),
    /// Because of a pattern, else of the effect.
    Ask(Option<String>),
    /// Because of a pattern, else of the effect.
    Allow(Option<String>),
}

impl AccessPolicy {
    /// The policy of `definition`.
    ///
    /// # Errors
    ///
    /// Names a pattern that is no glob. An accepted definition has none; were one passed over, a `deny` would be
    /// silently open.
    pub fn of(definition: &Definition) -> Result<Self, String> {
        let compile = |list: fn(&Access) -> &List<Text>| -> Result<Vec<Written>, String> {
            let list = definition.access.get().map(list);
            let items = list.into_iter().flat_map(|list| list.items());
            items.map(|item| Written::new(&item.value)).collect()
        };
        let is_server = |tool: &&Tool| {
            let mut sources = tool.sources.iter();
            sources.any(|source| matches!(source.value, Source::Mcp(_)))
        };
        let servers = definition.tools.iter().filter(is_server);
        Ok(Self {
            deny: compile(|access| &access.deny)?,
            ask: compile(|access| &access.ask)?,
            allow: compile(|access| &access.allow)?,
            servers: servers.map(|tool| tool.name.text().to_owned()).collect(),
            above: None,
        })
    }

    /// The same in a loop below that of `above`.
    pub fn below(self, above: Option<Arc<Self>>) -> Self {
        Self { above, ..self }
    }

    /// What is to be done about calls of `tool`: the first pattern of deny, ask, allow that matches, else its effect.
    /// `deny` and `ask` also match the definition's name, and those of loops above hold; an `allow` never makes an
    /// irreversible tool run unasked.
    pub fn rule(&self, tool: &ToolInfo) -> Rule {
        let named = |pattern: &&Written| {
            pattern.pattern.matches(&tool.name) || pattern.pattern.matches(&tool.definition)
        };
        let upwards = || std::iter::successors(Some(self), |policy| policy.above.as_deref());
        if let Some(pattern) = upwards().flat_map(|policy| &policy.deny).find(named) {
            return Rule::Deny(pattern.text.clone());
        }
        if let Some(pattern) = upwards().flat_map(|policy| &policy.ask).find(named) {
            return Rule::Ask(Some(pattern.text.clone()));
        }
        if tool.effect == Effect::Irreversible {
            return Rule::Ask(None);
        }
        let spelt_out = self.servers.contains(&tool.definition);
        let allowed = self.allow.iter().find(|pattern| match spelt_out {
            true => pattern.text == tool.name,
            false => pattern.pattern.matches(&tool.name),
        });
        match (allowed, tool.effect) {
            (Some(pattern), _) => Rule::Allow(Some(pattern.text.clone())),
            (None, Effect::Read) => Rule::Allow(None),
            (None, _) => Rule::Ask(None),
        }
    }
}

/// A pattern with its text, which events name.
#[derive(Debug)]
struct Written {
    text: String,
    pattern: Pattern,
}

impl Written {
    fn new(text: &str) -> Result<Self, String> {
        let text = text.trim().to_owned();
        match Pattern::new(&text) {
            Ok(pattern) => Ok(Self { text, pattern }),
            Err(problem) => Err(format!("`{text}` in [access] is no glob: {problem}")),
        }
    }
}

/// What was decided about one call, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub decision: AccessDecision,
    pub by: DecidedBy,
    pub pattern: Option<String>,
}

/// Decides about the calls of one turn, one after the other.
pub(super) struct Gate {
    /// The run, for questions.
    pub run: String,
    /// See [`TurnRequest::yes`](super::TurnRequest::yes).
    pub yes: bool,
    /// See [`TurnRequest::allow`](super::TurnRequest::allow).
    pub allow: Vec<String>,
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// Tools that a person allowed for this run.
    pub granted: HashSet<String>,
}

impl Gate {
    /// What rules, effect, flags and earlier answers decide about a call of `tool`, of which the policy says `rule`;
    /// `None` where a person is to be asked. A call whose result `is_given` does nothing, so only a rule can deny it.
    pub fn decide(&self, tool: &ToolInfo, rule: &Rule, is_given: bool) -> Option<Decision> {
        use AccessDecision::{Allow, Deny};
        let (decision, by, pattern) = match rule {
            Rule::Deny(pattern) => (Deny, DecidedBy::Rule, Some(pattern)),
            Rule::Allow(Some(pattern)) => (Allow, DecidedBy::Rule, Some(pattern)),
            Rule::Allow(None) => (Allow, DecidedBy::Effect, None),
            Rule::Ask(_) if is_given => (Allow, DecidedBy::Effect, None),
            Rule::Ask(pattern) if self.is_flagged(tool) => {
                (Allow, DecidedBy::Flag, pattern.as_ref())
            }
            Rule::Ask(pattern) if self.granted.contains(&tool.name) => {
                (Allow, DecidedBy::Person, pattern.as_ref())
            }
            Rule::Ask(_) => return None,
        };
        Some(Decision {
            decision,
            by,
            pattern: pattern.cloned(),
        })
    }

    fn is_flagged(&self, tool: &ToolInfo) -> bool {
        self.allow.contains(&tool.name) || (self.yes && tool.effect == Effect::Write)
    }

    /// Asks a person about call number `call` of `tool`, which would do what `shown` says. Dropping the wait leaves
    /// the call undecided.
    pub async fn ask(
        &mut self,
        call: u64,
        tool: &ToolInfo,
        rule: &Rule,
        shown: String,
        recorder: &Recorder,
    ) -> Decision {
        let question = Question {
            run: self.run.clone(),
            call,
            tool: tool.name.clone(),
            effect: tool.effect,
            shown,
        };
        let answer = ask(&*self.approver, question, recorder).await;
        // An irreversible call is asked about each time.
        if answer == Answer::ForRun && tool.effect != Effect::Irreversible {
            self.granted.insert(tool.name.clone());
        }
        Decision {
            decision: match answer {
                Answer::Deny => AccessDecision::Deny,
                Answer::Once | Answer::ForRun => AccessDecision::Allow,
            },
            by: DecidedBy::Person,
            pattern: match rule {
                Rule::Ask(pattern) => pattern.clone(),
                Rule::Deny(_) | Rule::Allow(_) => None,
            },
        }
    }
}

/// Says that `approver` is asked, and asks.
pub(super) async fn ask(
    approver: &dyn Approver,
    mut question: Question,
    recorder: &Recorder,
) -> Answer {
    recorder.secrets().hide_in(&mut question.shown);
    recorder.emit(Event::AccessAsked {
        call: question.call,
        tool: question.tool.clone(),
        effect: question.effect.as_str().to_owned(),
        shown: question.shown.clone(),
    });
    // Whoever cannot ask has no answer, and no answer is a denial.
    let answer = AssertUnwindSafe(async { approver.ask(question).await });
    answer.catch_unwind().await.unwrap_or(Answer::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{Field, Spanned};
    use crate::text::Span;

    fn spanned<T>(value: T) -> Spanned<T> {
        Spanned {
            value,
            span: Span::default(),
        }
    }

    fn present<T>(value: T) -> Field<T> {
        Field::Present(spanned(value))
    }

    fn list(patterns: &[&str]) -> List<Text> {
        let patterns = patterns.iter();
        present(patterns.map(|pattern| present((*pattern).into())).collect())
    }

    fn policy(deny: &[&str], ask: &[&str], allow: &[&str]) -> Result<AccessPolicy, String> {
        let definition = Definition {
            access: present(Access {
                allow: list(allow),
                ask: list(ask),
                deny: list(deny),
            }),
            tools: vec![Tool {
                name: present("server".into()),
                sources: vec![spanned(Source::Mcp(None))],
                ..Tool::default()
            }],
            ..Definition::default()
        };
        AccessPolicy::of(&definition)
    }

    fn tool(definition: &str, name: &str, effect: Effect) -> ToolInfo {
        ToolInfo {
            name: name.into(),
            definition: definition.into(),
            description: String::new(),
            input_schema: serde_json::Value::Null,
            effect,
            sequential: false,
            timeout: None,
            span: Span::default(),
        }
    }

    #[test]
    fn the_first_pattern_decides_then_the_effect() {
        use Effect::{Irreversible, Read, Write};
        let ask = |pattern: &str| Rule::Ask(Some(pattern.into()));
        let deny = |pattern: &str| Rule::Deny(pattern.into());
        let allow = |pattern: &str| Rule::Allow(Some(pattern.into()));
        for (patterns, (definition, name, effect), expected) in [
            // Nothing matches: the effect.
            ([&[][..], &[], &[]], ("d", "get", Read), Rule::Allow(None)),
            ([&[], &[], &[]], ("d", "put", Write), Rule::Ask(None)),
            ([&[], &[], &[]], ("d", "pay", Irreversible), Rule::Ask(None)),
            // Deny, ask, allow, in this order.
            (
                [&["p*"], &["put"], &["put"]],
                ("d", "put", Write),
                deny("p*"),
            ),
            ([&[], &["put"], &["put"]], ("d", "put", Write), ask("put")),
            ([&[], &["get"], &[]], ("d", "get", Read), ask("get")),
            ([&[], &[], &["x", "p?t"]], ("d", "put", Write), allow("p?t")),
            ([&[], &[], &["*"]], ("d", "a/b.c", Write), allow("*")),
            ([&[], &[], &["Put"]], ("d", "put", Write), Rule::Ask(None)),
            // The definition's name counts for deny and ask only.
            ([&["d"], &[], &[]], ("d", "put", Write), deny("d")),
            ([&[], &["d"], &[]], ("d", "get", Read), ask("d")),
            ([&[], &[], &["d"]], ("d", "put", Write), Rule::Ask(None)),
            // Allow does not silence an irreversible tool.
            (
                [&[], &[], &["pay"]],
                ("d", "pay", Irreversible),
                Rule::Ask(None),
            ),
            // A server's tool is allowed by its whole name only.
            (
                [&[], &[], &["*"]],
                ("server", "put", Write),
                Rule::Ask(None),
            ),
            ([&[], &[], &["put"]], ("server", "put", Write), allow("put")),
            ([&["p*"], &[], &[]], ("server", "put", Write), deny("p*")),
        ] {
            let [denied, asked, allowed] = patterns;
            let policy = policy(denied, asked, allowed).unwrap();
            let tool = tool(definition, name, effect);
            assert_eq!(policy.rule(&tool), expected, "{patterns:?} {tool:?}");
        }
    }

    #[test]
    fn a_pattern_that_is_no_glob_is_an_error_and_not_open() {
        let error = policy(&["[a"], &[], &[]).unwrap_err();
        assert!(error.starts_with("`[a` in [access] is no glob"), "{error}");
    }
}
