//! Stops the server: by a call, or by a termination signal.

use std::io;

use tokio::sync::watch;

/// The server's side.
#[derive(Debug)]
pub(super) struct Stopping {
    receiver: watch::Receiver<bool>,
    sender: watch::Sender<bool>,
}

/// Stops its server.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stopping {
    pub(super) fn new() -> Self {
        let (sender, receiver) = watch::channel(false);
        Self { receiver, sender }
    }

    pub(super) fn stopper(&self) -> Stopper {
        Stopper(self.sender.clone())
    }

    pub(super) async fn requested(&mut self) {
        // The channel cannot be closed: `self` has its sender.
        let _ = self.receiver.wait_for(|is_stopped| *is_stopped).await;
    }

    /// Needs a runtime.
    #[cfg(unix)]
    pub(super) fn on_signals(&self) -> io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
            let (mut signal, stopper) = (signal(kind)?, self.stopper());
            tokio::spawn(async move {
                signal.recv().await;
                stopper.stop();
            });
        }
        Ok(())
    }

    /// Needs a runtime.
    #[cfg(windows)]
    pub(super) fn on_signals(&self) -> io::Result<()> {
        let (mut signal, stopper) = (tokio::signal::windows::ctrl_c()?, self.stopper());
        tokio::spawn(async move {
            signal.recv().await;
            stopper.stop();
        });
        Ok(())
    }
}
