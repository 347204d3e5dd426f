//! Recognizes lines with which a wrapper (npm, make, cargo) reports that its command failed. They
//! end the report above and matter only if nothing else was printed.

use crate::pattern::Pattern;

static TRAILER: Pattern = Pattern::new(&[
    // cargo, rustc
    r"^error: (?:test failed|doctest failed|aborting due to|\d+ targets? failed|process didn't exit)",
    // npm, yarn, pnpm
    r"^npm (?:error|ERR!)",
    r"^error Command failed with exit code \d",
    r"^\s*(?:ELIFECYCLE|ERR_PNPM_RECURSIVE_\w+)\s",
    // make, whose own errors have no target in brackets
    r"^\S*make(?:\[\d+\])?: \*\*\* \[",
    // go run
    r"^exit status \d+$",
]);
static NPM_PREFIX: Pattern = Pattern::new(&[r"^npm (?:error|ERR!) *"]);

pub(crate) fn is_trailer(text: &str) -> bool {
    TRAILER.is_match(text)
}

/// The text of a trailer without its leading `npm error`.
pub(crate) fn words(text: &str) -> &str {
    NPM_PREFIX.find(text).map_or(text, |speaker| &text[speaker.end()..])
}
