//! Output that stresses a reader: very long or malformed.

use super::stream::Stream;

/// Bytes per write, so that the reader is slower than the writer.
const CHUNK: usize = 1 << 20;

const GARBAGE: [&[u8]; 8] = [
    b"this is not json",
    b"{\"type\":\"assistant\",\"message\":{\"con",
    b"{\"type\":\"assistant\",\"message\":\"\xff\xfe\"}",
    b"[1,2,3]",
    b"{\"type\":7}",
    b"",
    b"{\"type\":\"no_such_type\",\"session_id\":\"other\"}",
    b"\x1b[31mred\x1b[0m\x00\r",
];

/// A line of about `line_bytes`, in the format of this stream.
pub(super) fn flood_line(stream: &Stream, line_bytes: usize) -> String {
    let bare = stream.line_of_text("").len();
    stream.line_of_text(&"x".repeat(line_bytes.saturating_sub(bare).max(1)))
}

/// At least `bytes` bytes, in pieces of whole lines.
pub(super) fn flood(line: &str, bytes: u64) -> impl Iterator<Item = String> {
    let most = (CHUNK / line.len()).max(1) as u64;
    let mut left = bytes.div_ceil(line.len() as u64);
    std::iter::from_fn(move || {
        let lines = left.min(most);
        left -= lines;
        (lines > 0).then(|| line.repeat(lines as usize))
    })
}

pub(super) fn garbage(lines: usize) -> Vec<u8> {
    let lines = GARBAGE.iter().cycle().take(lines);
    lines.flat_map(|line| line.iter().chain(b"\n")).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_whole_lines_and_no_more_than_it_needs() {
        let pieces = |bytes| flood("0123456\n", bytes);
        let length = |bytes| pieces(bytes).map(|piece| piece.len()).sum::<usize>();
        assert_eq!((length(0), length(1), length(17)), (0, 8, 24));
        assert_eq!(length(5_000_000), 5_000_000);
        assert!(pieces(5_000_000).all(|piece| piece.ends_with('\n')));
    }

    #[test]
    fn garbage_is_as_many_lines_as_asked_for() {
        let garbage = garbage(9);
        assert_eq!(garbage.iter().filter(|byte| **byte == b'\n').count(), 9);
        assert!(std::str::from_utf8(&garbage).is_err());
    }
}
