//! Validates branch names without calling git.

use crate::VcsError;

/// The rules of `git check-ref-format --branch`, without names that git expands.
pub fn is_branch_name(name: &str) -> bool {
    let forbidden = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    let part_is_legal =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !matches!(name, "@" | "HEAD")
        && name.split('/').all(part_is_legal)
}

pub fn refuse_invalid_branch(name: &str) -> Result<(), VcsError> {
    if is_branch_name(name) {
        return Ok(());
    }
    Err(VcsError::InvalidBranch { name: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::WorkTree;
    use crate::git_call::GitCall;

    #[test]
    fn accepts_the_names_that_git_accepts() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let tree = WorkTree::open(dir.path()).unwrap();
        let git_takes = |name: &str| {
            let call = GitCall::read(&tree, "check-ref-format").args(["--branch", name]);
            call.answer(Instant::now() + Duration::from_secs(10)).unwrap().status.success()
        };
        for name in ["main", "feature/x-1", "größe", "a.b", "a@b", "x/HEAD", "x/@", "a\u{85}b"] {
            assert!(is_branch_name(name) && git_takes(name), "{name}");
        }
        for name in [
            "", "a b", "a..b", "-f", "a.", "/a", "a/", "a//b", ".a", "a/.b", "x.lock", "x.lock/y",
            "a@{1}", "HEAD", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a\nb", "a\u{7f}b",
        ] {
            assert!(!is_branch_name(name) && !git_takes(name), "{name:?}");
        }
        // git would create it and then read it as HEAD.
        assert!(!is_branch_name("@"));
    }
}
