//! Whether a final message says that the work is complete.

use std::fmt;

/// What an agent has to say once everything is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    element: Element,
    word: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    /// Exactly the word.
    Promise,
    /// The word in any case.
    Response,
}

impl Completion {
    /// `<promise>COMPLETE</promise>`
    pub fn promise(word: impl Into<String>) -> Self {
        Self { element: Element::Promise, word: word.into() }
    }

    /// `<response>DONE</response>`
    pub fn response(word: impl Into<String>) -> Self {
        Self { element: Element::Response, word: word.into() }
    }

    /// Whether the tag stands on a line of its own, or ends the message: an agent that only speaks
    /// of it ("I will print … when I am done, but two tests still fail") has not given it. Of
    /// several that are given, the first one counts.
    pub fn is_given_in(&self, message: &str) -> bool {
        self.given_word(message).is_some_and(|word| self.is_the_word(word))
    }

    /// Whether the tag stands on a line of its own. Of an agent without a structured output nothing
    /// else counts: a line that only ends with it can be the prompt's, with something before it.
    pub fn is_given_on_a_line(&self, message: &str) -> bool {
        self.word_given_on_a_line(message).is_some_and(|word| self.is_the_word(word))
    }

    /// Whether somebody who reads `prompt` can know the tag, exactly as it has to be given.
    pub fn is_mentioned_in(&self, prompt: &str) -> bool {
        let (open, close) = self.element.tags();
        // Only ASCII, so that what is found in here stands at the same place in the prompt.
        let lower = prompt.to_ascii_lowercase();
        let mut starts = lower.match_indices(open).map(|(at, _)| at + open.len());
        starts.any(|start| {
            let end = lower[start..].find('<').map_or(lower.len(), |end| start + end);
            lower[end..].starts_with(close) && self.is_the_word(prompt[start..end].trim())
        })
    }

    /// The word of the first tag that is given.
    pub fn given_word<'m>(&self, message: &'m str) -> Option<&'m str> {
        self.word_given_on_a_line(message).or_else(|| {
            let (open, _) = self.element.tags();
            let message = message.trim_end();
            let start = rfind_ignoring_case(message, open)?;
            self.element.whole(&message[start..])
        })
    }

    /// The word of the first tag on a line of its own.
    pub fn word_given_on_a_line<'m>(&self, message: &'m str) -> Option<&'m str> {
        message.lines().find_map(|line| self.element.whole(line.trim()))
    }

    fn is_the_word(&self, word: &str) -> bool {
        let wanted = self.word.trim();
        !wanted.is_empty()
            && match self.element {
                Element::Promise => word == wanted,
                Element::Response => word.to_lowercase() == wanted.to_lowercase(),
            }
    }
}

/// The whole tag.
impl fmt::Display for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = self.element.tags();
        write!(f, "{open}{}{close}", self.word.trim())
    }
}

impl Element {
    fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Promise => ("<promise>", "</promise>"),
            Self::Response => ("<response>", "</response>"),
        }
    }

    /// The word of a tag that is all of `text`.
    fn whole(self, text: &str) -> Option<&str> {
        let (open, close) = self.tags();
        let after = strip_prefix_ignoring_case(text, open)?;
        let end = after.len().checked_sub(close.len())?;
        let tail = after.get(end..)?;
        let word = after.get(..end)?;
        (tail.eq_ignore_ascii_case(close) && !word.contains('<')).then(|| word.trim())
    }
}

fn strip_prefix_ignoring_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn rfind_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    text.to_ascii_lowercase().rfind(&needle.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(message: &str) -> bool {
        Completion::promise("COMPLETE").is_given_in(message)
    }

    fn done(message: &str) -> bool {
        Completion::response("DONE").is_given_in(message)
    }

    #[test]
    fn on_a_line_of_its_own() {
        assert!(complete("<promise>COMPLETE</promise>"));
        assert!(complete("Done.\n\n  <promise>COMPLETE</promise>\r\nBye."));
    }

    #[test]
    fn at_the_end_of_the_message() {
        assert!(complete("Done. <promise>COMPLETE</promise>\n\n"));
        assert!(done("Done. <response>done</response> "));
    }

    #[test]
    fn only_on_a_line_of_its_own() {
        let promise = Completion::promise("COMPLETE");
        assert!(promise.is_given_on_a_line("Done.\n\n <promise>COMPLETE</promise>\r\nBye."));
        for line in ["Done. {}", "> {}", "[12:00:01] {}", "{} |", "`{}`", "1 {}"] {
            let message = line.replace("{}", "<promise>COMPLETE</promise>");
            assert!(!promise.is_given_on_a_line(&message), "{message}");
        }
        assert!(!promise.is_given_on_a_line("<promise>complete</promise>"));
        let response = Completion::response("DONE");
        assert!(response.is_given_on_a_line("x\n<Response>done</response>"));
        let first = "<response>blocked</response>\n<response>DONE</response>";
        assert!(!response.is_given_on_a_line(first));
        assert_eq!(response.word_given_on_a_line(first), Some("blocked"));
        assert_eq!(response.word_given_on_a_line("x <response>DONE</response>"), None);
    }

    #[test]
    fn a_mention_is_none() {
        assert!(!complete("I will print <promise>COMPLETE</promise> when all tests pass."));
        assert!(!complete("Not `<promise>COMPLETE</promise>` yet:\ntests fail"));
        assert!(!complete("see <promise>COMPLETE</promise>\ntests fail"));
    }

    #[test]
    fn a_promise_is_exact_and_a_response_is_not() {
        assert!(!complete("<promise>complete</promise>"));
        assert!(!complete("<promise>COMPLETE"));
        assert!(!complete("<promise>COMPLETE</promise"));
        assert!(done("<Response> Done </RESPONSE>"));
        assert!(!done("<response>NOT DONE</response>"));
    }

    #[test]
    fn the_first_that_is_given_counts() {
        assert!(!done("<response>blocked</response>\n<response>DONE</response>"));
        assert!(done("<response>DONE</response>\n<response>blocked</response>"));
        assert!(done("no <response>x</response> yet\n<response>DONE</response>"));
    }

    #[test]
    fn an_empty_word_is_never_given() {
        assert!(!Completion::promise(" ").is_given_in("<promise></promise>"));
        assert!(!Completion::response("").is_given_in("\n\n"));
    }

    #[test]
    fn letters_that_change_their_length_do_no_harm() {
        assert!(!done("İİİ<response>x"));
        assert!(done("İ İ İ <response>DONE</response>"));
    }

    #[test]
    fn a_prompt_that_mentions_the_tag() {
        let tag = Completion::response("DONE");
        assert_eq!(tag.to_string(), "<response>DONE</response>");
        assert!(tag.is_mentioned_in("when done, print <response>done</response>, please"));
        assert!(!tag.is_mentioned_in("say <promise>DONE</promise>"));
        assert!(!tag.is_mentioned_in("<response>x</response>"));
        assert!(!tag.is_mentioned_in("<response>DONE"));
        assert!(tag.is_mentioned_in("İ <response>x</response> or <RESPONSE> Done </Response>"));
        assert!(tag.is_mentioned_in("<response> is closed: <response>DONE</response>"));
    }

    #[test]
    fn a_promise_in_another_case_is_not_mentioned() {
        let tag = Completion::promise("COMPLETE");
        assert!(tag.is_mentioned_in("print `<promise>COMPLETE</promise>`"));
        assert!(!tag.is_mentioned_in("print <promise>complete</promise>"));
        assert!(!Completion::promise("").is_mentioned_in("<promise></promise>"));
    }
}
