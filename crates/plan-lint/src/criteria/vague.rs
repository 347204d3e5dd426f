//! Phrases that sound like a criterion and cannot be checked.

use std::sync::LazyLock;

use regex::Regex;

use super::evidence;
use super::phrases::{PARTS, PHRASES};
use crate::pattern::pattern;

/// What kind of nothing a phrase says; each is mended in its own way.
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
                "Say what a reviewer does and sees, such as \"the filter offers All, Active and Done\"."
            }
            Self::Speed => {
                "Name a number and what it is measured on, such as \"answers in 200 ms with 10 000 rows\"."
            }
            Self::Taste => "Name what is on the screen, and what happens on which click or key.",
            Self::Errors => {
                "Name each failure and what happens then, such as \"an unknown id answers 404\"."
            }
            Self::Craft => {
                "Name a check that can fail, such as a linter without warnings on the new files."
            }
            Self::Security => {
                "Name the attack and what comes of it, such as \"a token of another user answers 403\"."
            }
            Self::Tests => {
                "Name the cases that the tests check; that they pass is what verifyCommands are for."
            }
            Self::OpenEnd => "List all of them: what is not listed is not checked.",
            Self::Hedge => "Say when it has to be so, or take it out.",
            Self::Comparison => "Say what is measured, and what it has to be.",
        }
    }

    /// Whether the rest of the criterion can make it good.
    fn is_made_good(self, before: &str, after: &str) -> bool {
        match self {
            Self::OpenEnd | Self::Tests => false,
            Self::Speed => evidence::is_measured(before) || evidence::makes_good("", after),
            Self::Outcome
            | Self::Taste
            | Self::Errors
            | Self::Craft
            | Self::Security
            | Self::Hedge
            | Self::Comparison => evidence::makes_good(before, after),
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

/// The first phrase that nothing makes good.
pub(crate) fn find(text: &str) -> Option<(&str, Vagueness)> {
    let text = text.trim();
    let found = PATTERNS.iter().flat_map(|(vagueness, words)| {
        let phrases = words.find_iter(text);
        let left = phrases.filter(|phrase| {
            !vagueness.is_made_good(&text[..phrase.start()], &text[phrase.end()..])
        });
        left.map(|phrase| (phrase, *vagueness))
    });
    let (phrase, vagueness) = found.min_by_key(|(phrase, _)| phrase.start())?;
    let bare = phrase.as_str().trim_matches(|c: char| c.is_whitespace() || ".!,;:?()".contains(c));
    Some((bare.strip_suffix(" and").unwrap_or(bare), vagueness))
}
