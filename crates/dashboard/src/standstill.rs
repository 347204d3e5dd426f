//! A process that was stopped by the shell or by somebody else, and goes on.

#[cfg(not(unix))]
use std::io;

#[cfg(unix)]
pub(crate) use unix::Standstill;

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

    /// Notices that it is over.
    #[derive(Debug)]
    pub(crate) struct Standstill {
        over: Arc<AtomicBool>,
        noticed: SigId,
    }

    impl Standstill {
        pub(crate) fn notice() -> io::Result<Self> {
            let over = Arc::new(AtomicBool::new(false));
            let noticed = signal_hook::flag::register(SIGCONT, Arc::clone(&over))?;
            Ok(Self { over, noticed })
        }

        /// Says so once.
        pub(crate) fn is_over(&self) -> bool {
            self.over.swap(false, Ordering::SeqCst)
        }

        /// Stops the whole job, as the terminal does: a launcher waits for this process, and the shell
        /// waits for the launcher. Returns once the job goes on.
        pub(crate) fn stop_job(&self) -> io::Result<()> {
            self.is_over();
            kill_current_process_group(Signal::TSTP)?;
            // Another thread may take the signal, and this one stops a moment later. A job that no shell
            // could continue is not stopped at all.
            let deadline = Instant::now() + ARRIVES_WITHIN;
            while !self.is_over() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        }
    }

    impl Drop for Standstill {
        fn drop(&mut self) {
            signal_hook::low_level::unregister(self.noticed);
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Standstill;

#[cfg(not(unix))]
impl Standstill {
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
