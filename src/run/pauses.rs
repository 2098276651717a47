//! Time that people take to answer, which no clock of a run counts.

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// The pauses of a turn or a call, in which somebody is asked about something in it or below it.
pub(super) struct Pauses {
    state: watch::Sender<State>,
    above: Option<Arc<Pauses>>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// How many questions are open.
    open: usize,
    /// Since when there is one.
    since: Option<Instant>,
    /// The length of the pauses that are over.
    over: Duration,
}

impl Pauses {
    /// Those of something within `above`, whose clock stands still with its own.
    pub fn within(above: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            state: watch::Sender::default(),
            above,
        })
    }

    /// Begins a pause, which ends when what is returned is dropped.
    pub fn begin(self: &Arc<Self>) -> Pause {
        for pauses in self.upwards() {
            pauses.state.send_modify(|state| {
                state.open += 1;
                state.since.get_or_insert_with(Instant::now);
            });
        }
        Pause(self.clone())
    }

    fn end(&self) {
        for pauses in self.upwards() {
            pauses.state.send_modify(|state| {
                state.open = state.open.saturating_sub(1);
                if state.open == 0 {
                    let since = state.since.take();
                    state.over += since.map_or(Duration::ZERO, |since| since.elapsed());
                }
            });
        }
    }

    fn upwards(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |pauses| pauses.above.as_deref())
    }

    /// The time since `start` without the pauses.
    pub fn elapsed(&self, start: Instant) -> Duration {
        let state = *self.state.borrow();
        let current = state.since.map_or(Duration::ZERO, |since| since.elapsed());
        start.elapsed().saturating_sub(state.over + current)
    }

    /// Ends once `allowed` has passed since `start`, without the pauses.
    pub async fn passed(&self, start: Instant, allowed: Duration) {
        let mut changes = self.state.subscribe();
        loop {
            let state = *changes.borrow_and_update();
            let deadline = start + allowed.saturating_add(state.over);
            tokio::select! {
                biased;
                // The sender lives as long as this.
                _ = changes.changed() => {}
                () = sleep_until(deadline), if state.open == 0 => return,
            }
        }
    }
}

/// A pause that is going on.
pub(super) struct Pause(Arc<Pauses>);

impl Drop for Pause {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn pauses_below_count_above_and_only_once() {
        let above = Pauses::within(None);
        let below = [(); 2].map(|()| Pauses::within(Some(above.clone())));
        let start = Instant::now();
        let asking = async {
            tokio::time::sleep(SECOND).await;
            let first = below[0].begin();
            tokio::time::sleep(SECOND).await;
            let second = below[1].begin();
            tokio::time::sleep(SECOND).await;
            drop(first);
            tokio::time::sleep(SECOND).await;
            drop(second);
            let times = [&above, &below[0], &below[1]].map(|pauses| pauses.elapsed(start));
            assert_eq!(times, [SECOND, 2 * SECOND, 2 * SECOND]);
        };
        let (above, below, ()) = tokio::join!(
            async {
                above.passed(start, 2 * SECOND).await;
                start.elapsed()
            },
            async {
                below[0].passed(start, 2 * SECOND).await;
                start.elapsed()
            },
            asking,
        );
        assert_eq!((above, below), (5 * SECOND, 4 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn what_has_passed_has_passed_at_once() {
        use futures_util::FutureExt;
        let pauses = Pauses::within(None);
        let start = Instant::now();
        tokio::time::sleep(SECOND).await;
        assert!(pauses.passed(start, SECOND).now_or_never().is_some());
        assert!(pauses.passed(start, 2 * SECOND).now_or_never().is_none());
    }
}
