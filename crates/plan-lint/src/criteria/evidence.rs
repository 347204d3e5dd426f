//! Evidence that a criterion is verifiable: numbers, quoted text, names, explanations.

use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;

/// A number, a literal, a name of a file, flag, route or field.
const NAMED: &str = r#"\d|"[^"]+"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|`[^`]+`|(?:^|\s)'[^']+'|(?:^|\s)--?[A-Za-z][\w-]*|(?:^|\s)/\w|\w_\w|[a-z][A-Z]|\b[\w-]+\.(?:[a-z]{1,4}|json|lock)\b"#;

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(NAMED));

/// `: …`, `(…)`, `- …`, `by …`: an explanation follows.
static EXPLAINED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(?:[:(–—]|\s-\s)\s*\S+\s+\S+|^\s*(?:;|,?\s*(?:by|meaning|that is|i\.e\.|so that|which|where)\b)\s*\S+\s+\S+",
    )
});

static MEASURED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\d\s*(?:%|ms\b|s\b|sec|µs|us\b|min|h\b|hours?\b|[kmg]i?b\b|bytes\b|fps\b|rps\b|qps\b|req|x\b|times\b|per\b)|O\(|p9\d",
    )
});

/// Verbs with an observable effect.
static VERB: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:accepts?|adds?|allows?|answers?|appears?|asks?|begins?|blocks?|builds?|calls?|can|cannot|changes?|checks?|clears?|closes?|compiles?|contains?|copies|counts?|covers?|creates?|deletes?|disables?|displays?|does|emits?|enables?|ends?|exits?|expires?|exports?|fails?|fits?|follows?|generates?|gets?|gives?|goes|has|have|hides?|ignores?|imports?|includes?|inserts?|is|are|keeps?|leaves?|lists?|loads?|locks?|logs?|maps?|matches|moves?|must|names?|needs?|offers?|opens?|parses?|passes|points?|prevents?|prints?|produces?|puts?|raises?|reads?|receives?|redirects?|refuses?|rejects?|removes?|renders?|replaces?|reports?|requires?|responds?|returns?|runs?|saves?|selects?|sends?|sets?|should|shows?|skips?|sorts?|starts?|stays?|stops?|stores?|strips?|submits?|succeeds?|supports?|takes?|throws?|toggles?|uploads?|updates?|uses?|validates?|warns?|writes?|yields?)\b",
    )
});

pub(crate) fn has_verb(text: &str) -> bool {
    verb_ends(text).next().is_some()
}

/// `GET` and `DELETE` are names.
fn verb_ends(text: &str) -> impl Iterator<Item = usize> {
    let verbs = VERB.find_iter(text);
    verbs.filter(|verb| verb.as_str().contains(char::is_lowercase)).map(|verb| verb.end())
}

/// Whether the context makes a phrase verifiable: an explanation or name after it, or a name
/// between a verb and the phrase. A name before it is only its subject.
pub(crate) fn is_explained(before: &str, after: &str) -> bool {
    EXPLAINED.is_match(after)
        || NAME.is_match(after)
        || verb_ends(before).any(|end| NAME.is_match(&before[end..]))
}

/// The same for speed: also a measure before the phrase, but no other name there.
pub(crate) fn is_measured_or_explained(before: &str, after: &str) -> bool {
    MEASURED.is_match(before) || is_explained("", after)
}
