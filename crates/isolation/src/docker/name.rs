//! The name of a project's sandbox.

use std::path::Path;

use data_encoding::HEXLOWER;
use derive_more::Display;
use sha2::{Digest, Sha256};

/// The maximum of a host name label, because the name becomes one.
const LONGEST: usize = 63;
const PREFIX: &str = "ralph-";
/// Bytes of the hash, two digits each.
const HASHED: usize = 5;

/// Letters, digits, hyphens and periods, with a letter first: both programs accept these.
#[derive(Debug, Clone, PartialEq, Eq, Display)]
pub struct SandboxName(String);

impl SandboxName {
    /// Deterministic: the end of the project path for readability, and a hash of the whole path for uniqueness.
    pub fn of_project(project: &Path) -> Self {
        let path = project.as_os_str().as_encoded_bytes();
        let hash = HEXLOWER.encode(&Sha256::digest(path)[..HASHED]);
        let available = LONGEST - PREFIX.len() - hash.len() - 1;
        let words = readable(&project.to_string_lossy());
        let end = &words[words.len().saturating_sub(available)..];
        let end = end.trim_start_matches(['-', '.']);
        let between = if end.is_empty() { "" } else { "-" };
        Self(format!("{PREFIX}{end}{between}{hash}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Replaces every run of invalid characters with one hyphen.
fn readable(path: &str) -> String {
    let mut name = String::new();
    for c in path.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || c == '.' => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> String {
        SandboxName::of_project(Path::new(path)).to_string()
    }

    #[test]
    fn the_name_contains_the_path() {
        assert!(
            name("/home/me/my app").starts_with("ralph-home-me-my-app-"),
            "{}",
            name("/home/me/my app")
        );
        assert_eq!(name("/home/me/app"), name("/home/me/app"));
    }

    #[test]
    fn only_what_both_command_lines_accept() {
        let long = "/x".repeat(500);
        let odd =
            ["/", "/a b/c'd\"e", "/$HOME/`id`", "/-rf", "/new\nline", "/ümläut/日本", "/..", &long];
        for path in odd {
            let name = name(path);
            assert!(name.len() <= LONGEST && name.starts_with("ralph-"), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)), "{name}");
            assert!(!name.contains("--") && !name.ends_with(['-', '.']), "{name}");
        }
    }

    #[test]
    fn two_paths_have_different_names() {
        let alike = ["/a/b-c", "/a/b_c", "/a-b/c", "/a/b c", "/a/b\nc", "/日本", "/日", "/"];
        let mut names: Vec<String> = alike.iter().map(|path| name(path)).collect();
        let ends = ["1", "2"].map(|start| name(&format!("/{start}{}", "/long".repeat(50))));
        names.extend(ends);
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }
}
