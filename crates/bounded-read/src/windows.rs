//! Windows: pipes cannot be polled, so a thread reads and the caller waits for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::stream::StreamError;

/// A stream with bounded reads.
pub trait Stream: Read + Send + 'static {}
impl<T: Read + Send + 'static> Stream for T {}

pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link"));
    }
    File::options().read(true).append(true).open(path)
}

/// Pipes cannot be polled on Windows.
pub fn is_readable_within<S>(_stream: &S, _patience: Duration) -> bool {
    true
}

/// Passes `stream` to `take` in chunks, to its end. `patience` limits the total time.
pub fn each_chunk(
    mut stream: impl Stream,
    patience: Duration,
    mut take: impl FnMut(&[u8]) -> Result<(), StreamError>,
) -> Result<(), StreamError> {
    let deadline = Instant::now() + patience;
    let (sender, receiver) = mpsc::sync_channel(1);
    thread::spawn(move || {
        loop {
            let mut chunk = vec![0; 64 * 1024];
            let read = stream.read(&mut chunk).map(|read| {
                chunk.truncate(read);
                chunk
            });
            let is_over = !matches!(&read, Ok(chunk) if !chunk.is_empty());
            // The receiver is dropped after the time limit.
            if sender.send(read).is_err() || is_over {
                return;
            }
        }
    });
    loop {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(chunk)) if chunk.is_empty() => return Ok(()),
            Ok(Ok(chunk)) => take(&chunk)?,
            Ok(Err(error)) => return Err(error.into()),
            Err(_) => return Err(StreamError::TimedOut(patience)),
        }
    }
}
