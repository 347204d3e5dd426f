//! Keeps the work of an iteration and gives the next one a clean start: locks, files hidden from git, uncommitted
//! work, the branch and its history.

use std::collections::BTreeMap;

use events::LoopEvent;
use vcs::{CommitId, DirtyPath, HistoryKept, VcsError};
use verify::RepositoryChange;

use crate::run_files::deadline;
use crate::stories::assignment::Assignment;
use crate::stories::iteration::Iteration;
use crate::stories::repository::{ComparedTree, InspectedTree, listed};
use crate::stories::run::Run;
use crate::{RunError, own_file, run_files};

impl Run<'_> {
    pub(crate) fn remove_stale_git_locks(&mut self) -> Result<(), RunError> {
        run_files::remove_stale_git_locks(&self.tree, self.layout, &mut self.sink)
    }

    /// Makes git compare files again that the agent hid from it, and returns them. Otherwise the checks could see
    /// other contents than the commit.
    pub(crate) fn unhide_files(&mut self) -> Result<HiddenFiles, RunError> {
        let mut found = Vec::new();
        for (flag, paths) in self.tree.unwatched_by_flag(deadline())? {
            let allowed = self.options.run.allowed_changes.allows(flag);
            let new_paths = paths
                .into_iter()
                .filter(|path| !allowed && !self.state.unwatched_before.contains(path));
            found.extend(new_paths.map(|path| (flag, path)));
        }
        if found.is_empty() {
            return Ok(HiddenFiles::default());
        }
        let hidden: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
        self.tree.watch(&hidden, deadline())?;
        let list = listed(&hidden);
        self.sink.warn(format!("files were hidden from git; git compares them again: {list}"));
        let files = found.into_iter().map(|(flag, path)| (self.tree.in_project(&path), flag));
        Ok(HiddenFiles { files: files.collect() })
    }

    /// Recreates the runner's folder and lock if the agent removed them.
    pub(crate) fn keep_run_files(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        run_files::make_folder(&iteration.folder, self.layout)?;
        run_files::keep_lock(&mut self.lock, self.layout, &mut self.sink)
    }

    /// Switches back to the run's branch, together with uncommitted changes if git can. Returns the uncommitted
    /// paths.
    pub(crate) fn keep_branch(
        &mut self,
        iteration: &Iteration,
    ) -> Result<(Vec<DirtyPath>, Option<ComparedTree>), RunError> {
        let head = self.tree.head(deadline())?;
        let InspectedTree { mut now, compared } = self.inspect(head)?;
        if now.has_unreadable_folders && self.restore_all_permissions() {
            now = self.tree.state(deadline())?;
        }
        self.report_ignored(&iteration.origin(), &now.ignored)?;
        if let Some(operation) = now.operation {
            self.tree.quit_operation(operation, deadline())?;
            self.sink
                .warn(format!("{} left an unfinished {operation}; ended it", iteration.label()));
        }
        let branch = self.state.branch.clone();
        if now.branch.as_deref() == Some(branch.as_str()) {
            return Ok((now.dirty, compared));
        }
        let left_on = now.branch.as_deref().unwrap_or("no branch").to_owned();
        match self.return_to_branch() {
            Ok(_) => {}
            // Uncommitted changes block the switch, so they are committed first.
            Err(RunError::Git(VcsError::BranchRefused { .. })) => {
                self.keep_work(iteration, now.dirty)?;
                self.return_to_branch()?;
            }
            Err(error) => return Err(error),
        }
        let Assignment { iteration: number, attempt, .. } = &iteration.assignment;
        let kept = match &now.head {
            Some(head) => {
                let backup = self.back_up(&format!("{number}-{attempt}"), head)?;
                format!(", its commits are backed up as {backup}")
            }
            None => String::new(),
        };
        let label = iteration.label();
        self.sink.warn(format!("{label} ended on {left_on}; switched back to {branch}{kept}"));
        Ok((self.tree.state(deadline())?.dirty, None))
    }

    /// Commits what the agent left uncommitted.
    pub(crate) fn keep_work(
        &mut self,
        iteration: &Iteration,
        dirty: Vec<DirtyPath>,
    ) -> Result<(), RunError> {
        let paths: Vec<String> = dirty
            .into_iter()
            .map(|dirty| dirty.path)
            .filter(|path| !self.layout.is_runtime(path))
            .filter(|path| !self.state.is_excluded(path))
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        let message = format!("ralph: commit the uncommitted work of {}", iteration.label());
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
            if self.tree.has_file(&iteration.checkpoint, &repository, deadline())? {
                self.move_nested_repository(&repository)?;
                let now = self.tree.state(deadline())?.dirty.into_iter();
                let inside = now.filter(|dirty| dirty.path.starts_with(&repository)).collect();
                self.keep_work(iteration, inside)?;
            } else {
                left.push(repository);
            }
        }
        let what = "left git repositories inside the project, which no commit contains; left alone";
        self.notice(&iteration.origin(), what, &left);
        self.state.left_alone.extend(left);
        Ok(())
    }

    /// Keeps every commit from before the iteration.
    pub(crate) fn keep_history(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let kept = self.tree.keep_history(&iteration.checkpoint, deadline())?;
        if let HistoryKept::Rejoined(_) = kept {
            self.sink.warn(format!(
                "{} rewrote commits from before it; restored them and merged them with its own",
                iteration.label()
            ));
        }
        Ok(())
    }

    pub(crate) fn replace_task_list(&mut self, text: &str) -> Result<(), RunError> {
        own_file::put(self.layout.root(), &self.layout.tasks(), text.as_bytes())
            .map_err(|error| RunError::Disk { path: self.layout.tasks_name(), error })
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

/// Files that a session hid from git, with the flag that hides them.
#[derive(Debug, Default)]
pub(crate) struct HiddenFiles {
    files: BTreeMap<String, &'static str>,
}

impl HiddenFiles {
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub(crate) fn into_changes(self) -> impl Iterator<Item = RepositoryChange> {
        let files = self.files.into_iter();
        files.map(|(path, flag)| RepositoryChange::HiddenFile { path, flag })
    }
}

/// git marks only nested repositories with a trailing slash.
fn is_repository(path: &str) -> bool {
    path.ends_with('/')
}
