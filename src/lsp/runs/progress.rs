//! Progress of a run on a work-done token.

use crate::lsp::outbox::Outbox;
use std::sync::{Mutex, PoisonError};
use tower_lsp::ls_types::notification;
use tower_lsp::ls_types::*;

/// Progress that begins once and ends once, whoever ends it; what is reported outside of that is not sent.
#[derive(Debug)]
pub struct Progress {
    outbox: Outbox,
    token: ProgressToken,
    phase: Mutex<Phase>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Before,
    Begun,
    Ended,
}

impl Progress {
    /// Progress on `token`, which the client knows.
    pub fn new(outbox: Outbox, token: ProgressToken) -> Self {
        Self {
            outbox,
            token,
            phase: Mutex::new(Phase::Before),
        }
    }

    /// Begins.
    pub fn begin(&self, title: String) {
        self.send(Phase::Before, Phase::Begun, || {
            WorkDoneProgress::Begin(WorkDoneProgressBegin {
                title,
                cancellable: Some(true),
                ..WorkDoneProgressBegin::default()
            })
        });
    }

    /// Says how far it is.
    pub fn report(&self, message: String) {
        self.send(Phase::Begun, Phase::Begun, || {
            WorkDoneProgress::Report(WorkDoneProgressReport {
                cancellable: Some(true),
                message: Some(message),
                percentage: None,
            })
        });
    }

    /// Ends.
    pub fn end(&self, message: &str) {
        self.send(Phase::Begun, Phase::Ended, || {
            WorkDoneProgress::End(WorkDoneProgressEnd {
                message: Some(message.to_owned()),
            })
        });
    }

    fn send(&self, from: Phase, to: Phase, progress: impl FnOnce() -> WorkDoneProgress) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if *phase == from {
            *phase = to;
            self.outbox
                .notify::<notification::Progress>(ProgressParams {
                    token: self.token.clone(),
                    value: ProgressParamsValue::WorkDone(progress()),
                });
        } else if to == Phase::Ended {
            *phase = to;
        }
    }
}
