//! Recognizes lines that describe a failure, for any tool, from the surest sign to the weakest.
//! `headline` decides which line is shown.

use crate::pattern::Pattern;

/// Between the thread and the location in a Rust panic.
pub(crate) const PANICKED: &str = "panicked at ";
/// A location and a message of a compiler.
static POINTED: Pattern = Pattern::new(&[
    r"^\S+(?:\(\d+,\d+\)|:\d+:\d+): \S",
    r"^\S+:\d+:\d+ - error ",
    r"^\S+:\d+: (?:error|fatal)",
    r"^[A-Z]{1,4}\d{3,4} (?:\[\*\] )?\S",
]);
/// The name of an exception, with or without a message.
static EXCEPTION: Pattern = Pattern::new(&[
    r"^\s*(?:Uncaught )?[\w.]+(?:Error|Exception)(?: \[\w+\])?(?::(?: \S|$)|$)",
    r"^\s*(?:Uncaught )?(?:panic|fatal(?: error)?|Error): \S",
]);
static NAMED: Pattern =
    Pattern::new(&[r"^\W*(?:[^\s:]+: )?(?i:fatal|error|failed|failure|fail)(?:[:!\]]\W*|\s+)\w"]);
static WORDS: Pattern = Pattern::new(&[
    r"(?i)\b(?:errors?|exception|fatal|failed|failures?|fails|cannot|can't|could not|couldn't|unable to|not found|no such|no rule|missing|invalid|unexpected|expected|undefined|unknown|denied|refused|timed out|killed|aborted|segmentation fault)\b|(?-i:[a-z](?:Error|Exception)\b)",
]);
/// Lines with such words that are no failures: success messages, echoed commands, warnings, stack
/// frames.
static HARMLESS: Pattern = Pattern::new(&[
    r"(?i)\b(?:0|no) (?:errors?|failures?|failed)\b",
    r"(?i)\b(?:ok|passed|done|success|succeeded)\W*$",
    r"^[>$+] ",
    r"(?i)^\W*(?:warn|warning|info|debug|trace|note|hint|help)\b",
    r#"^\s*(?:at |File "|# )"#,
]);

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
