//! Whether an output is still open. A run continues after its terminal was closed.

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputState {
    Open,
    Closed,
}

impl OutputState {
    /// Returns `result`, but notes a closed output instead of failing.
    pub(crate) fn watch(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if is_closed(&error) => {
                *self = Self::Closed;
                Ok(())
            }
            other => other,
        }
    }
}

fn is_closed(error: &io::Error) -> bool {
    // Unix returns EIO for a terminal that hung up; `ErrorKind` has no variant for it.
    const EIO: i32 = 5;
    error.kind() == io::ErrorKind::BrokenPipe || (cfg!(unix) && error.raw_os_error() == Some(EIO))
}
