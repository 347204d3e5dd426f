//! Whether anybody is still looking. A run goes on when its terminal was closed.

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    There,
    Gone,
}

impl Audience {
    /// Passes `result` on, unless it says that nobody looks any more.
    pub(crate) fn watch(&mut self, result: io::Result<()>) -> io::Result<()> {
        match result {
            Err(error) if is_gone(&error) => {
                *self = Self::Gone;
                Ok(())
            }
            other => other,
        }
    }
}

fn is_gone(error: &io::Error) -> bool {
    // What writing to a terminal that hung up says on Unix; it has no kind of its own.
    const EIO: i32 = 5;
    error.kind() == io::ErrorKind::BrokenPipe || (cfg!(unix) && error.raw_os_error() == Some(EIO))
}
