//! What is left of a text that somebody else broke into lines, framed or marked: its letters and
//! digits, in lower case and without blanks.

#[derive(Debug)]
pub(super) struct QueuedOrder {
    pub(super) same: char,
    pub(super) after: After,
    /// Where it ends in the text.
    pub(super) end: usize,
}

/// What comes after a letter, up to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum After {
    QueuedOrder,
    Gap,
    LineEnd,
}

pub(super) fn letters(text: &str) -> Vec<QueuedOrder> {
    let mut letters: Vec<QueuedOrder> = Vec::new();
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            let end = at + c.len_utf8();
            let lower = c.to_lowercase();
            letters.extend(lower.map(|same| QueuedOrder { same, after: After::QueuedOrder, end }));
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

    fn told(text: &str) -> String {
        letters(text)
            .iter()
            .flat_map(|letter| match letter.after {
                After::QueuedOrder => vec![letter.same],
                After::Gap => vec![letter.same, ' '],
                After::LineEnd => vec![letter.same, '/'],
            })
            .collect()
    }

    #[test]
    fn marks_and_blanks_are_not_said() {
        assert_eq!(told("> Fix it,\r\n>\n│ <b>NOW</b> │"), "fix it/b now b/");
        assert_eq!(told("--- \n"), "");
        assert_eq!(told("ÄÖ 1"), "äö 1/");
    }

    #[test]
    fn each_knows_where_it_ends() {
        assert_eq!(letters(" ä-b").iter().map(|letter| letter.end).collect::<Vec<_>>(), [3, 5]);
    }
}
