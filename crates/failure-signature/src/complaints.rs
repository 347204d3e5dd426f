//! What a line that speaks of a failure looks like, in the words of whatever tool: the surest signs
//! first. Which line of an output is the one to show is not decided here.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::pattern::{any_of, pattern};

/// What Rust says between a thread and a place.
pub(crate) const PANICKED: &str = "panicked at ";
/// A compiler's place and message.
static POINTED: LazyLock<RegexSet> = LazyLock::new(|| {
    any_of([
        r"^\S+(?:\(\d+,\d+\)|:\d+:\d+): \S",
        r"^\S+:\d+:\d+ - error ",
        r"^\S+:\d+: (?:error|fatal)",
        r"^[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S",
    ])
});
/// An exception's name, with its message beside it, below it or not at all.
static EXCEPTION: LazyLock<RegexSet> = LazyLock::new(|| {
    any_of([
        r"^\s*(?:Uncaught )?[\w.]+(?:Error|Exception)(?: \[\w+\])?(?::(?: \S|$)|$)",
        r"^\s*(?:Uncaught )?(?:panic|fatal(?: error)?|Error): \S",
    ])
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^\W*(?:[^\s:]+: )?(?i:fatal|error|failed|failure|fail)(?:[:!\]]\W*|\s+)\w")
});
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:errors?|exception|fatal|failed|failures?|fails|cannot|can't|could not|couldn't|unable to|not found|no such|no rule|missing|invalid|unexpected|expected|undefined|unknown|denied|refused|timed out|killed|aborted|segmentation fault)\b|(?-i:[a-z](?:Error|Exception)\b)",
    )
});
/// Lines that have such words and complain of nothing: that all is well, a command before it runs, a
/// warning, a frame of a stack.
static HARMLESS: LazyLock<RegexSet> = LazyLock::new(|| {
    any_of([
        r"(?i)\b(?:0|no) (?:errors?|failures?|failed)\b",
        r"(?i)\b(?:ok|passed|done|success|succeeded)\W*$",
        r"^[>$+] ",
        r"(?i)^\W*(?:warn|warning|info|debug|trace|note|hint|help)\b",
        r#"^\s*(?:at |File "|# )"#,
    ])
});

pub(crate) fn points(line: &str) -> bool {
    POINTED.is_match(line)
}

pub(crate) fn throws(line: &str) -> bool {
    EXCEPTION.is_match(line)
}

pub(crate) fn panics(line: &str) -> bool {
    line.contains(PANICKED)
}

pub(crate) fn names(line: &str) -> bool {
    NAMED.is_match(line) && !HARMLESS.is_match(line)
}

pub(crate) fn complains(line: &str) -> bool {
    WORDS.is_match(line) && !HARMLESS.is_match(line)
}
