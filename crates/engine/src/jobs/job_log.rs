//! Reads the growing log of a job, line by line.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

/// Bytes per read.
const CHUNK: usize = 256 * 1024;

/// A longer line is dropped.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

pub(super) struct JobLog {
    pub(super) path: PathBuf,
    file: Option<File>,
    buffer: Vec<u8>,
    is_in_dropped_line: bool,
}

impl JobLog {
    /// The file need not exist yet.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, file: None, buffer: Vec::new(), is_in_dropped_line: false }
    }

    /// Passes the new complete lines on. False if there are none.
    pub(super) fn read(&mut self, mut on_line: impl FnMut(&[u8])) -> io::Result<bool> {
        let mut has_lines = false;
        loop {
            let begun = self.buffer.len();
            if self.read_chunk()? == 0 {
                return Ok(has_lines);
            }
            let mut start = 0;
            while let Some(length) =
                self.buffer[start.max(begun)..].iter().position(|b| *b == b'\n')
            {
                let end = start.max(begun) + length;
                if !std::mem::take(&mut self.is_in_dropped_line) {
                    on_line(&self.buffer[start..end]);
                    has_lines = true;
                }
                start = end + 1;
            }
            self.buffer.drain(..start);
            if self.buffer.len() > LONGEST_LINE {
                self.buffer.clear();
                self.is_in_dropped_line = true;
            }
        }
    }

    fn read_chunk(&mut self) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            None => match File::open(&self.path) {
                Ok(file) => self.file.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
                Err(error) => return Err(error),
            },
        };
        file.take(CHUNK as u64).read_to_end(&mut self.buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(log: &mut JobLog) -> Vec<String> {
        let mut lines = Vec::new();
        log.read(|line| lines.push(String::from_utf8_lossy(line).into_owned())).unwrap();
        lines
    }

    #[test]
    fn lines_are_read_once_they_are_complete() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("log");
        let mut log = JobLog::new(path.clone());
        assert_eq!(read(&mut log), Vec::<String>::new());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\n\ntw").unwrap();
        assert_eq!(read(&mut log), ["one", ""]);
        assert_eq!(read(&mut log), Vec::<String>::new());
        file.write_all(b"o\nthree\n").unwrap();
        assert_eq!(read(&mut log), ["two", "three"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped() {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("log");
        let long = vec![b'x'; LONGEST_LINE + CHUNK + 1];
        std::fs::write(&path, [&long[..], b"\nnext\n"].concat()).unwrap();
        assert_eq!(read(&mut JobLog::new(path)), ["next"]);
    }
}
