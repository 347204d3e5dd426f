//! Other issues that an issue waits for: `blocked by #3`, `depends on #4, #5`.

use std::sync::LazyLock;

use regex::Regex;

use crate::Repository;
use crate::untrusted::without_code;

/// References that are read of one text.
const MOST: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reference {
    Issue(u64),
    /// An issue of another repository, as written.
    Elsewhere(String),
}

static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let one = r"(?:https?://[^\s<>)\],;]+|[\w.-]+(?:/[\w.-]+)+#\d+|#\d+)";
    let between = r"(?:[\s,;&*+:()<>\-]|\[[ xX]?\]|\band\b)*";
    Regex::new(&format!(
        r"(?i)\b(?:blocked\s+by|depend(?:s|ing|ent)?\s+(?:up)?on|requires)\b{between}({one}(?:{between}{one})*)"
    ))
    .ok()
});

static ONE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:https?://[^\s<>)\],;]+|[\w.-]+(?:/[\w.-]+)+#\d+|#\d+)").ok());

/// Before a statement that says the opposite, or is struck through.
const OPPOSITE: [&str; 7] = ["not", "longer", "never", "isn't", "doesn't", "n't", "~~"];

/// In the order of the text, each once.
pub(super) fn references(text: &str, repository: &Repository) -> Vec<Reference> {
    let (Some(statement), Some(one)) = (STATEMENT.as_ref(), ONE.as_ref()) else {
        return Vec::new();
    };
    let text = without_code(text);
    let mut found: Vec<Reference> = Vec::new();
    for statement in statement.captures_iter(&text) {
        let (Some(whole), Some(list)) = (statement.get(0), statement.get(1)) else { continue };
        let before = text[..whole.start()].trim_end().to_lowercase();
        if OPPOSITE.iter().any(|word| before.ends_with(word)) {
            continue;
        }
        for reference in one.find_iter(list.as_str()) {
            let reference = parse(reference.as_str(), repository);
            if found.len() < MOST && !found.contains(&reference) {
                found.push(reference);
            }
        }
    }
    found
}

/// If `text` is nothing but one reference, as in the list of issues of an epic.
pub(super) fn only(text: &str, repository: &Repository) -> Option<Reference> {
    let text = text.trim().trim_matches(['<', '>']);
    let found = ONE.as_ref()?.find(text).filter(|found| found.as_str() == text)?;
    match parse(found.as_str(), repository) {
        // Another address may well be a criterion.
        Reference::Elsewhere(text) if text.contains("://") => None,
        reference => Some(reference),
    }
}

fn parse(text: &str, repository: &Repository) -> Reference {
    let number = match text.split_once("://") {
        Some((_, url)) => number_in_url(url, repository),
        None => {
            let is_here =
                |path: &str| path.is_empty() || path.eq_ignore_ascii_case(&repository.path());
            let parts = text.split_once('#').filter(|(path, _)| is_here(path));
            parts.and_then(|(_, number)| number.parse().ok())
        }
    };
    number.map_or_else(|| Reference::Elsewhere(text.to_owned()), Reference::Issue)
}

/// `host/owner/name/issues/3`, without the scheme. The host may have another port than the remote.
fn number_in_url(url: &str, repository: &Repository) -> Option<u64> {
    let (host, path) = url.split_once('/')?;
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if !name.eq_ignore_ascii_case(&repository.host) {
        return None;
    }
    let path = path.split(['?', '#']).next()?.trim_end_matches(['/', '.']);
    let (repository_path, number) = path.rsplit_once("/issues/")?;
    let repository_path = repository_path.trim_end_matches("/-");
    repository_path.eq_ignore_ascii_case(&repository.path()).then(|| number.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Remote;

    fn found(text: &str) -> Vec<String> {
        let remote = Remote::parse("git@github.com:acme/shop.git").unwrap();
        let repository = Repository::new(&remote, None, None).unwrap();
        let shown = |reference| match reference {
            Reference::Issue(number) => number.to_string(),
            Reference::Elsewhere(text) => text,
        };
        references(text, &repository).into_iter().map(shown).collect()
    }

    #[test]
    fn statements_name_issues() {
        for (text, expected) in [
            ("Blocked by #3", vec!["3"]),
            ("depends on: #1, #2 and #4; see #9", vec!["1", "2", "4"]),
            ("It requires #5 (and #6).", vec!["5", "6"]),
            ("dependent upon #7", vec!["7"]),
            ("## Depends on\n\n- #1\n- [ ] #2\n\ntext #3", vec!["1", "2"]),
            ("**Blocked by:** #3", vec!["3"]),
            ("depends on acme/shop#8 and other/x#1", vec!["8", "other/x#1"]),
            ("depends on https://github.com/acme/shop/issues/12.", vec!["12"]),
            ("depends on <https://github.com/Acme/Shop/issues/12#c-1>", vec!["12"]),
            (
                "blocked by https://evil.example/acme/shop/issues/1",
                vec!["https://evil.example/acme/shop/issues/1"],
            ),
            ("blocked by #3, blocked by #3", vec!["3"]),
            ("see #3", vec![]),
            ("not blocked by #3, no longer depends on #4", vec![]),
            ("it doesn't depend on #3", vec![]),
            ("~~blocked by #3~~", vec![]),
            ("`blocked by #3`", vec![]),
            ("blocks #3", vec![]),
            ("depends on the weather, #3", vec![]),
            ("depends on #99999999999999999999", vec!["#99999999999999999999"]),
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_entry_may_be_a_reference_alone() {
        let remote = Remote::parse("git@github.com:acme/shop.git").unwrap();
        let repository = Repository::new(&remote, None, None).unwrap();
        let is_issue = |text| only(text, &repository) == Some(Reference::Issue(3));
        for text in ["#3", " #3 ", "acme/shop#3", "https://github.com/acme/shop/issues/3"] {
            assert!(is_issue(text), "{text}");
        }
        for text in ["#3 fix it", "see #3", "https://example.com/", "", "3"] {
            assert_eq!(only(text, &repository), None, "{text}");
        }
        let elsewhere = Reference::Elsewhere("other/x#3".into());
        assert_eq!(only("other/x#3", &repository), Some(elsewhere));
    }

    #[test]
    fn many_references_are_bounded() {
        let text: String = (0..20_000).map(|number| format!("depends on #{number} ")).collect();
        assert_eq!(found(&text).len(), MOST);
    }
}
