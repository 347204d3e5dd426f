//! The version of a program: its output of `--version`, and the number in it: `git version 2.39.5 (Apple Git-154)`,
//! `2.1.325 (Claude Code)`.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use supervise::{ProgramCall, ProgramRunner};

/// Enough for a slow disk and a busy machine.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// The first line of `--version`, or why there is none.
pub(crate) type VersionOutput = Result<String, String>;

/// The first line of `program --version`.
pub(crate) fn ask(program: &Path, runner: &ProgramRunner<'_>) -> VersionOutput {
    let question = ProgramCall::new(program, vec!["--version".into()], VERSION_TIMEOUT);
    let output = match runner.run(question) {
        Ok(answer) if answer.succeeded() => answer.stdout,
        Ok(answer) => return Err(answer.error_text()),
        Err(error) => return Err(error.to_string()),
    };
    let line = output.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(str::to_owned).ok_or_else(|| "no output".to_owned())
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(Vec<u64>);

impl Version {
    /// The first word that starts with a number, a dot and a number.
    pub(crate) fn of(output: &str) -> Option<Self> {
        output.split_whitespace().find_map(numbers).map(Self)
    }

    pub(crate) fn is_before(&self, other: &str) -> bool {
        Self::of(other).is_some_and(|other| *self < other)
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
            assert_eq!(Version::of(output).unwrap().to_string(), version, "{output}");
        }
        for output in ["", "unknown", "build 7", "..", "99999999999999999999.1"] {
            assert_eq!(Version::of(output), None, "{output}");
        }
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let version = |output: &str| Version::of(output).unwrap();
        assert!(version("2.1.99") < version("2.1.325"));
        assert!(version("2.38") <= version("2.38.0"));
        assert!(version("2.9") < version("2.38"));
    }
}
