//! Why a question got no answer.

use std::io;

#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// Ctrl-C.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there it ends the program at once"))]
    Interrupted,
    /// Ctrl-D, or a terminal that is gone.
    End,
    /// The terminal cannot be read or written.
    Failed(io::Error),
}
