//! Lines in which whoever ran the failing program passes on that it failed. They end every report above
//! them, and are worth reading only when nothing else was said.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::pattern::{any_of, pattern};

static TRAILER: LazyLock<RegexSet> = LazyLock::new(|| {
    any_of([
        // cargo, rustc
        r"^error: (?:test failed|doctest failed|aborting due to|\d+ targets? failed|process didn't exit)",
        // npm, yarn, pnpm
        r"^npm (?:error|ERR!)",
        r"^error Command failed with exit code \d",
        r"^\s*(?:ELIFECYCLE|ERR_PNPM_RECURSIVE_\w+)\s",
        // make, whose own complaints have no target in brackets
        r"^\S*make(?:\[\d+\])?: \*\*\* \[",
        // go run
        r"^exit status \d+$",
    ])
});
static SPEAKER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^npm (?:error|ERR!) *"));

pub(crate) fn is_trailer(text: &str) -> bool {
    TRAILER.is_match(text)
}

/// A trailer's words, without the one before all of them that calls them an error.
pub(crate) fn words(text: &str) -> &str {
    SPEAKER.find(text).map_or(text, |speaker| &text[speaker.end()..])
}
