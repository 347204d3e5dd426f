//! Checks whether the PRD has content.

use tasks::FieldPath;

use crate::{Code, Finding, Prd};

const WRITE: &str =
    "Describe in prd.md what to build, for whom, and what is out of scope, or use /ralph-plan.";

pub(crate) fn finding(prd: Prd<'_>) -> Option<Finding> {
    let (code, message, fix) = match prd {
        Prd::Missing => {
            let message = "prd.md is missing: every session would know only its story".to_owned();
            (Code::EmptyPrd, message, WRITE)
        }
        Prd::Text(text) if !has_content(text) => {
            let message =
                "prd.md has headings but no text: every session would know only its story";
            (Code::EmptyPrd, message.to_owned(), WRITE)
        }
        Prd::Unreadable(why) => {
            let message = format!("cannot read prd.md: {why}");
            (Code::UnreadablePrd, message, "Save it as a UTF-8 text file.")
        }
        Prd::Text(_) => return None,
    };
    Some(Finding::of_list(code, FieldPath::Whole, message, fix))
}

/// Whether a PRD has content. Headings, comments and headers of empty tables do not count.
pub fn has_content(text: &str) -> bool {
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
    fn the_template_and_an_empty_file_have_no_content() {
        let template = include_str!("../../../templates/prd.md");
        for text in ["", " \n\n", "# Title\n\n## 1. Summary\n---\n", "<!-- never closed", template]
        {
            assert!(!has_content(text), "{text}");
        }
        assert!(!has_content(&template.replace('\n', "\r\n")));
    }

    #[test]
    fn one_sentence_or_one_row_is_content() {
        for text in ["Greets.", "# T\n<!-- a -->\nGreets.", "| a |\n|---|\n| b |", "- one"] {
            assert!(has_content(text), "{text}");
        }
        assert!(has_content(include_str!("../../../templates/demo/prd.md")));
    }

    #[test]
    fn a_missing_and_an_unreadable_prd_are_distinguished() {
        let code = |prd| finding(prd).map(|finding| finding.code);
        assert_eq!(code(Prd::Missing), Some(Code::EmptyPrd));
        assert_eq!(code(Prd::Unreadable("it is a pipe")), Some(Code::UnreadablePrd));
        assert_eq!(code(Prd::Text("Greets.")), None);
    }
}
