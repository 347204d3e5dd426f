//! Splits the chunks of a stream into lines. A line within one chunk is borrowed; only one that
//! spans chunks is copied.

use memchr::{memchr, memchr_iter};

#[derive(Debug)]
pub(crate) struct LineSplitter {
    longest: usize,
    /// The start of an incomplete line, and the number of its dropped bytes.
    partial: Vec<u8>,
    cut: u64,
}

impl LineSplitter {
    pub(crate) fn new(longest: usize) -> Self {
        Self { longest, partial: Vec::new(), cut: 0 }
    }

    /// Passes on every line that ends in this chunk, with the number of dropped bytes.
    pub(crate) fn feed(&mut self, chunk: &[u8], mut deliver: impl FnMut(&[u8], u64)) {
        let mut start = 0;
        if self.is_within_a_line() {
            let Some(end) = memchr(b'\n', chunk) else { return self.keep(chunk) };
            self.keep(&chunk[..end]);
            self.finish(&mut deliver);
            start = end + 1;
        }
        let rest = &chunk[start..];
        start = 0;
        for end in memchr_iter(b'\n', rest) {
            let line = &rest[start..end];
            let kept = line.len().min(self.longest);
            deliver(&line[..kept], (line.len() - kept) as u64);
            start = end + 1;
        }
        self.keep(&rest[start..]);
    }

    /// Passes on a last line without a newline.
    pub(crate) fn finish(&mut self, mut deliver: impl FnMut(&[u8], u64)) {
        if self.is_within_a_line() {
            deliver(&self.partial, self.cut);
            self.partial.clear();
            self.cut = 0;
        }
    }

    fn is_within_a_line(&self) -> bool {
        !self.partial.is_empty() || self.cut > 0
    }

    fn keep(&mut self, bytes: &[u8]) {
        let free = bytes.len().min(self.longest - self.partial.len());
        self.partial.extend_from_slice(&bytes[..free]);
        self.cut += (bytes.len() - free) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Lines = Vec<(Vec<u8>, u64)>;

    fn split(longest: usize, chunks: &[&[u8]]) -> Lines {
        let mut splitter = LineSplitter::new(longest);
        let mut lines = Lines::new();
        for chunk in chunks {
            splitter.feed(chunk, |bytes, cut| lines.push((bytes.to_vec(), cut)));
        }
        splitter.finish(|bytes, cut| lines.push((bytes.to_vec(), cut)));
        lines
    }

    fn whole(lines: &[&[u8]]) -> Lines {
        lines.iter().map(|line| (line.to_vec(), 0)).collect()
    }

    #[test]
    fn lines_are_the_same_wherever_the_stream_is_cut() {
        let stream = b"one\n\ntwo\r\n\xff\0x\n\n\nlast";
        let expected = whole(&[b"one", b"", b"two\r", b"\xff\0x", b"", b"", b"last"]);
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(split(80, &chunks), expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn a_long_line_is_cut_once_wherever_the_stream_is_cut() {
        let stream = b"abcd\nabcdefg\nab\nabcdef";
        let expected: Lines = [("abcd", 0), ("abcd", 3), ("ab", 0), ("abcd", 2)]
            .map(|(line, cut)| (line.as_bytes().to_vec(), cut))
            .into();
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(split(4, &chunks), expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn a_line_may_be_empty() {
        assert_eq!(split(0, &[b"ab", b"c\n\n"]), [(Vec::new(), 3), (Vec::new(), 0)]);
    }

    #[test]
    fn a_complete_line_leaves_nothing_to_finish() {
        assert_eq!(split(80, &[b"on", b"e\n"]), whole(&[b"one"]));
        assert_eq!(split(80, &[]), whole(&[]));
    }

    #[test]
    fn no_more_than_the_longest_line_is_kept() {
        let mut splitter = LineSplitter::new(1000);
        for _ in 0..1000 {
            splitter.feed(&[b'x'; 999], |_, _| panic!("no line has ended"));
        }
        assert_eq!(splitter.partial.len(), 1000);
        assert_eq!(splitter.cut, 998_000);
    }
}
