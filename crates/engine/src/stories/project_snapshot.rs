//! The project as it was judged. Checks run the agent's own code, so what they did to it is looked at
//! afterwards: a check may not commit, change the task list or the user's files, and so approve.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use project::{LARGEST_TASK_LIST, ProtectedFiles, check_protected, record_protected};
use tasks::StoryId;
use vcs::{CommitId, TreeState};

use crate::RunError;
use crate::run_files::deadline;
use crate::stories::iteration::protected_contents;
use crate::stories::notice::Origin;
use crate::stories::run::Run;

pub(crate) struct ProjectSnapshot {
    pub(crate) actor: Actor,
    /// Whose reviewer has to know what happened.
    story: Option<StoryId>,
    pub(crate) head: CommitId,
    task_list: String,
    recorded: ProtectedFiles,
    protected: BTreeMap<String, Vec<u8>>,
}

/// Who is on the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Actor {
    Session,
    Check,
    QualityCheck,
    Compaction,
    /// One that is asked for a commit message.
    MessageSession,
    /// Of the user's own git that pushes.
    GitHook,
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Session => "the session",
            Self::Check => "a check",
            Self::QualityCheck => "the quality check",
            Self::Compaction => "the compaction",
            Self::MessageSession => "the session that wrote the commit message",
            Self::GitHook => "a hook of git",
        })
    }
}

impl ProjectSnapshot {
    /// As a runner that is gone wrote it down.
    pub(crate) fn rebuilt(
        actor: Actor,
        head: CommitId,
        task_list: String,
        recorded: ProtectedFiles,
        protected: BTreeMap<String, Vec<u8>>,
    ) -> Self {
        Self { actor, story: None, head, task_list, recorded, protected }
    }

    pub(crate) fn origin<'a>(&'a self, folder: &'a Path) -> Origin<'a> {
        let Self { actor, story, .. } = self;
        Origin { actor: *actor, who: actor.to_string(), story: story.as_ref(), folder }
    }
}

impl Run<'_> {
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
            protected: protected_contents(self.layout),
        }
    }

    /// Puts back what nobody may change, and says what had to be.
    pub(crate) fn restore_snapshot(
        &mut self,
        snapshot: &ProjectSnapshot,
        now: &TreeState,
    ) -> Result<Vec<String>, RunError> {
        let mut findings = Vec::new();
        if let Some(operation) = now.operation {
            self.tree.quit_operation(operation, deadline())?;
        }
        if now.branch.as_deref() != Some(self.state.branch.as_str()) {
            self.come_back()?;
            findings.push(format!("{} changed the branch", snapshot.actor));
        }
        let head =
            if findings.is_empty() { now.head.clone() } else { self.tree.head(deadline())? };
        if head.as_ref() != Some(&snapshot.head) {
            self.tree.keep_history(&snapshot.head, deadline())?;
            let changed = self.tree.start_changes_since(&snapshot.head)?.finish(deadline())?;
            self.restore_files_of(&snapshot.head, changed.clone())?;
            let message = format!("ralph: undo what {} committed", snapshot.actor);
            self.tree.commit_as_in(&snapshot.head, &changed, &message, deadline())?;
            findings.push(format!("{} made commits", snapshot.actor));
        }
        findings.extend(self.restore_files(snapshot)?);
        Ok(findings)
    }

    /// On the branch of the run, whatever the work tree holds: git would refuse where something that
    /// is not committed is in the way, and would take the user's own files along where somebody
    /// committed them elsewhere.
    fn come_back(&mut self) -> Result<(), RunError> {
        let branch = self.state.branch.clone();
        let Some(tip) = self.tree.branch_tip(&branch, deadline())? else {
            self.return_to_branch()?;
            return Ok(());
        };
        // A branch without a commit has nothing that differs.
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
