//! Checks whether a story fits into one session.

use std::sync::LazyLock;

use regex::Regex;
use tasks::FieldPath;

use crate::criteria::placeholder;
use crate::pattern::pattern;
use crate::{Code, Finding, StorySpot};

/// A story should fit into two or three sentences; one more is tolerated.
const MOST_SENTENCES: usize = 4;
const LONGEST_DESCRIPTION: usize = 600;
const MOST_CRITERIA: usize = 8;

pub(crate) fn findings(spot: StorySpot<'_>) -> Vec<Finding> {
    let story = spot.story;
    let mut findings = Vec::new();
    let description = FieldPath::Named("description");
    if let Some(message) = too_long(&story.description) {
        let fix = "Split the story until two or three sentences describe each part; move \
                   background to prd.md.";
        findings.push(spot.finding(Code::OversizedStory, description, message, fix));
    }
    if let Some(word) = placeholder(&story.description) {
        let message = format!("the description has a placeholder: {word}");
        let fix = "Write what is decided.";
        findings.push(spot.finding(Code::Placeholder, description, message, fix));
    }
    let count = story.acceptance_criteria.len();
    if count > MOST_CRITERIA {
        findings.push(spot.finding(
            Code::TooManyCriteria,
            FieldPath::Named("acceptanceCriteria"),
            format!("{count} criteria; the limit for one session is {MOST_CRITERIA}"),
            "Split the story: group related criteria into one story each.",
        ));
    }
    findings.extend(many_layers(spot));
    findings
}

fn too_long(description: &str) -> Option<String> {
    let characters = description.chars().count();
    if characters > LONGEST_DESCRIPTION {
        return Some(format!(
            "the description has {characters} characters, more than {LONGEST_DESCRIPTION}"
        ));
    }
    let sentences = SENTENCE_END.find_iter(description.trim()).count();
    (sentences > MOST_SENTENCES)
        .then(|| format!("the description has {sentences} sentences, more than {MOST_SENTENCES}"))
}

/// After a word of at least three letters: "e.g." and "1.2" end no sentence.
static SENTENCE_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(?:[\p{L}\p{N}]{3}[)"'`”»]*[.!?]+(?:\s|$))|[。！？]"#));

/// Only unambiguous words: a "table" may also be on a screen.
static LAYERS: LazyLock<[(&str, Regex); 3]> = LazyLock::new(|| {
    [
        ("database", r"(?i)\b(?:migrations?|databases?|foreign keys?|SQL|PostgreSQL|Postgres|MySQL|SQLite|MongoDB|DDL)\b"),
        ("API", r"(?i)\b(?:endpoints?|REST|GraphQL|(?:GET|POST|PUT|PATCH|DELETE) `?/\S*|HTTP [1-5]\d\d|API routes?)"),
        ("user interface", r"(?i)\b(?:buttons?|drop-?downs?|modals?|dialogs?|sidebars?|tooltips?|check ?box(?:es)?|toasts?|clicks?|clicking|React components?)\b"),
    ]
    .map(|(name, text)| (name, pattern(text)))
});

fn many_layers(spot: StorySpot<'_>) -> Option<Finding> {
    let criteria = &spot.story.acceptance_criteria;
    let named = LAYERS.iter().filter_map(|(name, words)| {
        let at = criteria.iter().position(|criterion| words.is_match(criterion))?;
        Some(format!("{name} ([{at}])"))
    });
    let named: Vec<String> = named.collect();
    (named.len() == LAYERS.len()).then(|| {
        spot.finding(
            Code::ManyLayers,
            FieldPath::Named("acceptanceCriteria"),
            format!("the criteria cover every layer: {}", named.join(", ")),
            "Make each layer a separate story, database first, each depending on the one below.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_of_a_few_sentences_is_short_enough() {
        for text in [
            "",
            "As a user, I want to filter, so that I find things.",
            "One sentence here. A second sentence. The third one. And a fourth.",
            "Uses e.g. v1.2.3 of a.b.c and i.e. nothing else. Really.",
        ] {
            assert_eq!(too_long(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_description_is_found_by_sentences_or_length() {
        let five = too_long("The first one. The second one. The third one! A fourth? The fifth.");
        assert_eq!(five.unwrap(), "the description has 5 sentences, more than 4");
        assert!(too_long(&"word ".repeat(121)).unwrap().contains("605 characters"));
        assert!(too_long("一。二。三。四。五。").is_some());
    }
}
