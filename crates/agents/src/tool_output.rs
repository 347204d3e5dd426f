//! The output of a tool, bounded for display: its size and its first lines.

use serde::{Deserialize, Serialize};

use crate::raw::Raw;

/// The maximum of displayed lines.
const EXCERPT_LINES: usize = 40;
const EXCERPT_CHARS: usize = 4000;

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
        let first_lines = text.split_inclusive('\n').take(EXCERPT_LINES);
        let excerpt: String = first_lines.flat_map(str::chars).take(EXCERPT_CHARS).collect();
        let with_text = text.trim_end_matches([' ', '\t', '\r', '\n']);
        Self {
            excerpt: excerpt.trim_end().to_owned(),
            lines: if with_text.is_empty() { 0 } else { with_text.split('\n').count() as u64 },
            chars: text.chars().count() as u64,
        }
    }

    /// From a JSON string; empty if it is none.
    pub(crate) fn of_raw(text: Raw<'_>) -> Self {
        text.text().map(|text| Self::of(&text)).unwrap_or_default()
    }
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
