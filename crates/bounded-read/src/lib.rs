//! Reads that end: a file, a pipe or standard input, never past a size and never past a time.
//!
//! Hooks read what an agent may have written: a task list of any size, a symbolic link to a device,
//! a pipe that nobody closes. Not here: what the bytes mean.

mod file;
mod stream;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

pub use file::{FileError, open_regular, open_to_append, read_file};
pub use stream::{StreamError, each_chunk, is_readable_within, read_stream};
