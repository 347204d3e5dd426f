//! Whether a final message says that the work is complete.

/// Whether the tag stands on a line of its own, or ends the message. An agent that only speaks of
/// the tag ("I will print … when I am done, but two tests still fail") has not given it.
pub fn has_completion_tag(message: &str, tag: &str) -> bool {
    let tag = tag.trim();
    if tag.is_empty() {
        return false;
    }
    message.trim_end().ends_with(tag) || message.lines().any(|line| line.trim() == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "<promise>COMPLETE</promise>";

    #[test]
    fn on_a_line_of_its_own() {
        assert!(has_completion_tag(TAG, TAG));
        assert!(has_completion_tag("Done.\n\n  <promise>COMPLETE</promise>\r\nBye.", TAG));
    }

    #[test]
    fn at_the_end_of_the_message() {
        assert!(has_completion_tag("Done. <promise>COMPLETE</promise>\n\n", TAG));
    }

    #[test]
    fn a_mention_is_none() {
        let mention = "I will print <promise>COMPLETE</promise> when all tests pass.";
        assert!(!has_completion_tag(mention, TAG));
        assert!(!has_completion_tag("Not `<promise>COMPLETE</promise>` yet:\ntests fail", TAG));
        assert!(!has_completion_tag("see <promise>COMPLETE</promise>\ntests fail", TAG));
    }

    #[test]
    fn exactly_the_tag() {
        assert!(!has_completion_tag("<promise>complete</promise>", TAG));
        assert!(!has_completion_tag("<promise>COMPLETE", TAG));
        assert!(has_completion_tag("<response>DONE</response>", "<response>DONE</response>"));
    }

    #[test]
    fn an_empty_tag_is_never_given() {
        assert!(!has_completion_tag("anything", ""));
        assert!(!has_completion_tag("\n\n", " "));
    }
}
