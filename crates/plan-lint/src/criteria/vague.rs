//! Finds phrases that cannot be verified.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence;
use super::phrases::{PARTS, PHRASES};
use crate::pattern::pattern;

/// The kind of vagueness; each has its own fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vagueness {
    Outcome,
    Speed,
    Taste,
    Errors,
    Craft,
    Security,
    Tests,
    OpenEnd,
    Hedge,
    Comparison,
}

impl Vagueness {
    pub(crate) fn fix(self) -> &'static str {
        match self {
            Self::Outcome => {
                "State what a reviewer does and sees, such as \"the filter offers All, Active and \
                 Done\"."
            }
            Self::Speed => {
                "State a number and the conditions, such as \"answers in 200 ms with 10 000 rows\"."
            }
            Self::Taste => "State what is on the screen, and what each click or key does.",
            Self::Errors => {
                "State each failure and its result, such as \"an unknown id answers 404\"."
            }
            Self::Craft => {
                "Name a check that can fail, such as a linter without warnings on the new files."
            }
            Self::Security => {
                "State the attack and its result, such as \"a token of another user answers 403\"."
            }
            Self::Tests => {
                "Name the cases that the tests check; verifyCommands ensure that they pass."
            }
            Self::OpenEnd => "List all of them; reviews check only what is listed.",
            Self::Hedge => "State when it applies, or remove it.",
            Self::Comparison => "State what is measured, and the required value.",
        }
    }

    /// Whether the rest of the criterion can make it verifiable.
    fn can_be_explained(self, before: &str, after: &str) -> bool {
        match self {
            Self::OpenEnd | Self::Tests => false,
            Self::Speed => evidence::is_measured(before) || evidence::is_explained("", after),
            Self::Outcome
            | Self::Taste
            | Self::Errors
            | Self::Craft
            | Self::Security
            | Self::Hedge
            | Self::Comparison => evidence::is_explained(before, after),
        }
    }
}

static PATTERNS: LazyLock<Vec<(Vagueness, Regex)>> = LazyLock::new(|| {
    let compiled = PHRASES.iter().map(|(vagueness, phrases)| {
        let any = format!("(?i){}", phrases.join("|"));
        let text = PARTS.iter().fold(any, |text, (name, part)| text.replace(name, part));
        (*vagueness, pattern(&text))
    });
    compiled.collect()
});

/// The first phrase that the context does not make verifiable.
pub(crate) fn find(text: &str) -> Option<(&str, Vagueness)> {
    let text = text.trim();
    let found = PATTERNS.iter().flat_map(|(vagueness, words)| {
        let phrases = words.find_iter(text);
        let left = phrases.filter(|phrase| {
            !vagueness.can_be_explained(&text[..phrase.start()], &text[phrase.end()..])
        });
        left.map(|phrase| (phrase, *vagueness))
    });
    let (phrase, vagueness) = found.min_by_key(|(phrase, _)| phrase.start())?;
    let bare = phrase.as_str().trim_matches(|c: char| c.is_whitespace() || ".!,;:?()".contains(c));
    Some((bare.strip_suffix(" and").unwrap_or(bare), vagueness))
}
