//! Stops the server: by a call, or by a termination signal.

use std::io;

use tokio::sync::watch;

/// Stops its server.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    pub(super) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    pub(super) async fn requested(&self) {
        // The channel cannot be closed: `self` has its sender.
        let _ = self.0.subscribe().wait_for(|is_stopped| *is_stopped).await;
    }

    /// Needs a runtime.
    pub(super) fn on_signals(&self) -> io::Result<()> {
        #[cfg(unix)]
        use tokio::signal::unix::{SignalKind, signal};
        #[cfg(unix)]
        let signals =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
        #[cfg(windows)]
        let signals = [tokio::signal::windows::ctrl_c()];
        for signal in signals {
            let (mut signal, stopper) = (signal?, self.clone());
            tokio::spawn(async move {
                signal.recv().await;
                stopper.stop();
            });
        }
        Ok(())
    }
}
