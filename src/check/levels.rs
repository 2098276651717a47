//! How bad a code is for this project: levels from settings, the command line and `loopls.toml`.

use super::{Code, Diagnostic, Severity};
use std::collections::BTreeMap;

/// Levels by code. A code that is not in it has its own severity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(BTreeMap<Code, Option<Severity>>);

/// A level that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LevelProblem {
    /// There is no such code.
    #[error("there is no code `{0}`")]
    UnknownCode(String),
    /// There is no such level.
    #[error("`{0}` is no level; a level is `off`, `hint`, `information` or `warning`")]
    UnknownLevel(String),
    /// Errors stay errors: a definition that has one cannot be bound.
    #[error("`{0}` is an error, and no setting lowers it: a definition that has it cannot be run")]
    IsAnError(Code),
}

impl Levels {
    /// Sets the level of one code; `level` is `off`, `hint`, `information` or `warning`.
    ///
    /// # Errors
    ///
    /// The code or the level is unknown, or the code is an error.
    pub fn set(&mut self, code: &str, level: &str) -> Result<(), LevelProblem> {
        let known = Code::from_name(code).ok_or_else(|| LevelProblem::UnknownCode(code.into()))?;
        let level = match level {
            "off" => None,
            "hint" => Some(Severity::Hint),
            "information" => Some(Severity::Information),
            "warning" => Some(Severity::Warning),
            other => return Err(LevelProblem::UnknownLevel(other.into())),
        };
        if known.severity() == Severity::Error {
            return Err(LevelProblem::IsAnError(known));
        }
        self.0.insert(known, level);
        Ok(())
    }

    /// The same levels, with those of `over` where it has any.
    pub fn overridden_by(mut self, over: &Levels) -> Self {
        self.0
            .extend(over.0.iter().map(|(code, level)| (*code, *level)));
        self
    }

    /// `diagnostics` at these levels; those that are off are left out.
    pub fn apply(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.retain_mut(|diagnostic| match self.0.get(&diagnostic.code) {
            None => true,
            Some(None) => false,
            Some(Some(severity)) => {
                diagnostic.severity = *severity;
                true
            }
        });
        diagnostics
    }
}
