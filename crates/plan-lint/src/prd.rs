//! Whether the PRD says anything.

use tasks::{FieldPath, Place};

use crate::{Code, Finding, Prd};

const WRITE: &str = "Write into prd.md what is to be built, for whom, and what is not, or let /ralph-plan ask you for \
     it.";

pub(crate) fn finding(prd: Prd<'_>) -> Option<Finding> {
    let (code, message, fix) = match prd {
        Prd::Missing => (
            Code::EmptyPrd,
            "there is no prd.md: every session would know its story and nothing else".to_owned(),
            WRITE,
        ),
        Prd::Text(text) if !says_something(text) => (
            Code::EmptyPrd,
            "prd.md has headings and no text: every session would know its story and nothing else"
                .to_owned(),
            WRITE,
        ),
        Prd::Unreadable(why) => (
            Code::UnreadablePrd,
            format!("no session can read prd.md: {why}"),
            "Put a text file in UTF-8 there.",
        ),
        Prd::Text(_) => return None,
    };
    let (place, field) = (Place::TopLevel, FieldPath::Whole);
    Some(Finding { code, place, field, message, fix: fix.to_owned() })
}

/// Whether a PRD has been written. Headings, comments and the heads of empty tables are a form, filled in or not.
pub fn says_something(text: &str) -> bool {
    let text = without_comments(text);
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let is_table_head = line.starts_with('|')
            && lines.peek().is_some_and(|next| next.starts_with('|') && is_rule(next));
        let is_form = line.is_empty() || line.starts_with('#') || is_rule(line) || is_table_head;
        if !is_form {
            return true;
        }
    }
    false
}

fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '*' | '_' | '='))
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_says_nothing_and_neither_does_an_empty_file() {
        let template = include_str!("../../../templates/prd.md");
        for text in ["", " \n\n", "# Title\n\n## 1. Summary\n---\n", "<!-- never closed", template]
        {
            assert!(!says_something(text), "{text}");
        }
        assert!(!says_something(&template.replace('\n', "\r\n")));
    }

    #[test]
    fn one_sentence_or_one_row_says_something() {
        for text in ["Greets.", "# T\n<!-- a -->\nGreets.", "| a |\n|---|\n| b |", "- one"] {
            assert!(says_something(text), "{text}");
        }
        assert!(says_something(include_str!("../../../templates/demo/prd.md")));
    }

    #[test]
    fn a_prd_that_is_missing_and_one_that_cannot_be_read_are_told_apart() {
        let code = |prd| finding(prd).map(|finding| finding.code);
        assert_eq!(code(Prd::Missing), Some(Code::EmptyPrd));
        assert_eq!(code(Prd::Unreadable("it is a pipe")), Some(Code::UnreadablePrd));
        assert_eq!(code(Prd::Text("Greets.")), None);
    }
}
