//! Parses the version in the output of `--version`: `git version 2.39.5 (Apple Git-154)`, `2.1.325 (Claude Code)`.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(Vec<u64>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoVersion;

impl FromStr for Version {
    type Err = NoVersion;

    /// The first word that starts with a number, a dot and a number.
    fn from_str(output: &str) -> Result<Self, NoVersion> {
        output.split_whitespace().find_map(numbers).map(Self).ok_or(NoVersion)
    }
}

fn numbers(word: &str) -> Option<Vec<u64>> {
    let word = word.strip_prefix('v').unwrap_or(word);
    let end = word.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(word.len());
    let parts = word[..end].split('.').take_while(|part| !part.is_empty());
    let numbers: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&parts.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_from_different_outputs() {
        for (output, version) in [
            ("git version 2.47.3", "2.47.3"),
            ("git version 2.39.5 (Apple Git-154)", "2.39.5"),
            ("git version 2.45.1.windows.1", "2.45.1"),
            ("2.1.325 (Claude Code)", "2.1.325"),
            ("codex-cli 0.50.0-alpha.2", "0.50.0"),
            ("v1.2\n", "1.2"),
        ] {
            assert_eq!(output.parse::<Version>().unwrap().to_string(), version, "{output}");
        }
        for output in ["", "unknown", "build 7", "..", "99999999999999999999.1"] {
            assert_eq!(output.parse::<Version>(), Err(NoVersion), "{output}");
        }
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let version = |output: &str| output.parse::<Version>().unwrap();
        assert!(version("2.1.99") < version("2.1.325"));
        assert!(version("2.38") <= version("2.38.0"));
        assert!(version("2.9") < version("2.38"));
    }
}
