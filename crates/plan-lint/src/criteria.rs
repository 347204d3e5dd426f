//! Whether a criterion says something that can be checked.
//!
//! English phrases that say nothing are known by name; everything else passes, in any language. A phrase
//! is forgiven where the criterion goes on to say what it means.

mod evidence;
mod phrases;
mod vague;

use std::sync::LazyLock;

use regex::Regex;
use tasks::FieldPath;

use crate::pattern::pattern;
use crate::quote::quote;
use crate::{Code, Finding, StorySpot};

/// Characters of a criterion that are judged: each phrase is held against all that stands around it.
const JUDGED: usize = 1000;

pub(crate) fn findings(spot: StorySpot<'_>) -> Vec<Finding> {
    let criteria = spot.story.acceptance_criteria.iter().enumerate();
    let found = criteria.filter_map(|(index, text)| {
        let (code, message, fix) = judge(text)?;
        Some(spot.finding(code, FieldPath::Item("acceptanceCriteria", index), message, fix))
    });
    found.collect()
}

fn judge(text: &str) -> Option<(Code, String, &'static str)> {
    if let Some(word) = placeholder(text) {
        let message = match word == text.trim() {
            true => format!("{} leaves everything open", quote(text)),
            false => format!("{} leaves something open: {word}", quote(text)),
        };
        return Some((Code::Placeholder, message, "Decide it and say it, or take it out."));
    }
    let text = text.char_indices().nth(JUDGED).map_or(text, |(end, _)| &text[..end]);
    if let Some((phrase, vagueness)) = vague::find(text) {
        // A criterion that is nothing but the phrase is not told twice.
        let message = match phrase.len() * 2 > text.len() {
            true => format!("{} cannot be checked", quote(text)),
            false => format!("{} cannot be checked in {}", quote(phrase), quote(text)),
        };
        return Some((Code::VagueCriterion, message, vagueness.fix()));
    }
    is_topic(text).then(|| {
        let message = format!("{} names a subject and claims nothing about it", quote(text));
        let fix = "Make it a sentence about what a reviewer will see, such as \"an unknown id \
                   answers 404\".";
        (Code::CriterionWithoutClaim, message, fix)
    })
}

/// What somebody left to be filled in. Work on to-do lists is no such thing, nor is a `???` or an ellipsis
/// that somebody is to see.
pub(crate) fn placeholder(text: &str) -> Option<&str> {
    static LEFT: LazyLock<Regex> = LazyLock::new(|| {
        let left = [
            r"\b(?:TBD|TBC|T\.B\.D\.)",
            r"^\s*\(?(?:TODO|FIXME|XXX)\b(?:\s*:|[.!)\s]*$)|\((?:TODO|FIXME)\)",
            r"(?:^|[:=]|\b(?:is|are|be|at|in|to|of|than|has|after|within))\s*\?\?\?|\?\?\?[.)\s]*$",
            r"\{\{[^}]*\}\}",
            r"(?i:\bas an? <who>|\bI want (?:to )?<what>|\bso that <why>)|^\s*<(?:who|what|why)>\s*$",
            r"(?i:to be (?:determined|decided|defined|confirmed)\b)",
            r"(?:^|[\s,;:]|,\s*[\w-]+)(?:\.\.\.|…)\s*$",
            r"(?i:^\s*(?:tbd|tbc|\?+|-+|n/?a|ok|okay|done|see (?:the )?prd(?:\.md)?|same as (?:above|before|[a-z]+-?\d+))[.!]?\s*$)",
            r"(?i:^\s*lorem ipsum\b)",
        ];
        pattern(&left.join("|"))
    });
    LEFT.find(text).map(|found| found.as_str().trim_start_matches([':', '=', ',', ';']).trim())
}

/// At most four words that end in the name of a whole field, and no verb among them.
fn is_topic(text: &str) -> bool {
    static TOPIC: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:[a-z-]+ ){0,3}(?:handling|support|validation|performance|security|documentation|docs|tests?|testing|ui|ux|design|integration|logging|monitoring|cleanup|refactoring|improvements?|accessibility|functionality|features?|coverage|styling|polish|authentication|authorization|caching|responsiveness|usability|scalability)\.?$",
        )
    });
    let text = text.trim();
    // The last word is the subject, though some of them are verbs too.
    let others = text.rsplit_once(' ').map_or("", |(others, _)| others);
    TOPIC.is_match(text) && !evidence::has_verb(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_open_is_known_and_to_do_lists_are_not() {
        for text in
            ["TBD", "Limit: TBD", "TODO: decide", "todo", "???", "Supports CSV, ...", "As a <who>"]
        {
            assert_eq!(placeholder(text).is_some(), text != "todo", "{text}");
        }
        for text in [
            "The todo list shows 3 todos",
            "No TODO comments are left in `src/`",
            "The title is <title>Home</title>",
            "A menu entry \"Open...\" opens the dialog",
        ] {
            assert_eq!(placeholder(text), None, "{text}");
        }
    }

    #[test]
    fn a_subject_alone_claims_nothing() {
        for text in ["Error handling", "Input validation.", "Dark mode support", "Unit tests"] {
            assert!(is_topic(text), "{text}");
        }
        for text in
            ["`--json` prints the tests", "Form shows validation", "A test checks it", "验证"]
        {
            assert!(!is_topic(text), "{text}");
        }
    }
}
