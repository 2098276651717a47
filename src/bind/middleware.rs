//! What `[[middlewares]]` are made into, for a run to put around its calls.

use super::log_file::LogFile;
use super::{BindError, ToolInfo};
use crate::definition::{self, Definition, Effect, Milliseconds, Pattern, Spanned};
use crate::text::{Span, Text};
use regex::bytes::Regex;
use std::path::PathBuf;
use std::sync::Arc;

/// How often `retry` tries a call in all where the definition does not say.
const ATTEMPTS: u32 = 3;
/// How long `retry` waits before the second attempt where the definition does not say, in milliseconds.
const BACKOFF: Milliseconds = 500;

/// One of a loop's middlewares.
#[derive(Clone, Debug)]
pub struct Middleware {
    /// What it does.
    pub kind: MiddlewareKind,
    /// The tools that it is for; all where there are none.
    tools: Vec<Pattern>,
}

/// What a middleware does.
#[derive(Clone, Debug)]
pub enum MiddlewareKind {
    /// Writes a line about each call.
    Log(Arc<LogFile>),
    /// Makes a call that failed again.
    Retry {
        /// How often in all.
        attempts: u32,
        /// The wait before the second attempt, doubled for each further one.
        backoff: Milliseconds,
    },
    /// Replaces what these match in results.
    Redact(Vec<Regex>),
}

impl Middleware {
    /// Those of `definition`, in its order; `place` tells where the file of a log is, absolute.
    ///
    /// # Errors
    ///
    /// A file that is no log of loopls stands where one would be written.
    pub fn all(
        definition: &Definition,
        place: impl Fn(&Spanned<Text>) -> Result<PathBuf, String>,
    ) -> Result<Vec<Self>, BindError> {
        let middlewares = definition.middlewares.iter();
        let made = middlewares.map(|middleware| Self::of(middleware, &place));
        made.collect()
    }

    fn of(
        middleware: &definition::Middleware,
        place: impl Fn(&Spanned<Text>) -> Result<PathBuf, String>,
    ) -> Result<Self, BindError> {
        let span = middleware.kind.span().unwrap_or(middleware.span);
        let failed = |problem: String, span: Span| BindError::Middleware { problem, span };
        let kind = match middleware.kind.text() {
            "log" => {
                let Some(file) = middleware.file.spanned() else {
                    return Err(failed("`log` names no `file`".into(), span));
                };
                let log = place(file).and_then(LogFile::at).map_err(|problem| {
                    failed(format!("the log `{}`: {problem}", file.value), file.span)
                })?;
                MiddlewareKind::Log(Arc::new(log))
            }
            "retry" => MiddlewareKind::Retry {
                attempts: match middleware.attempts.get() {
                    Some(attempts) => u32::try_from(*attempts).unwrap_or(1).max(1),
                    None => ATTEMPTS,
                },
                backoff: middleware.backoff.get().copied().unwrap_or(BACKOFF).max(0),
            },
            "redact" => {
                let patterns = middleware.patterns.items().map(|pattern| {
                    Regex::new(&pattern.value)
                        .map_err(|error| failed(error.to_string(), pattern.span))
                });
                MiddlewareKind::Redact(patterns.collect::<Result<_, _>>()?)
            }
            kind => return Err(failed(format!("there is no middleware `{kind}`"), span)),
        };
        let tools = middleware.tools.items().map(|pattern| {
            Pattern::new(&pattern.value).map_err(|problem| failed(problem, pattern.span))
        });
        Ok(Self {
            kind,
            tools: tools.collect::<Result<_, _>>()?,
        })
    }

    /// Whether it is put around calls of `tool`. Whatever the patterns say, only what reads is tried again
    /// (`docs/security.md`, 10).
    pub fn applies_to(&self, tool: &ToolInfo) -> bool {
        let retries = matches!(self.kind, MiddlewareKind::Retry { .. });
        if retries && tool.effect != Effect::Read {
            return false;
        }
        let mut patterns = self.tools.iter();
        self.tools.is_empty() || patterns.any(|pattern| pattern.matches(&tool.name))
    }
}
