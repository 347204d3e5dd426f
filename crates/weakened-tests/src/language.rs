//! Determines by name which files can contain or exclude tests, and their language.

use crate::config::Config;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    Rust,
    Python,
    /// JavaScript and TypeScript.
    Script,
    Go,
}

/// Whether a file of this name can contain tests in a supported language, or exclude tests. Other
/// files need not be read.
pub fn concerns(path: &str) -> bool {
    Language::of(path).is_some() || Config::of(path).is_some()
}

impl Language {
    pub(crate) fn of(path: &str) -> Option<Self> {
        let (folders, name) = split(path);
        let (stem, ending) = name.rsplit_once('.')?;
        let in_folder = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
        match ending {
            "rs" => Some(Self::Rust),
            "go" => stem.ends_with("_test").then_some(Self::Go),
            "py" => (stem.starts_with("test_")
                || stem.ends_with("_test")
                || matches!(stem, "conftest" | "test" | "tests")
                || in_folder(&["tests", "test"]))
            .then_some(Self::Python),
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => {
                let named = stem.rsplit('.').next().is_some_and(|last| {
                    last != stem && matches!(last, "test" | "spec" | "tests" | "e2e" | "cy")
                });
                (named || in_folder(&["__tests__", "tests", "test"])).then_some(Self::Script)
            }
            _ => None,
        }
    }
}

/// Whether all of a Rust file is test code; in others only `mod tests` is.
pub(crate) fn is_rust_test_file(path: &str) -> bool {
    let (folders, name) = split(path);
    folders.split('/').any(|folder| matches!(folder, "tests" | "test"))
        || matches!(name, "tests.rs" | "test.rs")
        || name.ends_with("_test.rs")
        || name.ends_with("_tests.rs")
}

pub(crate) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_can_hold_tests() {
        for path in [
            "src/lib.rs",
            "test_a.py",
            "pkg/a_test.py",
            "conftest.py",
            "tests/deep/helpers.py",
            "src/a.test.ts",
            "a.spec.jsx",
            "src/__tests__/a.js",
            "test/a.mjs",
            "pkg/a_test.go",
            "pytest.ini",
            "pyproject.toml",
            "jest.config.js",
            "web/vitest.config.ts",
            "package.json",
            "Makefile",
        ] {
            assert!(concerns(path), "{path}");
        }
    }

    #[test]
    fn names_that_cannot() {
        for path in [
            "README.md",
            "app/main.py",
            "latest.py",
            "src/test.ts",
            "src/contest.js",
            "main.go",
            "test.go",
            "tests/data.json",
            "Cargo.toml",
            "",
            "/",
            "tests",
            ".rs",
        ] {
            assert_eq!(concerns(path), path == ".rs", "{path}");
        }
    }
}
