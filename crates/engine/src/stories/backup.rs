//! Commits that are remembered under a name of the run's own, so that no clean-up of git takes them.

use vcs::{CommitId, VcsError};

use crate::run_files::deadline;
use crate::stories::run::Run;

impl Run<'_> {
    /// Returns the name of the ref. Where somebody's own ref leaves no room for the run's folder, it
    /// lies beside it.
    pub(crate) fn back_up(&self, name: &str, commit: &CommitId) -> Result<String, VcsError> {
        let run = &self.state.run_id;
        let under = |name: String| {
            let done = self.tree.backup_ref(&name, commit, deadline());
            done.map(|()| format!("refs/ralph/{name}"))
        };
        under(format!("{run}/{name}")).or_else(|_| under(format!("{run}-{name}")))
    }
}
