//! Looking again at what is outside the editor: something was opened, closed, saved, or changed by others.

use super::session::Session;
use super::{project_settings, publish, watch};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// When the open documents are looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wake {
    /// If a project changed.
    IfChanged,
    /// In any case: what they name may have changed.
    Always,
}

/// Looks that are under way: one at a time, and one more for all that were asked for meanwhile.
#[derive(Debug, Default)]
pub struct Refreshes(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    is_going: bool,
    next: Option<Wake>,
}

/// Looks at all projects again, beside the message loop.
pub fn look(session: &Arc<Session>, wake: Wake) {
    session.forget_places();
    let refreshes = &session.refreshes;
    {
        let mut state = refreshes.lock();
        state.next = state.next.max(Some(wake));
        if std::mem::replace(&mut state.is_going, true) {
            return;
        }
    }
    let session = session.clone();
    tokio::task::spawn_blocking(move || {
        while let Some(wake) = session.refreshes.next() {
            // Whatever becomes of one look, the next is not to be lost.
            let looked = AssertUnwindSafe(|| search_again(&session));
            let changed = catch_unwind(looked).unwrap_or(true);
            if changed || wake == Wake::Always {
                publish::look_again(&session);
            }
            watch::files(&session);
        }
    });
}

/// Whether a project is not as it was known.
fn search_again(session: &Session) -> bool {
    let mut changed = false;
    for root in session.projects.roots() {
        changed |= session.projects.search_again(&root);
        project_settings::show(session, &root);
    }
    changed
}

impl Refreshes {
    fn next(&self) -> Option<Wake> {
        let mut state = self.lock();
        let next = state.next.take();
        state.is_going = next.is_some();
        next
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
