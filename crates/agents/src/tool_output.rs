//! The output of a tool, bounded for display: its size and its first lines.

use serde::{Deserialize, Serialize};

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
        let lines =
            text.match_indices('\n').nth(EXCERPT_LINES - 1).map_or(text, |(end, _)| &text[..end]);
        let chars = lines.char_indices().nth(EXCERPT_CHARS).map_or(lines, |(end, _)| &lines[..end]);
        let with_text = text.trim_end_matches([' ', '\t', '\r', '\n']);
        Self {
            excerpt: chars.trim_end().to_owned(),
            lines: if with_text.is_empty() { 0 } else { with_text.split('\n').count() as u64 },
            chars: text.chars().count() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_up_to_the_last_with_text_and_all_characters_are_counted() {
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
            let output = ToolOutput::of(text);
            assert_eq!((output.lines, output.chars), (lines, chars), "{text:?}");
            assert_eq!(output.excerpt, text.trim_end());
        }
    }

    #[test]
    fn an_excerpt_is_bounded_in_lines_and_characters_and_the_counts_are_not() {
        let output = ToolOutput::of(&"line\n".repeat(100));
        assert_eq!((output.lines, output.chars), (100, 500));
        assert_eq!(output.excerpt, "line\n".repeat(40).trim_end());
        for part in ["x", "é", "\"", "a\tb", "\u{1}"] {
            let output = ToolOutput::of(&part.repeat(5000));
            assert_eq!(output.chars, 5000 * part.chars().count() as u64);
            assert_eq!(output.excerpt.chars().count(), 4000);
        }
    }
}
