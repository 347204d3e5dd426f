//! A process that was stopped by the shell or by somebody else, and goes on.

#[cfg(not(unix))]
use std::io;

#[cfg(unix)]
pub(crate) use unix::{Standstill, stand_still};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::SigId;
    use signal_hook::consts::{SIGCONT, SIGTSTP};

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
    }

    impl Drop for Standstill {
        fn drop(&mut self) {
            signal_hook::low_level::unregister(self.noticed);
        }
    }

    /// Returns once the process goes on: a thread that raises a signal has it before its next step.
    pub(crate) fn stand_still() -> io::Result<()> {
        signal_hook::low_level::raise(SIGTSTP)
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
}

#[cfg(not(unix))]
pub(crate) fn stand_still() -> io::Result<()> {
    Ok(())
}
