//! Takes out of a text whatever looks like a secret. Titles of stories are free text, and people paste.
//!
//! It errs on the side of taking out: a word too many is missed by nobody in a notice.

use std::sync::LazyLock;

use regex::{Captures, Regex};

const HIDDEN: &str = "[redacted]";

/// Shorter values are words that stand anywhere.
const SHORTEST_VALUE: usize = 6;

/// Known by how it begins or what it is made of; all of it goes.
const SHAPES: &[&str] = &[
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY.*",
    r"\bsk-[A-Za-z0-9_-]{12,}",
    r"\b[srp]k_(live|test)_[A-Za-z0-9]{8,}",
    r"\bgh[a-z]_[A-Za-z0-9]{16,}",
    r"\bgithub_pat_[A-Za-z0-9_]{16,}",
    r"\bglpat-[A-Za-z0-9_-]{16,}",
    r"\bxox[a-z]-[A-Za-z0-9-]{8,}",
    r"\bxapp-[A-Za-z0-9-]{8,}",
    r"\bA(KIA|SIA|GPA|IDA|ROA)[A-Z0-9]{12,}",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\bnpm_[A-Za-z0-9]{30,}",
    r"\bpypi-[A-Za-z0-9_-]{16,}",
    r"\bhf_[A-Za-z0-9]{20,}",
    r"\b[0-9]{8,10}:[A-Za-z0-9_-]{35}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(\.[A-Za-z0-9_-]*)?",
    r"hooks\.slack\.com/\S+",
    r"discord(app)?\.com/api/webhooks/\S+",
    r"\b[0-9a-fA-F]{32,}\b",
];

/// A name or scheme that stays, and what follows it, which goes. No class of letters in all the world's
/// writing: each of those takes a millisecond to compile.
const NAMED: &[&str] = &[
    r"(?i)(?<keep>\b(bearer|basic)\s+)(?<secret>[A-Za-z0-9._~+/=-]{8,})",
    r#"(?i)(?<keep>(key|token|secret|passw|pwd|credential)[a-z0-9_-]*\s*=\s*["']?)(?<secret>[^\s"',;]{4,})"#,
    r#"(?i)(?<keep>(key|token|secret|passw|pwd|credential)[a-z0-9_-]*["']?\s*:?\s+["']?)(?<secret>[^\s"',;]{12,})"#,
    r"(?<keep>://)(?<secret>[^\s/@]+)@",
    r"(?<keep>[^\s:/@]+:)(?<secret>[^\s@/]{3,})@[^\s@]",
    r"(?<keep>)(?<secret>[A-Za-z0-9+/_=-]{40,})",
];

static SHAPED: LazyLock<Vec<Regex>> = LazyLock::new(|| compiled(SHAPES));
static AFTER_NAMES: LazyLock<Vec<Regex>> = LazyLock::new(|| compiled(NAMED));

/// A test compiles them all.
fn compiled(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// What surely is a secret, and what looks like one.
#[derive(Clone)]
pub struct Scrubber {
    /// The longest first: one may be within another.
    values: Vec<String>,
}

impl Scrubber {
    /// `values` are known to be secrets. Those of the environment of this process whose names say so
    /// are added.
    pub fn of_process(values: impl IntoIterator<Item = String>) -> Self {
        Self::new(
            values,
            std::env::vars_os().filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.into_string().ok()?))
            }),
        )
    }

    pub fn new(
        values: impl IntoIterator<Item = String>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let of_environment = environment.into_iter().filter(|(name, _)| names_a_secret(name));
        let mut values: Vec<String> =
            values.into_iter().chain(of_environment.map(|(_, value)| value)).collect();
        values.retain(|value| value.trim().chars().count() >= SHORTEST_VALUE);
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        Self { values }
    }

    pub fn scrub(&self, text: &str) -> String {
        let mut text: String = text.chars().filter(|c| !is_invisible(*c)).collect();
        for value in &self.values {
            text = text.replace(value.as_str(), HIDDEN);
        }
        for shape in SHAPED.iter() {
            text = shape.replace_all(&text, HIDDEN).into_owned();
        }
        for named in AFTER_NAMES.iter() {
            text = named.replace_all(&text, hide).into_owned();
        }
        text
    }
}

/// Nobody sees them, and a secret with one in it is a secret all the same.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Words of any length are no secrets; a digit among them is what tells.
fn hide(found: &Captures<'_>) -> String {
    let (whole, secret) = (&found[0], &found["secret"]);
    let assigned = found["keep"].trim_end_matches(['"', '\'']).ends_with(['=', ':', '/']);
    if secret == HIDDEN || !(assigned || secret.contains(|c: char| c.is_ascii_digit())) {
        return whole.to_owned();
    }
    whole.replacen(secret, HIDDEN, 1)
}

fn names_a_secret(name: &str) -> bool {
    const PARTS: [&str; 8] =
        ["KEY", "TOKEN", "SECRET", "PASSW", "PWD", "CREDENTIAL", "WEBHOOK", "AUTH"];
    // The folder that a shell is in, and the one before.
    const HARMLESS: [&str; 2] = ["PWD", "OLDPWD"];
    let name = name.to_ascii_uppercase();
    PARTS.iter().any(|part| name.contains(part)) && !HARMLESS.contains(&name.as_str())
}

impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scrubber").field("values", &self.values.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
