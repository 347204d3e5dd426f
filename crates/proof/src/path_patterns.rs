//! Patterns of paths, as the `paths` of a check: `*` stops at `/`, `**` does not, a folder means all its files, and
//! `!` excludes.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

#[derive(Debug, Clone, Default)]
pub struct PathPatterns {
    included: GlobSet,
    excluded: GlobSet,
}

#[derive(Debug, thiserror::Error)]
#[error("\"{}\" is not a pattern of paths: {why}", sanitize::plain(.pattern))]
pub struct InvalidPattern {
    pattern: String,
    why: String,
}

impl PathPatterns {
    pub fn new<P: AsRef<str>>(patterns: &[P]) -> Result<Self, InvalidPattern> {
        let patterns = patterns.iter().map(AsRef::as_ref);
        let (excluded, included): (Vec<&str>, Vec<&str>) =
            patterns.partition(|pattern| pattern.starts_with('!'));
        let excluded = excluded.into_iter().map(|pattern| pattern.trim_start_matches('!'));
        Ok(Self { included: set(included)?, excluded: set(excluded)? })
    }

    /// `path` is relative to the project, with `/`.
    pub fn matches(&self, path: &str) -> bool {
        self.included.is_match(path) && !self.excluded.is_match(path)
    }
}

fn set<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<GlobSet, InvalidPattern> {
    let mut set = GlobSetBuilder::new();
    let invalid = |pattern: &str, error: globset::Error| InvalidPattern {
        pattern: pattern.to_owned(),
        why: error.kind().to_string(),
    };
    for pattern in patterns {
        // Git has no alternatives in braces.
        let plain = pattern.trim_end_matches('/').replace('{', "[{]").replace('}', "[}]");
        for glob in [format!("{plain}/**"), plain] {
            let glob = GlobBuilder::new(&glob).literal_separator(true).build();
            set.add(glob.map_err(|error| invalid(pattern, error))?);
        }
    }
    set.build().map_err(|error| invalid("", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching<'p>(patterns: &[&str], paths: &[&'p str]) -> Vec<&'p str> {
        let patterns = PathPatterns::new(patterns).unwrap();
        paths.iter().copied().filter(|path| patterns.matches(path)).collect()
    }

    #[test]
    fn patterns_mean_what_they_mean_in_the_paths_of_a_check() {
        let paths =
            ["a.py", "t/a.py", "t/u/a.py", "t", "tt/a.py", "x/t/a.py", "t/{a}.py", ".t/a.py"];
        for (patterns, found) in [
            (vec!["*.py"], vec!["a.py"]),
            (
                vec!["**/*.py"],
                vec!["a.py", "t/a.py", "t/u/a.py", "tt/a.py", "x/t/a.py", "t/{a}.py", ".t/a.py"],
            ),
            (vec!["t"], vec!["t/a.py", "t/u/a.py", "t", "t/{a}.py"]),
            (vec!["t/"], vec!["t/a.py", "t/u/a.py", "t", "t/{a}.py"]),
            (vec!["t/*"], vec!["t/a.py", "t/u/a.py", "t/{a}.py"]),
            (vec!["**/t/**", "!t/u"], vec!["t/a.py", "x/t/a.py", "t/{a}.py"]),
            (vec!["t/{a}.py"], vec!["t/{a}.py"]),
            (vec!["[tx]/**/a.py"], vec!["t/a.py", "t/u/a.py", "x/t/a.py"]),
            (vec!["!t"], vec![]),
            (vec![], vec![]),
        ] {
            assert_eq!(matching(&patterns, &paths), found, "{patterns:?}");
        }
    }

    #[test]
    fn an_invalid_pattern_is_named() {
        let error = PathPatterns::new(&["ok", "a[\u{1b}"]).unwrap_err().to_string();
        assert!(error.contains("a[") && !error.contains('\u{1b}'), "{error}");
    }
}
