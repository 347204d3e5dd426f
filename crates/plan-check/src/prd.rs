//! Whether the PRD says anything.

use tasks::{FieldPath, Place};

use crate::{Code, Finding, Prd};

pub(crate) fn finding(prd: Prd<'_>) -> Option<Finding> {
    let message = match prd {
        Prd::Missing => "there is no prd.md: every session would know its story and nothing else",
        Prd::Text(text) if !says_something(text) => {
            "prd.md has headings and no text: every session would know its story and nothing else"
        }
        Prd::Text(_) | Prd::Unread => return None,
    };
    Some(Finding {
        code: Code::EmptyPrd,
        place: Place::TopLevel,
        field: FieldPath::Whole,
        message: message.into(),
        fix:
            "Write into prd.md what is to be built, for whom, and what is not, or let /ralph-plan \
              ask you for it."
                .into(),
    })
}

/// Headings, comments and the heads of empty tables are a form, filled in or not.
fn says_something(text: &str) -> bool {
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
    fn what_cannot_be_judged_is_not() {
        assert_eq!(finding(Prd::Unread), None);
        assert_eq!(finding(Prd::Missing).map(|finding| finding.code), Some(Code::EmptyPrd));
    }
}
