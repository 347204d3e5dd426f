//! Extracts a commit message from an agent's answer.

pub(crate) const PROMPT: &str = "Provide a short imperative commit message for the changes. Output \
                                 only the message, no explanation.";

/// Small enough to fit into one command-line argument.
const MOST_CHARS: usize = 10_000;

/// The text in `<response>`, else the first non-empty line.
pub(crate) fn extract(answer: &str) -> Option<String> {
    let message = match in_response(answer) {
        Some(response) => without_fences(response.trim()),
        None => answer.lines().map(str::trim).find(|line| !line.is_empty() && !is_fence(line))?,
    };
    // Control characters would be interpreted by the terminal that shows the git log.
    let is_plain = |c: &char| !c.is_control() || *c == '\n';
    let plain: String = message.chars().filter(is_plain).take(MOST_CHARS).collect();
    let message = ['`', '"'].iter().fold(plain.trim(), |text, mark| unwrapped(text, *mark));
    (!message.is_empty()).then(|| message.to_owned())
}

/// Removes the marks around the text, unless the text contains more of them.
fn unwrapped(text: &str, mark: char) -> &str {
    let inner = text.trim_start_matches(mark);
    let before = text.len() - inner.len();
    let inner = inner.trim_end_matches(mark);
    let after = text.len() - before - inner.len();
    if (before == after || inner.is_empty()) && !inner.contains(mark) { inner.trim() } else { text }
}

fn without_fences(text: &str) -> &str {
    let inner = text.split_once('\n').zip(text.rsplit_once('\n'));
    match inner {
        Some(((first, rest), (_, "```"))) if is_fence(first) => {
            rest.strip_suffix("```").unwrap_or(rest).trim()
        }
        _ => text,
    }
}

fn in_response(answer: &str) -> Option<&str> {
    let lower = answer.to_ascii_lowercase();
    let start = lower.find("<response>")? + "<response>".len();
    let end = start + lower[start..].find("</response>")?;
    Some(&answer[start..end])
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("```").is_some_and(|info| !info.contains('`'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_tag_wins() {
        let answer = "Sure!\n<Response>\nAdd parser\n\nIt reads.\n</response>\nbye";
        assert_eq!(extract(answer).unwrap(), "Add parser\n\nIt reads.");
    }

    #[test]
    fn else_the_first_non_empty_line() {
        assert_eq!(extract("\n\n  Add parser  \nmore").unwrap(), "Add parser");
        assert_eq!(extract("```text\n`Add parser`\n```").unwrap(), "Add parser");
        assert_eq!(extract("<response>open").unwrap(), "<response>open");
    }

    #[test]
    fn marks_around_the_whole_text_are_removed() {
        for answer in [
            "`Add x`",
            "\"Add x\"",
            "`\"Add x\"`",
            "```Add x```",
            "<response>```text\nAdd x\n```</response>",
            "<response>```\nAdd x\n```</response>",
        ] {
            assert_eq!(extract(answer).unwrap(), "Add x", "{answer}");
        }
    }

    #[test]
    fn marks_within_the_text_are_kept() {
        for answer in [
            "Use `code`",
            "`code` is used",
            "`a` becomes `b`",
            "Rename \"a\" to \"b\"",
            "\"a\" becomes \"b\"",
            "Don't say 'x'",
            "``Add`",
        ] {
            assert_eq!(extract(answer).unwrap(), answer);
        }
    }

    #[test]
    fn it_fits_into_an_argument() {
        let message = extract(&"\u{1f680}".repeat(50_000)).unwrap();
        assert_eq!(message.chars().count(), MOST_CHARS);
        assert!(message.len() < 128 << 10);
    }

    #[test]
    fn an_empty_answer_has_no_message() {
        for answer in [
            "",
            " \n\t",
            "```\n```",
            "``",
            "\"\"",
            "\"",
            "<response> </response>",
            "<response></response>x",
        ] {
            assert_eq!(extract(answer), None, "{answer:?}");
        }
    }

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(extract("Add\u{1b}[2J x\r").unwrap(), "Add[2J x");
    }
}
