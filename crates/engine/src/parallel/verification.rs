//! Checks merged work in a clone where no agent works.

use std::path::Path;

use tasks::StoryId;
use vcs::CommitId;

use crate::RunError;
use crate::control::RunControl;
use crate::lane::{ChecksResult, Lane, TaskText};
use crate::run_files::{self, deadline};

/// Its branch; nothing else uses it.
const BRANCH: &str = "ralph-verification";

pub(crate) struct Verification<'a> {
    pub(crate) lane: Lane<'a>,
    /// Checks run in the folder of its options.
    pub(crate) control: RunControl<'a>,
}

impl Verification<'_> {
    /// Writes the results into `folder`.
    pub(crate) fn check(
        &mut self,
        story: &StoryId,
        commit: &CommitId,
        list: &TaskText,
        folder: &Path,
    ) -> Result<ChecksResult, RunError> {
        run_files::make_folder(folder, self.lane.layout)?;
        let workspace = &mut self.lane.workspace;
        // A check may have changed anything since the last time.
        workspace.guard_repository(None, false)?;
        workspace.tree.start_branch(BRANCH, commit, deadline())?;
        workspace.baseline.branch = BRANCH.to_owned();
        workspace.record_users_files()?;
        let guardrails = self.lane.guardrails(&list.list);
        let (control, story) = (&mut self.control, Some(story.clone()));
        Ok(self.lane.run_checks(control, story, &guardrails, &list.text, folder)?.result)
    }
}
