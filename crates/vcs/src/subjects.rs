//! Subject lines of commit messages.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::{CommitId, VcsError, WorkTree};

impl WorkTree {
    /// Subjects of the commits in `to` and not in `from`, oldest first; limited to the newest.
    pub fn subjects_between(
        &self,
        from: &CommitId,
        to: &CommitId,
        most: usize,
        deadline: Instant,
    ) -> Result<Vec<String>, VcsError> {
        let (range, most) = (format!("{from}..{to}"), format!("--max-count={most}"));
        let output = GitCall::read(self, "log")
            .args(["-z", "--format=%s", "--no-show-signature", &most, &range, "--"])
            .output(deadline)?;
        let text = String::from_utf8_lossy(&output);
        let newest_first = text.split('\0').map(str::trim).filter(|subject| !subject.is_empty());
        let mut subjects: Vec<String> = newest_first.map(str::to_owned).collect();
        subjects.reverse();
        Ok(subjects)
    }
}
