//! TCP and Unix socket connections, and copying between two of them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

/// The wait after a failed accept, until closed connections free file descriptors.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Stream {
    /// Disables Nagle's algorithm, because the sender has already chosen the size of each write.
    pub(crate) fn tcp(stream: TcpStream) -> Self {
        let _ = stream.set_nodelay(true);
        Self::Tcp(stream)
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(how),
            #[cfg(unix)]
            Self::Unix(stream) => stream.shutdown(how),
        }
    }

    pub(crate) fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(timeout),
            #[cfg(unix)]
            Self::Unix(stream) => stream.set_read_timeout(timeout),
        }
    }
}

impl Read for &Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => (&mut &*stream).read(buffer),
            #[cfg(unix)]
            Stream::Unix(stream) => (&mut &*stream).read(buffer),
        }
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => (&mut &*stream).write(bytes),
            #[cfg(unix)]
            Stream::Unix(stream) => (&mut &*stream).write(bytes),
        }
    }

    /// Both kinds are unbuffered.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Copies until both directions end. The end of one direction is passed on and leaves the other open.
pub(crate) fn copy_both_ways(one: &Stream, other: &Stream) {
    thread::scope(|scope| {
        // Without a thread the streams are dropped, which closes both sides.
        if thread::Builder::new().spawn_scoped(scope, || copy(one, other)).is_ok() {
            copy(other, one);
        }
    });
}

/// A broken connection counts as ended.
fn copy(mut from: &Stream, mut to: &Stream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
