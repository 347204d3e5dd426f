//! Windows: pipes cannot be polled, so a thread reads and the caller waits for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::stream::StreamError;

/// What can be read in bounded time here.
pub trait Stream: Read + Send + 'static {}
impl<T: Read + Send + 'static> Stream for T {}

pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub(crate) fn read_to_end(
    stream: impl Stream,
    limit: usize,
    patience: Duration,
) -> Result<Vec<u8>, StreamError> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let cap = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = stream.take(cap).read_to_end(&mut bytes);
        // The receiver is gone once patience ran out; nobody wants the bytes then.
        let _ = sender.send(read.map(|_| bytes));
    });
    match receiver.recv_timeout(patience) {
        Ok(Ok(bytes)) if bytes.len() > limit => Err(StreamError::TooLarge { limit }),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(StreamError::TimedOut(patience)),
    }
}
