//! The letters and digits of a text, in lower case, independent of line breaks, frames and markers.

#[derive(Debug)]
pub(super) struct Letter {
    pub(super) lower: char,
    pub(super) after: After,
    /// Its end in the text.
    pub(super) end: usize,
}

/// What follows a letter, up to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum After {
    Letter,
    Gap,
    LineEnd,
}

pub(super) fn letters(text: &str) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            let end = at + c.len_utf8();
            letters.extend(c.to_lowercase().map(|lower| Letter {
                lower,
                after: After::Letter,
                end,
            }));
        } else if let Some(last) = letters.last_mut() {
            let gap = if is_line_end(c) { After::LineEnd } else { After::Gap };
            last.after = last.after.max(gap);
        }
    }
    if let Some(last) = letters.last_mut() {
        last.after = After::LineEnd;
    }
    letters
}

pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(text: &str) -> String {
        letters(text)
            .iter()
            .flat_map(|letter| match letter.after {
                After::Letter => vec![letter.lower],
                After::Gap => vec![letter.lower, ' '],
                After::LineEnd => vec![letter.lower, '/'],
            })
            .collect()
    }

    #[test]
    fn marks_and_blanks_are_no_letters() {
        assert_eq!(described("> Fix it,\r\n>\n│ <b>NOW</b> │"), "fix it/b now b/");
        assert_eq!(described("--- \n"), "");
        assert_eq!(described("ÄÖ 1"), "äö 1/");
    }

    #[test]
    fn a_letter_has_its_end_in_the_text() {
        assert_eq!(letters(" ä-b").iter().map(|letter| letter.end).collect::<Vec<_>>(), [3, 5]);
    }
}
