//! The output of a tool, bounded for display: its size and its first lines.

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::raw::Raw;

/// The maximum of displayed lines.
const EXCERPT_LINES: u64 = 40;
const EXCERPT_CHARS: u64 = 4000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolOutput {
    /// The first lines, bounded.
    pub excerpt: String,
    /// Up to the last one that is not blank.
    pub lines: u64,
    pub chars: u64,
}

impl ToolOutput {
    pub fn of(text: &str) -> Self {
        let mut measure = Measure::default();
        let mut rest = text;
        while let Some(at) = rest.find('\n') {
            measure.plain(&rest[..at], text.len() - rest.len());
            rest = &rest[at + 1..];
            measure.newline(text.len() - rest.len());
        }
        measure.plain(rest, text.len() - rest.len());
        let excerpt = text[..measure.excerpt_end(text)].to_owned();
        measure.output(excerpt)
    }

    /// From a JSON string; empty if it is none. Measured without decoding, because most of it is only counted.
    pub(crate) fn of_raw(text: Raw<'_>) -> Self {
        let json = text.json();
        let inside = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let Some(inside) = inside else { return Self::default() };
        let mut measure = Measure::default();
        let mut rest = inside;
        while let Some(at) = memchr(b'\\', rest.as_bytes()) {
            measure.plain(&rest[..at], inside.len() - rest.len());
            let escape = &rest.as_bytes()[at..];
            let length = if escape.get(1) == Some(&b'u') { 6 } else { 2 };
            rest = rest.get(at + length..).unwrap_or_default();
            measure.escape(escape, inside.len() - rest.len());
        }
        measure.plain(rest, inside.len() - rest.len());
        let excerpt = text.up_to(measure.excerpt_end(inside)).unwrap_or_default();
        measure.output(excerpt)
    }
}

/// The counts so far, and the end of the excerpt in the text.
#[derive(Debug, Default)]
struct Measure {
    chars: u64,
    newlines: u64,
    lines: u64,
    excerpt_end: Option<usize>,
}

impl Measure {
    /// Text without newlines and escapes that starts at `start`.
    fn plain(&mut self, text: &str, start: usize) {
        let chars = text.chars().count() as u64;
        if self.excerpt_end.is_none() && self.chars + chars >= EXCERPT_CHARS {
            let remaining = (EXCERPT_CHARS - self.chars) as usize;
            let end = text.char_indices().nth(remaining).map_or(text.len(), |(at, _)| at);
            self.excerpt_end = Some(start + end);
        }
        self.chars += chars;
        if text.bytes().any(|byte| !is_blank(byte)) {
            self.lines = self.newlines + 1;
        }
    }

    /// A newline that ends at `end`.
    fn newline(&mut self, end: usize) {
        self.newlines += 1;
        self.one_char(end);
    }

    /// The escape at the start of `json`, which ends at `end`.
    fn escape(&mut self, json: &[u8], end: usize) {
        match json.get(1) {
            Some(b'n') => return self.newline(end),
            Some(b'r' | b't') => {}
            // The first half of a pair: only the second is counted, so that no excerpt ends between them.
            Some(b'u') if is_first_half(json) => return,
            _ => self.lines = self.newlines + 1,
        }
        self.one_char(end);
    }

    fn one_char(&mut self, end: usize) {
        self.chars += 1;
        if self.excerpt_end.is_none()
            && (self.newlines >= EXCERPT_LINES || self.chars >= EXCERPT_CHARS)
        {
            self.excerpt_end = Some(end);
        }
    }

    fn excerpt_end(&self, text: &str) -> usize {
        self.excerpt_end.unwrap_or(text.len())
    }

    fn output(self, mut excerpt: String) -> ToolOutput {
        excerpt.truncate(excerpt.trim_end().len());
        ToolOutput { excerpt, lines: self.lines, chars: self.chars }
    }
}

fn is_first_half(escape: &[u8]) -> bool {
    matches!(escape.get(2..4), Some([b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B']))
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str) -> ToolOutput {
        let output = ToolOutput::of(text);
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(ToolOutput::of_raw(serde_json::from_str(&json).unwrap()), output, "{json}");
        output
    }

    fn raw(json: &str) -> ToolOutput {
        ToolOutput::of_raw(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn escaped_and_plain_text_have_the_same_counts() {
        for (text, lines, chars) in [
            ("", 0, 0),
            ("one", 1, 3),
            ("one\ntwo\n", 2, 8),
            ("one\n\n\n", 1, 6),
            ("\n\na", 3, 3),
            (" \t\r\n", 0, 4),
            ("a\\n\"b\"\x1b[0m", 1, 10),
            ("日本\né👍", 2, 5),
        ] {
            let output = both(text);
            assert_eq!((output.lines, output.chars), (lines, chars), "{text:?}");
            assert_eq!(output.excerpt, text.trim_end());
        }
    }

    #[test]
    fn an_excerpt_is_bounded_in_lines_and_characters_and_the_counts_are_not() {
        let output = both(&"line\n".repeat(100));
        assert_eq!((output.lines, output.chars), (100, 500));
        assert_eq!(output.excerpt, "line\n".repeat(40).trim_end());
        for part in ["x", "é", "\"", "a\tb", "\u{1}"] {
            let output = both(&part.repeat(5000));
            assert_eq!(output.chars, 5000 * part.chars().count() as u64);
            assert_eq!(output.excerpt.chars().count(), 4000);
        }
    }

    #[test]
    fn escapes_are_characters_and_a_pair_is_one() {
        let output = raw(r#""\u0041\ud83d\ude00\u00e4""#);
        assert_eq!((output.excerpt.as_str(), output.lines, output.chars), ("A😀ä", 1, 3));
        let output = raw(&format!("\"{}\"", r"\ud83d\ude00".repeat(5000)));
        assert_eq!(output.chars, 5000);
        assert_eq!(output.excerpt, "😀".repeat(4000));
    }

    #[test]
    fn a_value_that_is_not_text_is_absent() {
        assert_eq!(raw("7"), ToolOutput::default());
        assert_eq!(raw("[\"a\"]"), ToolOutput::default());
        assert_eq!(ToolOutput::of_raw(Raw::default()), ToolOutput::default());
    }
}
