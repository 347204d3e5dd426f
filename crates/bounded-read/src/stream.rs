//! Reads a pipe to its end within a time limit.

use std::io;
use std::time::Duration;

use crate::system::{Stream, each_chunk};

#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error("no data for {} ms", .0.as_millis())]
    TimedOut(Duration),
    #[error("it has more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads `stream` to its end. `patience` limits the total time.
pub fn read_stream(
    stream: impl Stream,
    limit: usize,
    patience: Duration,
) -> Result<Vec<u8>, StreamError> {
    let mut bytes = Vec::new();
    each_chunk(stream, patience, |chunk| {
        if bytes.len() + chunk.len() > limit {
            return Err(StreamError::TooLarge { limit });
        }
        bytes.extend_from_slice(chunk);
        Ok(())
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::is_readable_within;

    #[test]
    fn reads_to_the_end() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"hello").unwrap();
        drop(writer);
        assert_eq!(read_stream(reader, 10, Duration::from_secs(10)).unwrap(), b"hello");
    }

    #[test]
    fn gives_up_on_a_pipe_that_stays_open() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"hel").unwrap();
        let started = std::time::Instant::now();
        let error = read_stream(reader, 10, Duration::from_millis(20)).unwrap_err();
        assert!(matches!(error, StreamError::TimedOut(_)), "{error}");
        assert!(started.elapsed() >= Duration::from_millis(20), "and not sooner");
    }

    #[cfg(unix)]
    #[test]
    fn detects_available_data() {
        let (reader, mut writer) = io::pipe().unwrap();
        assert!(!is_readable_within(&reader, Duration::from_millis(1)));
        writer.write_all(b"x").unwrap();
        assert!(is_readable_within(&reader, Duration::from_secs(10)));
    }

    #[test]
    fn gives_up_on_too_much_data() {
        let flood = || {
            let (reader, mut writer) = io::pipe().unwrap();
            writer.write_all(&[b'x'; 100]).unwrap();
            reader
        };
        assert_eq!(read_stream(flood(), 100, Duration::from_secs(10)).unwrap().len(), 100);
        let error = read_stream(flood(), 99, Duration::from_secs(10)).unwrap_err();
        assert!(matches!(error, StreamError::TooLarge { limit: 99 }), "{error}");
    }
}
