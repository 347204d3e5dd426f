//! Checks whether a criterion is verifiable.
//!
//! Known vague English phrases are reported; all other text passes, in any language. A phrase is
//! accepted if the criterion explains it.

mod evidence;
mod phrases;
mod vague;

use std::sync::LazyLock;

use regex::Regex;
use run_options::ProofUse;
use tasks::FieldPath;

use crate::pattern::pattern;
use crate::quote::quote;
use crate::{Code, Finding, StorySpot};

/// Limit in characters, because each phrase is matched against all surrounding text.
const JUDGED: usize = 1000;

pub(crate) fn findings(spot: StorySpot<'_>, proof: ProofUse) -> Vec<Finding> {
    let criteria = spot.story.acceptance_criteria.iter().enumerate();
    let found = criteria.filter_map(|(index, text)| {
        let needs_test = || (proof == ProofUse::Require).then(|| without_test(text))?;
        let (code, message, fix) = judge(text).or_else(needs_test)?;
        Some(spot.finding(code, FieldPath::Item("acceptanceCriteria", index), message, fix))
    });
    found.collect()
}

fn judge(text: &str) -> Option<(Code, String, &'static str)> {
    if let Some(word) = placeholder(text) {
        let message = match word == text.trim() {
            true => format!("{} is a placeholder", quote(text)),
            false => format!("{} has a placeholder: {word}", quote(text)),
        };
        return Some((Code::Placeholder, message, "Write what is decided, or remove it."));
    }
    let text = text.char_indices().nth(JUDGED).map_or(text, |(end, _)| &text[..end]);
    if let Some((phrase, fix)) = vague::find(text) {
        // A criterion that is mostly the phrase is quoted once.
        let message = match phrase.len() * 2 > text.len() {
            true => format!("{} cannot be checked", quote(text)),
            false => format!("{} cannot be checked in {}", quote(phrase), quote(text)),
        };
        return Some((Code::VagueCriterion, message, fix));
    }
    is_topic(text).then(|| {
        let message = format!("{} names a topic but makes no claim", quote(text));
        let fix = "Write a sentence about what a reviewer can observe, such as \"an unknown id \
                   answers 404\".";
        (Code::CriterionWithoutClaim, message, fix)
    })
}

/// Text that was left to be filled in. Criteria about to-do lists, a visible `???` or an ellipsis
/// in the interface are no placeholders.
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

/// A claim about text or taste, which no test shows.
fn without_test(text: &str) -> Option<(Code, String, &'static str)> {
    static TASTE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:readme|changelog|(?:is|are) (?:well )?documented|documentation (?:explains|describes|covers)|doc comments?|(?:easy|easier) to (?:read|understand|use)|readable|looks? (?:like|good|nice|modern)|visually|(?:is|are) refactored|by hand|manually)\b",
        )
    });
    let found = TASTE.find(text)?.as_str();
    let message = format!("no test can show {} in {}", quote(found), quote(text));
    let fix = "Write what a program can observe, or let the reviewer judge it: \"proof\": \"off\" for the story.";
    Some((Code::CriterionWithoutTest, message, fix))
}

/// At most four words that end in the name of a topic, without a verb.
fn is_topic(text: &str) -> bool {
    static TOPIC: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:[a-z-]+ ){0,3}(?:handling|support|validation|performance|security|documentation|docs|tests?|testing|ui|ux|design|integration|logging|monitoring|cleanup|refactoring|improvements?|accessibility|functionality|features?|coverage|styling|polish|authentication|authorization|caching|responsiveness|usability|scalability)\.?$",
        )
    });
    let text = text.trim();
    // The last word is the subject, although some of them are verbs, too.
    let others = text.rsplit_once(' ').map_or("", |(others, _)| others);
    TOPIC.is_match(text) && !evidence::has_verb(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_to_do_lists_are_not() {
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
    fn claims_about_text_and_taste_have_no_test() {
        for text in [
            "The README explains the flag",
            "The page looks good on a phone",
            "All public functions are documented",
            "The module is refactored",
        ] {
            assert!(without_test(text).is_some(), "{text}");
        }
        for text in
            ["`--help` prints the flags", "A lookup of 3 items returns 3", "`--manual` is refused"]
        {
            assert!(without_test(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_topic_alone_is_no_claim() {
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
