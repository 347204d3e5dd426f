//! Refs that protect commits of the run from git's garbage collection.

use vcs::{CommitId, VcsError};

use crate::run_files::deadline;
use crate::workspace::core::Workspace;

impl Workspace<'_> {
    /// Returns the name of the ref. If an existing ref blocks the run's ref folder, the name gets a flat prefix.
    pub(crate) fn back_up(&mut self, name: &str, commit: &CommitId) -> Result<String, VcsError> {
        let run = &self.run_id;
        let under = |name: String| {
            let done = self.tree.backup_ref(&name, commit, deadline());
            done.map(|()| format!("refs/ralph/{name}"))
        };
        let kept = under(format!("{run}/{name}")).or_else(|_| under(format!("{run}-{name}")))?;
        self.backups.push((kept.clone(), commit.clone()));
        Ok(kept)
    }
}
