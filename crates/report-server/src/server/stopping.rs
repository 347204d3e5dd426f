//! How a server is told to end: by a program, or by the signals that ask one to.

use std::io;

use tokio::sync::watch;

/// What the server listens to.
#[derive(Debug)]
pub(super) struct Stopping {
    told: watch::Receiver<Told>,
    teller: watch::Sender<Told>,
}

/// Ends the server it comes from.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<Told>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Nothing,
    ToStop,
}

impl Stopper {
    pub fn stop(&self) {
        self.0.send_replace(Told::ToStop);
    }
}

impl Stopping {
    pub(super) fn new() -> Self {
        let (teller, told) = watch::channel(Told::Nothing);
        Self { told, teller }
    }

    pub(super) fn stopper(&self) -> Stopper {
        Stopper(self.teller.clone())
    }

    pub(super) async fn told(&mut self) {
        // It cannot be closed: the other end is in here too.
        let _ = self.told.wait_for(|told| *told == Told::ToStop).await;
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
