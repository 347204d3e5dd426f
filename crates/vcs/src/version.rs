//! Which git answers.

use std::path::Path;
use std::time::Instant;

use crate::VcsError;
use crate::git_call::GitCall;

/// In git's own words, such as `git version 2.47.3`. `folder` is any that is there.
pub fn git_version(folder: &Path, deadline: Instant) -> Result<String, VcsError> {
    GitCall::anywhere(folder, "version").line(deadline)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn git_says_which_it_is_outside_of_repositories_too() {
        let dir = tempfile::tempdir().unwrap();
        let said = git_version(dir.path(), Instant::now() + Duration::from_secs(20)).unwrap();
        assert!(said.starts_with("git version "), "{said}");
    }
}
