//! Ctrl-C and SIGTERM: once cancels, twice leaves.

use crate::run::StopReason;
use std::io;
use tokio_util::sync::CancellationToken;

/// Cancels at the first signal, which it `say`s, and ends this process at the second; the guards then end what it started.
///
/// SIGHUP keeps its default, which ends the process too, so that `nohup` works. Where signals cannot be had they all
/// keep their defaults.
pub async fn cancel_on_signals(cancel: CancellationToken, say: impl Fn(&str)) {
    let Ok(mut signals) = Signals::new() else {
        return;
    };
    signals.next().await;
    cancel.cancel();
    say("cancelling; Ctrl-C again leaves at once");
    signals.next().await;
    std::process::exit(i32::from(StopReason::Cancelled.exit_code()));
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
