//! Finds phrases that cannot be verified.

use std::sync::LazyLock;

use regex::Regex;

use super::phrases::{PARTS, PHRASES};
use crate::pattern::pattern;

/// Phrases of one kind.
#[derive(Debug)]
pub(super) struct VaguePhrases {
    pub(super) fix: &'static str,
    /// Whether the text before and after the phrase makes it verifiable.
    pub(super) is_explained: fn(&str, &str) -> bool,
    pub(super) phrases: &'static [&'static str],
}

static PATTERNS: LazyLock<[(VaguePhrases, Regex); PHRASES.len()]> = LazyLock::new(|| {
    PHRASES.map(|kind| {
        let any = format!("(?i){}", kind.phrases.join("|"));
        let text = PARTS.iter().fold(any, |text, (name, part)| text.replace(name, part));
        (kind, pattern(&text))
    })
});

/// The first phrase that the context does not make verifiable, and its fix.
pub(crate) fn find(text: &str) -> Option<(&str, &'static str)> {
    let text = text.trim();
    let found = PATTERNS.iter().flat_map(|(kind, words)| {
        let phrases = words.find_iter(text);
        let left = phrases
            .filter(|phrase| !(kind.is_explained)(&text[..phrase.start()], &text[phrase.end()..]));
        left.map(|phrase| (phrase, kind.fix))
    });
    let (phrase, fix) = found.min_by_key(|(phrase, _)| phrase.start())?;
    let bare = phrase.as_str().trim_matches(|c: char| c.is_whitespace() || ".!,;:?()".contains(c));
    Some((bare.strip_suffix(" and").unwrap_or(bare), fix))
}
