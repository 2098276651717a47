//! How far a call is, as its server says. (Messages of a server's log are on their way out of the protocol: SEP-2577.)

use super::super::{OutputSink, Stream};
use rmcp::model::ProgressNotificationParam;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hands on what a server says to whoever watches its calls. What tells which call it is about the library keeps to itself,
/// so it is shown only while a single call of the server runs.
#[derive(Clone, Default)]
pub struct Heard(Arc<Mutex<Vec<(u64, OutputSink)>>>);

impl Heard {
    /// What is said from now on goes to `output`, until what is returned is dropped.
    pub fn watch(&self, output: OutputSink) -> Watch {
        let mut watching = self.watching();
        let number = watching.last().map_or(0, |(last, _)| last + 1);
        watching.push((number, output));
        drop(watching);
        Watch {
            heard: self.clone(),
            number,
        }
    }

    /// Takes how far a call is.
    pub fn progress(&self, progress: &ProgressNotificationParam) {
        let ProgressNotificationParam {
            progress: done,
            total,
            message,
            ..
        } = progress;
        let count = match total {
            Some(total) => format!("{done}/{total}"),
            None => done.to_string(),
        };
        let line = match message {
            Some(message) => format!("{message} ({count})"),
            None => format!("progress: {count}"),
        };
        // Whoever watches is not called while others wait.
        let output = match self.watching().as_slice() {
            [(_, output)] => output.clone(),
            _ => return,
        };
        output(Stream::Stderr, format!("{line}\n").as_bytes());
    }

    fn watching(&self) -> MutexGuard<'_, Vec<(u64, OutputSink)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That somebody watches a call.
pub struct Watch {
    heard: Heard,
    number: u64,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watching = self.heard.watching();
        watching.retain(|(number, _)| *number != self.number);
    }
}
