//! Suspends the process by SIGTSTP, and notices when it is continued.

#[cfg(not(unix))]
use std::io;

#[cfg(unix)]
pub(crate) use unix::Suspension;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, kill_current_process_group};
    use signal_hook::SigId;
    use signal_hook::consts::SIGCONT;

    /// Far more than a signal takes to arrive, and too short for a user to notice.
    const ARRIVES_WITHIN: Duration = Duration::from_millis(200);

    /// Notices SIGCONT.
    #[derive(Debug)]
    pub(crate) struct Suspension {
        over: Arc<AtomicBool>,
        noticed: SigId,
    }

    impl Suspension {
        pub(crate) fn notice() -> io::Result<Self> {
            let over = Arc::new(AtomicBool::new(false));
            let noticed = signal_hook::flag::register(SIGCONT, Arc::clone(&over))?;
            Ok(Self { over, noticed })
        }

        /// Returns true once.
        pub(crate) fn is_over(&self) -> bool {
            self.over.swap(false, Ordering::SeqCst)
        }

        /// Stops the whole process group, as the terminal does, because the shell may wait for a launcher.
        /// Returns when the job is continued.
        pub(crate) fn stop_job(&self) -> io::Result<()> {
            self.is_over();
            kill_current_process_group(Signal::TSTP)?;
            // Another thread may take the signal, so this one stops later. A job without a shell is not
            // stopped at all.
            let deadline = Instant::now() + ARRIVES_WITHIN;
            while !self.is_over() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        }
    }

    impl Drop for Suspension {
        fn drop(&mut self) {
            signal_hook::low_level::unregister(self.noticed);
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Suspension;

#[cfg(not(unix))]
impl Suspension {
    pub(crate) fn notice() -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) fn is_over(&self) -> bool {
        false
    }

    pub(crate) fn stop_job(&self) -> io::Result<()> {
        Ok(())
    }
}
