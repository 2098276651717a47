//! `[[tests]]`: what a run of the loop is expected to come to.

use super::{Field, Reply};
use crate::syntax::Node;
use crate::text::{Span, Text};

/// One `[[tests]]` entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Test {
    /// The entry: its header, or its braces.
    pub span: Span,
    /// All the text that belongs to it.
    pub extent: Span,
    /// `name`
    pub name: Field<Text>,
    /// `prompt`
    pub prompt: Field<Text>,
    /// `mode`
    pub mode: Field<Text>,
    /// `script`
    pub script: Field<Vec<Reply>>,
    /// `results`
    pub results: Vec<GivenResult>,
    /// `expect`
    pub expect: Field<Expect>,
}

/// A result that a test gives instead of running the tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenResult {
    /// The entry.
    pub span: Span,
    /// `tool`
    pub tool: Field<Text>,
    /// `input`
    pub input: Field<Node>,
    /// `result`
    pub result: Field<Node>,
    /// `error`
    pub error: Field<bool>,
}

/// `expect`: what must come of a test. A key that is missing expects nothing, but `stop`, which is `answer` then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// `answer`: the answer, exactly.
    pub answer: Field<Text>,
    /// `contains`: a part of the answer.
    pub contains: Field<Text>,
    /// `matches`: a regular expression that the answer matches.
    pub matches: Field<Text>,
    /// `calls`: all calls, in order.
    pub calls: Field<Vec<ExpectedCall>>,
    /// `results`: results that come in this order, others between them or not.
    pub results: Field<Vec<ExpectedResult>>,
    /// `iterations`
    pub iterations: Field<i64>,
    /// `stop`
    pub stop: Field<Text>,
}

impl Expect {
    /// Whether none of its keys is there.
    pub fn is_empty(&self) -> bool {
        let Self {
            answer,
            contains,
            matches,
            calls,
            results,
            iterations,
            stop,
        } = self;
        let texts = [answer, contains, matches, stop];
        texts.iter().all(|text| text.is_missing())
            && calls.is_missing()
            && results.is_missing()
            && iterations.is_missing()
    }
}

/// A call that a test expects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedCall {
    /// The entry.
    pub span: Span,
    /// `tool`
    pub tool: Field<Text>,
    /// `input`: a table, or a string that is compared as text unless it is JSON.
    pub input: Field<Node>,
}

/// A result that a test expects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedResult {
    /// The entry.
    pub span: Span,
    /// `tool`
    pub tool: Field<Text>,
    /// `contains`
    pub contains: Field<Text>,
    /// `is_error`
    pub is_error: Field<bool>,
}
