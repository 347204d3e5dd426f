//! Detects whether a final message declares the work complete.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The completion marker of an agent: a word in one of two tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The tag that prompts ask for; the other one is accepted too.
    element: CompletionTag,
    word: String,
}

/// The tag around the completion word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionTag {
    /// Matches the exact word.
    Promise,
    /// Matches the word in any case.
    Response,
}

/// A message that probably tries to declare completion, but does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NearMiss {
    /// The tag contains another word.
    OtherWord,
    /// The tag has another case, blanks or brackets.
    Spelling,
    /// The tag is neither on its own line nor at the end of the message.
    NotAtEnd,
    /// The word ends the message without the tag.
    NoTag,
}

impl NearMiss {
    /// A sentence for the user and the agent.
    pub fn describe(self, wanted: &str) -> String {
        match self {
            Self::OtherWord => {
                format!("the tag in the last message contains a word other than {wanted}")
            }
            Self::Spelling => format!("the tag in the last message is not spelled {wanted}"),
            Self::NotAtEnd => format!(
                "{wanted} is in the last message, but not on its own line and not at the end"
            ),
            Self::NoTag => {
                format!("the last message ends with the completion word without the tag {wanted}")
            }
        }
    }
}

impl Completion {
    /// `<promise>COMPLETE</promise>`
    pub fn promise(word: impl Into<String>) -> Self {
        Self { element: CompletionTag::Promise, word: word.into() }
    }

    /// `<response>DONE</response>`
    pub fn response(word: impl Into<String>) -> Self {
        Self { element: CompletionTag::Response, word: word.into() }
    }

    /// Whether a tag is on its own line or ends the message. An agent that only mentions it ("I will print … when I
    /// am done, but two tests still fail") is not done. The first of several tags counts.
    pub fn is_given_in(&self, message: &str) -> bool {
        given(message).is_some_and(|(element, word)| self.is_the_word(element, word))
    }

    /// The word of the first valid tag.
    pub fn given_word<'m>(&self, message: &'m str) -> Option<&'m str> {
        given(message).map(|(_, word)| word)
    }

    /// Why a message that probably tries to declare completion is not accepted.
    pub fn near_miss(&self, message: &str) -> Option<NearMiss> {
        let (word, wanted) = (self.given_word(message).map(normalized), normalized(&self.word));
        if wanted.is_empty() || self.is_given_in(message) {
            return None;
        }
        if let Some(word) = word {
            let same = word == wanted;
            return Some(if same { NearMiss::Spelling } else { NearMiss::OtherWord });
        }
        let forms = misspelt(&wanted);
        let is_misspelt = |line: &str| forms.contains(&normalized(line));
        let all = normalized(message);
        if message.lines().any(is_misspelt) || forms.iter().any(|form| all.ends_with(form.as_str()))
        {
            return Some(NearMiss::Spelling);
        }
        let is_mentioned = CompletionTag::ALL.iter().any(|element| {
            let (open, close) = element.tags();
            all.contains(&format!("{open}{wanted}{close}"))
        });
        match is_mentioned {
            true => Some(NearMiss::NotAtEnd),
            false => self.ends_with_word(message).then_some(NearMiss::NoTag),
        }
    }

    /// Whether `prompt` contains one of the tags in its exact form.
    pub fn is_mentioned_in(&self, prompt: &str) -> bool {
        // ASCII lower case keeps all positions the same as in the prompt.
        let lower = prompt.to_ascii_lowercase();
        CompletionTag::ALL.into_iter().any(|element| {
            let (open, close) = element.tags();
            let mut starts = lower.match_indices(open).map(|(at, _)| at + open.len());
            starts.any(|start| {
                let end = lower[start..].find('<').map_or(lower.len(), |end| start + end);
                lower[end..].starts_with(close)
                    && self.is_the_word(element, prompt[start..end].trim())
            })
        })
    }

    fn is_the_word(&self, element: CompletionTag, word: &str) -> bool {
        let wanted = self.word.trim();
        !wanted.is_empty()
            && match element {
                CompletionTag::Promise => word == wanted,
                CompletionTag::Response => word.to_lowercase() == wanted.to_lowercase(),
            }
    }

    /// As the whole last line in any case, or as its last word in exact case: many sentences end with "done".
    fn ends_with_word(&self, message: &str) -> bool {
        let line = message.trim_end().lines().next_back().unwrap_or_default();
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        let word = self.word.trim_matches(|c: char| !c.is_alphanumeric());
        let before = line.strip_suffix(word);
        line.to_lowercase() == word.to_lowercase()
            || before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
    }
}

