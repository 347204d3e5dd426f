//! Reads the lines of a file backwards, in bounded time and memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Large enough for the usual distance between the end of a transcript and its last usage.
const FIRST_WINDOW: u64 = 32 * 1024;

/// Bounds the read: skips lines of several megabytes, but never reads gigabytes.
const MAX_DISTANCE: u64 = 32 * 1024 * 1024;

/// The first result of `wanted`, from the last line backwards.
pub(crate) fn last_line<T>(
    file: &mut File,
    size: u64,
    mut wanted: impl FnMut(&[u8]) -> Option<T>,
) -> io::Result<Option<T>> {
    let oldest = size.saturating_sub(MAX_DISTANCE);
    // Everything from `end` on was already searched.
    let mut end = size;
    let mut window = FIRST_WINDOW;
    let mut bytes = Vec::new();
    while end > oldest {
        let start = end.saturating_sub(window).max(oldest);
        read_range(file, start, end, &mut bytes)?;
        // The first line of a window may be cut off.
        let whole = match memchr::memchr(b'\n', &bytes) {
            _ if start == 0 => 0,
            Some(newline) => newline + 1,
            None => bytes.len(),
        };
        if let Some(found) = lines_backwards(&bytes[whole..]).find_map(&mut wanted) {
            return Ok(Some(found));
        }
        // The line is longer than the window: enlarge the window.
        window = window.saturating_mul(4);
        let looked_at = start + u64::try_from(whole).unwrap_or(u64::MAX);
        end = if whole == bytes.len() { end } else { looked_at };
        if start == oldest {
            break;
        }
    }
    Ok(None)
}

fn lines_backwards(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.rsplit(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn read_range(file: &mut File, start: u64, end: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    file.seek(SeekFrom::Start(start))?;
    bytes.clear();
    file.take(end - start).read_to_end(bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(contents: &[u8]) -> (File, u64) {
        let dir = assert_fs::TempDir::new().unwrap();
        let path = dir.path().join("file");
        File::create(&path).unwrap().write_all(contents).unwrap();
        (File::open(&path).unwrap(), contents.len() as u64)
    }

    /// Every line, in the order in which `last_line` passes it.
    fn offered(contents: &[u8]) -> Vec<String> {
        let (mut file, size) = file(contents);
        let mut lines = Vec::new();
        let none: Option<()> = last_line(&mut file, size, |line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            None
        })
        .unwrap();
        assert_eq!(none, None);
        lines
    }

    #[test]
    fn lines_come_from_the_end_each_once() {
        assert_eq!(offered(b"a\nb\n\nc\n"), ["c", "b", "a"]);
        assert_eq!(offered(b"a\nb"), ["b", "a"]);
        assert_eq!(offered(b""), Vec::<String>::new());
        assert_eq!(offered(b"\n\n"), Vec::<String>::new());
    }

    #[test]
    fn lines_longer_than_the_window_are_offered_whole() {
        let lengths = [5, 40_000, 100, 200_000, 32 * 1024, 1, 32 * 1024 - 1, 3_000_000, 7];
        let lines: Vec<String> = lengths.iter().map(|length| "x".repeat(*length)).collect();
        let mut expected = lines.clone();
        expected.reverse();
        let lengths_of = |lines: &[String]| lines.iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(lengths_of(&offered(lines.join("\n").as_bytes())), lengths_of(&expected));
    }

    #[test]
    fn lines_too_far_back_are_not_read() {
        let mut contents = b"first\n".to_vec();
        contents.resize(usize::try_from(MAX_DISTANCE).unwrap() + 100, b'x');
        assert_eq!(offered(&contents).len(), 0, "one line longer than is read");
    }

    #[test]
    fn the_first_match_ends_it() {
        let (mut file, size) = file(b"1\n2\n3\n");
        let found =
            last_line(&mut file, size, |line| (line != b"3").then(|| line.to_vec())).unwrap();
        assert_eq!(found, Some(b"2".to_vec()));
    }
}
