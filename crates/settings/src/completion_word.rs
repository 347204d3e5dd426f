//! The word in the completion tag.

use json_reader::Leaf;

/// The description of a valid completion word, for error messages.
pub const COMPLETION_WORD: &str =
    "a string that is not blank and has no '<', no '>' and no line break";

/// It is between two tags on one line, so it contains no angle brackets and no line break.
pub fn is_completion_word(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(['<', '>', '\n', '\r'])
}

pub(crate) const LEAF: Leaf<String> = Leaf::new(COMPLETION_WORD, |json| {
    json.text().filter(|text| is_completion_word(text)).map(str::to_owned)
});

#[cfg(test)]
pub(crate) const PATTERN: &str = r"^[^<>\r\n]*[^<>\s][^<>\r\n]*$";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_words_are_refused() {
        for word in ["DONE", "ALL DONE", "é & co", " x "] {
            assert!(is_completion_word(word), "{word:?}");
        }
        for word in ["", " ", "<b>", "a<", "a>b", "two\nlines", "two\rlines", "DONE\n"] {
            assert!(!is_completion_word(word), "{word:?}");
        }
    }
}
