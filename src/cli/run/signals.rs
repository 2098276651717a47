//! Ctrl-C and SIGTERM: once cancels, twice leaves.

use super::printing::Order;
use crate::run::StopReason;
use std::sync::mpsc::Sender;
use tokio_util::sync::CancellationToken;

/// Cancels at the first signal and ends this process at the second; the guards then end what it started.
///
/// SIGHUP keeps its default, which ends the process too, so that `nohup` works.
pub async fn cancel_on_signals(cancel: CancellationToken, orders: Sender<Order>) {
    if next_signal().await.is_none() {
        return;
    }
    cancel.cancel();
    let _ = orders.send(Order::Say(
        "cancelling; Ctrl-C again leaves at once\n".to_owned(),
    ));
    if next_signal().await.is_some() {
        std::process::exit(i32::from(StopReason::Cancelled.exit_code()));
    }
}

/// Waits for a signal; `None` where signals cannot be had, which leaves them their defaults.
async fn next_signal() -> Option<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate()).ok()?;
        let mut interrupt = signal(SignalKind::interrupt()).ok()?;
        tokio::select! {
            received = terminate.recv() => received,
            received = interrupt.recv() => received,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await.ok()
}
