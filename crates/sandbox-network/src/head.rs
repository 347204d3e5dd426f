//! Reads the head of an HTTP message with a size limit and a timeout.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use socket2::Socket;

const END: &[u8] = b"\r\n\r\n";

/// Bytes per read.
const CHUNK: usize = 4096;

#[derive(Debug, Clone, Copy)]
pub(crate) struct HeadLimits {
    pub(crate) bytes: usize,
    /// For the whole head.
    pub(crate) time: Duration,
}

impl Default for HeadLimits {
    fn default() -> Self {
        Self { bytes: 64 * 1024, time: Duration::from_secs(30) }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum HeadError {
    #[error("the request head has more than {0} bytes")]
    TooLarge(usize),
    #[error("the request head did not arrive within {} s", .0.as_secs_f32())]
    TooSlow(Duration),
    #[error("the connection ended")]
    Ended,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The head with its empty line, and the bytes after it.
pub(crate) fn read(
    mut stream: &Socket,
    limits: HeadLimits,
) -> Result<(Vec<u8>, Vec<u8>), HeadError> {
    let deadline = Instant::now() + limits.time;
    let (mut bytes, mut chunk) = (Vec::new(), [0; CHUNK]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(HeadError::TooSlow(limits.time));
        }
        stream.set_read_timeout(Some(left))?;
        let read = match stream.read(&mut chunk) {
            Ok(0) => return Err(HeadError::Ended),
            Ok(read) => read,
            Err(error) if is_retryable(&error) => continue,
            Err(error) => return Err(error.into()),
        };
        // The end may be split over two reads.
        let searched = bytes.len().saturating_sub(END.len() - 1);
        bytes.extend_from_slice(&chunk[..read]);
        let found = bytes[searched..].windows(END.len()).position(|window| window == END);
        match found.map(|at| searched + at + END.len()) {
            Some(end) if end <= limits.bytes => {
                stream.set_read_timeout(None)?;
                let rest = bytes.split_off(end);
                return Ok((bytes, rest));
            }
            None if bytes.len() < limits.bytes => {}
            _ => return Err(HeadError::TooLarge(limits.bytes)),
        }
    }
}

/// A timeout is reported as one of the first two kinds; the caller checks the deadline.
fn is_retryable(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::net::{Shutdown, TcpListener, TcpStream};

    use super::*;

    /// Reads `bytes`, then the end of the stream.
    fn read_from(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>), HeadError> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        sender.write_all(bytes).unwrap();
        sender.shutdown(Shutdown::Write).unwrap();
        let stream = Socket::from(listener.accept().unwrap().0);
        read(&stream, HeadLimits::default())
    }

    #[test]
    fn the_end_of_a_head_is_found_wherever_the_pieces_end() {
        for length in CHUNK - 1..CHUNK + END.len() + 2 {
            let head = [&vec![b'a'; length - END.len()][..], END].concat();
            let sent = [&head[..], b"rest\r\n\r\n"].concat();
            let (read, rest) = read_from(&sent).unwrap();
            assert_eq!(read, head, "{length}");
            assert!(sent.starts_with(&[read, rest].concat()), "{length}");
        }
    }

    #[test]
    fn a_head_without_its_empty_line_is_invalid() {
        for bytes in [&b""[..], b"GET / HTTP/1.1\r\n", b"a\n\n", b"a\r\r"] {
            assert!(matches!(read_from(bytes), Err(HeadError::Ended)), "{bytes:?}");
        }
    }
}
