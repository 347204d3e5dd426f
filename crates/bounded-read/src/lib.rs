//! Bounded reads of files, pipes and standard input: limits for size and time.
//!
//! Hooks read files that an agent may have written: huge task lists, links to devices, pipes that
//! stay open.

mod file;
mod stream;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub use file::{FileError, open_regular, open_to_append, read_file};
pub use stream::{StreamError, read_stream};
pub use system::{each_chunk, is_readable_within};