/// The whole tag.
impl fmt::Display for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = self.element.tags();
        write!(f, "{open}{}{close}", self.word.trim())
    }
}

impl CompletionTag {
    const ALL: [Self; 2] = [Self::Promise, Self::Response];

    fn tags(self) -> (&'static str, &'static str) {
        match self {
            Self::Promise => ("<promise>", "</promise>"),
            Self::Response => ("<response>", "</response>"),
        }
    }

    /// The word, if `text` is exactly one tag.
    fn whole(self, text: &str) -> Option<(Self, &str)> {
        let (open, close) = self.tags();
        // ASCII lower case keeps all positions.
        let lower = text.to_ascii_lowercase();
        let word = lower.strip_prefix(open)?.strip_suffix(close)?;
        (!word.contains('<')).then(|| (self, text[open.len()..][..word.len()].trim()))
    }
}

/// The first tag on its own line, else the one that ends the message.
fn given(message: &str) -> Option<(CompletionTag, &str)> {
    let whole = |text| CompletionTag::ALL.into_iter().find_map(|element| element.whole(text));
    message.lines().find_map(|line| whole(line.trim())).or_else(|| {
        let message = message.trim_end();
        let lower = message.to_ascii_lowercase();
        let starts = CompletionTag::ALL.map(|element| lower.rfind(element.tags().0));
        whole(&message[starts.into_iter().flatten().max()?..])
    })
}

/// Frequent wrong forms of a tag: blanks, another case, a wrong or missing end.
fn misspelt(word: &str) -> Vec<String> {
    let [promise, response] = CompletionTag::ALL.map(CompletionTag::tags);
    let ends = [promise.1, response.1, promise.0, response.0, ""];
    let all = [promise.0, response.0].into_iter().flat_map(|open| ends.map(|end| (open, end)));
    all.map(|(open, end)| format!("{open}{word}{end}")).collect()
}

fn normalized(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect()
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
    fn both_tags_are_accepted_for_one_word() {
        for completion in [Completion::promise("COMPLETE"), Completion::response("COMPLETE")] {
            assert!(completion.is_given_in("Done. <promise>COMPLETE</promise>"));
            assert!(completion.is_given_in("Done.\n<response>complete</response>\nBye."));
            assert!(!completion.is_given_in("<promise>complete</promise>"));
            assert!(!completion.is_given_in("<promise>COMPLETE</response>"));
            assert!(completion.is_mentioned_in("end with <promise>COMPLETE</promise>, please"));
            assert!(completion.is_mentioned_in("end with <response>COMPLETE</response>, please"));
        }
        let first = "<response>blocked</response>\n<promise>DONE</promise>";
        assert!(!done(first), "of both kinds the first one counts");
        assert!(done("not <response>x</response> yet, but now: <promise>DONE</promise>"));
    }

    #[test]
    fn near_misses_are_distinguished() {
        let promise = Completion::promise("COMPLETE");
        for (message, expected) in [
            ("Working on it.", None),
            ("All is complete.", None),
            ("INCOMPLETE", None),
            ("<promise>COMPLETE</promise>", None),
            ("Well.\nCOMPLETE", Some(NearMiss::NoTag)),
            ("Status: **COMPLETE**.\n\n", Some(NearMiss::NoTag)),
            ("complete", Some(NearMiss::NoTag)),
            ("<promise>complete</promise>", Some(NearMiss::Spelling)),
            ("< promise >COMPLETE</ promise>\nBye.", Some(NearMiss::Spelling)),
            ("Done. <promise>COMPLETE</response>", Some(NearMiss::Spelling)),
            ("Done. <Promise> Complete", Some(NearMiss::Spelling)),
            ("I say <promise>COMPLETE</promise> later.", Some(NearMiss::NotAtEnd)),
            ("`<response>COMPLETE</response>`", Some(NearMiss::NotAtEnd)),
            ("<promise>BLOCKED</promise>", Some(NearMiss::OtherWord)),
            ("It is <response>DONE</response>", Some(NearMiss::OtherWord)),
        ] {
            assert_eq!(promise.near_miss(message), expected, "{message}");
        }
        let two = Completion::response("ALL DONE");
        assert_eq!(two.near_miss("It is ALL DONE!"), Some(NearMiss::NoTag));
        assert_eq!(two.near_miss("<response>ALL  DONE</response>"), Some(NearMiss::Spelling));
        assert_eq!(Completion::response(" ").near_miss("x"), None);
    }

    #[test]
    fn a_mention_is_not_a_tag() {
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
        assert!(!tag.is_mentioned_in("say <promise>done</promise>"));
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
