//! Why a run did not begin, where a client can do something about it: one word as the `reason` of `run_ended`, by which
//! the client knows it, and the sentence that people read in its place.

use crate::lsp::trust::NOT_TRUSTED;

/// Neither the request nor the definition nor the settings have a prompt: a client asks for one and starts anew.
pub const NO_PROMPT: &str = "no_prompt";

/// What people read for `reason`, which most often is a sentence already.
pub fn in_words(reason: &str) -> &str {
    match reason {
        NO_PROMPT => "there is no prompt: give one, or write `prompt` into the definition",
        NOT_TRUSTED => "this folder is not trusted, so nothing was started",
        sentence => sentence,
    }
}
