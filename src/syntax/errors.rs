//! Collecting errors without a flood.

use super::SyntaxError;
use crate::text::Span;

/// After so many errors the text is something else than TOML, and more of them help nobody.
pub(super) const MOST: usize = 500;

/// The errors found so far.
#[derive(Debug, Default)]
pub(super) struct Errors {
    list: Vec<SyntaxError>,
    /// While above zero, errors are consequences of one that is already told, and are held back.
    muted: usize,
    /// Errors that begin before this are consequences, too.
    hushed_to: usize,
}

impl Errors {
    /// Adds an error, unless errors are held back.
    pub fn report(&mut self, span: Span, message: impl Into<String>) {
        if !self.is_muted() && !self.is_hushed(span.start) {
            self.list.push(SyntaxError {
                span,
                message: message.into(),
                related: None,
            });
        }
    }

    /// Adds an error with the other place that has a part in it.
    pub fn report_related(&mut self, span: Span, message: String, other: Span, what: String) {
        if !self.is_muted() {
            self.list.push(SyntaxError {
                span,
                message,
                related: Some((other, what)),
            });
        }
    }

    /// Holds errors back until [`unmute`](Self::unmute) was called as often.
    pub fn mute(&mut self) {
        self.muted += 1;
    }

    /// Ends one [`mute`](Self::mute).
    pub fn unmute(&mut self) {
        self.muted -= 1;
    }

    /// Holds back errors that begin before `offset`, from now on.
    pub fn hush_to(&mut self, offset: usize) {
        self.hushed_to = offset;
    }

    /// Whether errors that begin at `offset` are held back because of their place.
    pub fn is_hushed(&self, offset: usize) -> bool {
        offset < self.hushed_to
    }

    /// Takes back all but the first `len` errors, with what they hushed.
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
        self.hushed_to = 0;
    }

    /// Whether a report would be dropped.
    pub fn is_muted(&self) -> bool {
        self.muted > 0 || self.list.len() >= MOST
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them, in order of the text.
    pub fn into_sorted(mut self) -> Vec<SyntaxError> {
        self.list.sort_by_key(|error| error.span);
        self.list
    }
}
