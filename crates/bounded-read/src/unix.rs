//! Unix: poll(2) before every read, so that no thread is needed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::stream::StreamError;

/// A stream with bounded reads.
pub trait Stream: Read + AsFd {}
impl<T: Read + AsFd> Stream for T {}

/// Opening a named pipe without a writer would block.
pub(crate) fn open_without_waiting(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

pub(crate) fn open_to_append(path: &Path) -> io::Result<File> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits()).unwrap_or_default();
    OpenOptions::new().read(true).append(true).custom_flags(flags).open(path)
}

/// Passes `stream` to `take` in chunks, to its end. `patience` limits the total time.
pub fn each_chunk(
    mut stream: impl Stream,
    patience: Duration,
    mut take: impl FnMut(&[u8]) -> Result<(), StreamError>,
) -> Result<(), StreamError> {
    let deadline = Instant::now() + patience;
    // Larger than the buffer of std's Stdin, which then bypasses it. Buffered bytes would be
    // invisible to poll.
    let mut chunk = vec![0; 64 * 1024];
    loop {
        wait_until_readable(&stream, deadline, patience)?;
        match stream.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => take(&chunk[..read])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether `stream` has data or is at its end within `patience`. True on systems that cannot poll.
pub fn is_readable_within(stream: &impl AsFd, patience: Duration) -> bool {
    !matches!(
        wait_until_readable(stream, Instant::now() + patience, patience),
        Err(StreamError::TimedOut(_))
    )
}

fn wait_until_readable(
    stream: &impl AsFd,
    deadline: Instant,
    patience: Duration,
) -> Result<(), StreamError> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Err(StreamError::TimedOut(patience)),
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
}
