//! The word between the tags that say that the work is complete.

use crate::leaf::Leaf;

/// What a completion word is, for whoever has to refuse another one.
pub const COMPLETION_WORD: &str =
    "a string that is not blank and has no '<', no '>' and no line break";

/// No answer is found to hold another one: it stands between two tags, on one line.
pub fn is_completion_word(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains(['<', '>', '\n', '\r'])
}

pub(crate) const LEAF: Leaf<String> = Leaf {
    expected: COMPLETION_WORD,
    read: |json| json.text().filter(|text| is_completion_word(text)).map(str::to_owned),
};

/// The same for the schema.
#[cfg(test)]
pub(crate) const PATTERN: &str = r"^[^<>\r\n]*[^<>\s][^<>\r\n]*$";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_answer_can_hold_is_refused() {
        for word in ["DONE", "ALL DONE", "é & co", " x "] {
            assert!(is_completion_word(word), "{word:?}");
        }
        for word in ["", " ", "<b>", "a<", "a>b", "two\nlines", "two\rlines", "DONE\n"] {
            assert!(!is_completion_word(word), "{word:?}");
        }
    }
}
