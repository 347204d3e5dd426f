//! Keeps the work of an iteration and gives the next one a clean start: locks, files hidden from git, uncommitted
//! work, the branch and its history.

use std::collections::BTreeMap;

use events::LoopEvent;
use vcs::{CommitId, DirtyPath, VcsError};
use verify::RepositoryChange;

use crate::run_files::deadline;
use crate::workspace::core::Workspace;
use crate::workspace::notice::listed;
use crate::workspace::repository::{ComparedTree, InspectedTree};
use crate::workspace::session_work::SessionWork;
use crate::{RunError, own_file, run_files};

impl Workspace<'_> {
    pub(crate) fn remove_stale_git_locks(&mut self) -> Result<(), RunError> {
        run_files::remove_stale_git_locks(&self.tree, self.layout, &self.sink)
    }

    /// Makes git compare files again that the agent hid from it, and returns them. Otherwise the checks could see
    /// other contents than the commit.
    pub(crate) fn unhide_files(&mut self) -> Result<BTreeMap<String, RepositoryChange>, RunError> {
        let mut found = Vec::new();
        for (flag, paths) in self.tree.unwatched_by_flag(deadline())? {
            let allowed = self.allowed.allows(flag);
            let new_paths = paths
                .into_iter()
                .filter(|path| !allowed && !self.baseline.unwatched_before.contains(path));
            found.extend(new_paths.map(|path| (flag, path)));
        }
        if found.is_empty() {
            return Ok(BTreeMap::new());
        }
        let hidden: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
        self.tree.watch(&hidden, deadline())?;
        let list = listed(&hidden);
        self.sink.warn(format!("files were hidden from git; git compares them again: {list}"));
        let files = found.into_iter().map(|(flag, path)| {
            let path = self.tree.in_project(&path);
            (path.clone(), RepositoryChange::HiddenFile { path, flag })
        });
        Ok(files.collect())
    }

    /// Switches back to the run's branch, together with uncommitted changes if git can. Returns the uncommitted
    /// paths.
    pub(crate) fn keep_branch(
        &mut self,
        work: &SessionWork<'_>,
    ) -> Result<(Vec<DirtyPath>, Option<ComparedTree>), RunError> {
        let head = self.tree.head(deadline())?;
        let InspectedTree { mut now, compared } = self.inspect(head)?;
        if now.has_unreadable_folders && self.restore_all_permissions() {
            now = self.tree.state(deadline())?;
        }
        self.report_ignored(&work.origin(), &now.ignored)?;
        if let Some(operation) = now.operation {
            self.tree.quit_operation(operation, deadline())?;
            self.sink.warn(format!("{} left an unfinished {operation}; ended it", work.label));
        }
        let branch = self.baseline.branch.clone();
        if now.branch.as_deref() == Some(branch.as_str()) {
            return Ok((now.dirty, compared));
        }
        let left_on = now.branch.as_deref().unwrap_or("no branch").to_owned();
        match self.return_to_branch() {
            Ok(_) => {}
            // Uncommitted changes block the switch, so they are committed first.
            Err(RunError::Git(VcsError::BranchRefused { .. })) => {
                self.keep_work(work, now.dirty)?;
                self.return_to_branch()?;
            }
            Err(error) => return Err(error),
        }
        let kept = match &now.head {
            Some(head) => {
                let backup = self.back_up(&work.backup, head)?;
                format!(", its commits are backed up as {backup}")
            }
            None => String::new(),
        };
        let label = &work.label;
        self.sink.warn(format!("{label} ended on {left_on}; switched back to {branch}{kept}"));
        Ok((self.tree.state(deadline())?.dirty, None))
    }

    /// Commits what the agent left uncommitted.
    pub(crate) fn keep_work(
        &mut self,
        work: &SessionWork<'_>,
        dirty: Vec<DirtyPath>,
    ) -> Result<(), RunError> {
        let paths: Vec<String> = dirty
            .into_iter()
            .map(|dirty| dirty.path)
            .filter(|path| !self.layout.is_runtime(path))
            .filter(|path| !self.baseline.is_excluded(path))
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        let message = format!("ralph: commit the uncommitted work of {}", work.label);
        let commit = loop {
            match self.tree.commit_paths(&paths, &message, deadline()) {
                Err(VcsError::OwnRepository { path }) => self.move_nested_repository(&path)?,
                commit => break commit?,
            }
        };
        if let Some(commit) = commit {
            let kept = paths.iter().filter(|path| !is_repository(path)).cloned().collect();
            self.sink.emit(LoopEvent::WorkCommitted { paths: kept, commit: commit.to_string() });
        }
        let repositories: Vec<String> =
            paths.into_iter().filter(|path| is_repository(path)).collect();
        let mut left = Vec::new();
        for repository in repositories {
            // In place of committed files it would hide changes to them.
            if self.tree.has_file(work.checkpoint, &repository, deadline())? {
                self.move_nested_repository(&repository)?;
                let now = self.tree.state(deadline())?.dirty.into_iter();
                let inside = now.filter(|dirty| dirty.path.starts_with(&repository)).collect();
                self.keep_work(work, inside)?;
            } else {
                left.push(repository);
            }
        }
        let what = "left git repositories inside the project, which no commit contains; left alone";
        self.notice(&work.origin(), what, &left);
        self.baseline.left_alone.extend(left);
        Ok(())
    }

    /// Keeps every commit from before the iteration.
    pub(crate) fn keep_history(&mut self, work: &SessionWork<'_>) -> Result<(), RunError> {
        if self.tree.keep_history(work.checkpoint, deadline())?.is_some() {
            self.sink.warn(format!(
                "{} rewrote commits from before it; restored them and merged them with its own",
                work.label
            ));
        }
        Ok(())
    }

    pub(crate) fn replace_task_list(&mut self, text: &str) -> Result<(), RunError> {
        own_file::put(self.layout.root(), &self.layout.tasks(), text.as_bytes())
            .map_err(RunError::disk(self.layout.tasks_name()))
    }

    /// A commit by the runner itself. Files that git ignores are only changed on disk.
    pub(crate) fn commit_own(
        &mut self,
        paths: &[String],
        message: &str,
    ) -> Result<Option<CommitId>, RunError> {
        Ok(self.tree.commit_paths(paths, message, deadline())?)
    }
}

/// git marks only nested repositories with a trailing slash.
fn is_repository(path: &str) -> bool {
    path.ends_with('/')
}
