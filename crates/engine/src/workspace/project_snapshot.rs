//! The project as it was judged. Checks run the agent's code, which could commit or change the task list or the
//! user's files to approve itself. So the runner compares the project afterwards.

use std::collections::BTreeMap;
use std::path::Path;

use project::{LARGEST_TASK_LIST, ProtectedFiles, check_protected, record_protected};
use tasks::StoryId;
use vcs::{CommitId, TreeState};

use crate::RunError;
use crate::run_files::deadline;
use crate::workspace::core::Workspace;
use crate::workspace::notice::{Actor, NoticeOrigin};
use crate::workspace::user_files::protected_contents;

pub(crate) struct ProjectSnapshot {
    pub(crate) actor: Actor,
    /// The story whose reviewer gets the notices.
    pub(crate) story: Option<StoryId>,
    pub(crate) head: CommitId,
    pub(crate) task_list: String,
    pub(crate) recorded: ProtectedFiles,
    pub(crate) protected: BTreeMap<String, Vec<u8>>,
}

impl ProjectSnapshot {
    pub(crate) fn origin<'a>(&'a self, folder: &'a Path) -> NoticeOrigin<'a> {
        let Self { actor, story, .. } = self;
        NoticeOrigin { actor: *actor, who: actor.to_string(), story: story.as_ref(), folder }
    }
}

impl Workspace<'_> {
    pub(crate) fn snapshot(
        &self,
        actor: Actor,
        story: Option<StoryId>,
        head: CommitId,
        task_list: &str,
    ) -> ProjectSnapshot {
        ProjectSnapshot {
            actor,
            story,
            head,
            task_list: task_list.to_owned(),
            recorded: record_protected(self.layout),
            protected: protected_contents(self.layout, []),
        }
    }

    /// Restores everything that must not change, and returns what had changed.
    pub(crate) fn restore_snapshot(
        &mut self,
        snapshot: &ProjectSnapshot,
        now: &TreeState,
    ) -> Result<Vec<String>, RunError> {
        let mut findings = Vec::new();
        if let Some(operation) = now.operation {
            self.tree.quit_operation(operation, deadline())?;
        }
        if now.branch.as_deref() != Some(self.baseline.branch.as_str()) {
            self.force_own_branch()?;
            findings.push(format!("{} changed the branch", snapshot.actor));
        }
        let head =
            if findings.is_empty() { now.head.clone() } else { self.tree.head(deadline())? };
        if head.as_ref() != Some(&snapshot.head) {
            self.tree.keep_history(&snapshot.head, deadline())?;
            let changed = self.tree.start_changes_since(&snapshot.head)?.finish(deadline())?;
            self.restore_files_of(&snapshot.head, changed.clone())?;
            let message = format!("ralph: revert the commits of {}", snapshot.actor);
            self.tree.commit_as_in(&snapshot.head, &changed, &message, deadline())?;
            findings.push(format!("{} made commits", snapshot.actor));
        }
        findings.extend(self.restore_files(snapshot)?);
        Ok(findings)
    }

    /// Switches to the run's branch with any work tree. git itself would refuse if uncommitted files block the
    /// switch, and would remove the user's files if another branch contains them.
    fn force_own_branch(&mut self) -> Result<(), RunError> {
        let branch = self.baseline.branch.clone();
        let Some(tip) = self.tree.branch_tip(&branch, deadline())? else {
            self.return_to_branch()?;
            return Ok(());
        };
        // Without a commit there is nothing to restore.
        if self.tree.head(deadline())?.is_some() {
            let changed = self.tree.start_changes_since(&tip)?.finish(deadline())?;
            self.restore_files_of(&tip, changed)?;
        }
        Ok(self.tree.name_branch(&branch, deadline())?)
    }

    fn restore_files(&mut self, snapshot: &ProjectSnapshot) -> Result<Vec<String>, RunError> {
        let mut findings = Vec::new();
        for change in check_protected(self.layout.root(), &snapshot.recorded) {
            self.restore(&change, &snapshot.protected)?;
            findings.push(format!("{} changed protected file {}", snapshot.actor, change.path()));
        }
        let on_disk = bounded_read::read_file(&self.layout.tasks(), LARGEST_TASK_LIST);
        if on_disk.is_ok_and(|bytes| bytes == snapshot.task_list.as_bytes()) {
            return Ok(findings);
        }
        self.replace_task_list(&snapshot.task_list)?;
        findings.push(format!("{} changed {}", snapshot.actor, self.layout.tasks_name()));
        Ok(findings)
    }
}
