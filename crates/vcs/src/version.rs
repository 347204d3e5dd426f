//! The version of git.

use std::path::Path;
use std::time::Instant;

use crate::VcsError;
use crate::git_call::GitCall;

/// For example `git version 2.47.3`. `folder` is any existing folder.
pub fn git_version(folder: &Path, deadline: Instant) -> Result<String, VcsError> {
    GitCall::anywhere(folder, "version").line(deadline)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_version_is_known_outside_of_repositories() {
        let dir = tempfile::tempdir().unwrap();
        let version = git_version(dir.path(), Instant::now() + Duration::from_secs(20)).unwrap();
        assert!(version.starts_with("git version "), "{version}");
    }
}
