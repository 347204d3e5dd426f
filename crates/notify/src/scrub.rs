//! Removes text that looks like a secret. Story titles are free text and may contain pasted secrets.
//!
//! When in doubt it removes the text: a missing word in a notice does little harm.

use std::sync::LazyLock;

use regex::{Captures, Regex};

const HIDDEN: &str = "[redacted]";

/// Shorter values occur in ordinary text.
const SHORTEST_VALUE: usize = 6;

/// Secrets recognized by prefix or alphabet; the whole match is removed.
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

/// A name or scheme that is kept, and the secret after it. No Unicode classes: each takes a
/// millisecond to compile.
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

/// A test checks that every pattern compiles.
fn compiled(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
}

/// Removes known secrets and text that looks like one.
#[derive(Clone)]
pub struct Scrubber {
    /// The longest first: one may contain another.
    values: Vec<String>,
}

impl Scrubber {
    /// `values` are known secrets. The values of environment variables with secret-like names are added.
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

/// Zero-width characters, which may split a secret.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Without an assignment, only a match with a digit counts as a secret.
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
    // The current and the previous folder of a shell.
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
