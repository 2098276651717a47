//! Who decides about a call: patterns, the tool's effect, flags, a person.

use futures_util::future::BoxFuture;

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
    pub effect: crate::definition::Effect,
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
