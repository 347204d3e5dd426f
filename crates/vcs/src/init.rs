//! Creates a repository.

use std::path::Path;
use std::time::Instant;

use crate::git_call::GitCall;
use crate::{VcsError, WorkTree};

impl WorkTree {
    /// Makes `folder` a repository; harmless if it is one.
    pub fn init(folder: &Path, deadline: Instant) -> Result<Self, VcsError> {
        GitCall::anywhere(folder, "init").writing().args(["--quiet"]).output(deadline)?;
        Self::open(folder).map_err(|_| VcsError::Unreadable { command: "init" })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_folder_becomes_a_repository_and_stays_one() {
        let dir = tempfile::tempdir().unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        for _ in 0..2 {
            let tree = WorkTree::init(dir.path(), deadline).unwrap();
            assert_eq!(tree.state(deadline).unwrap().head, None);
        }
    }
}
