//! Sees to it that nothing is lost and that everybody starts clean: locks, hidden files, work that is
//! not committed, the branch and its history.

use std::collections::BTreeMap;

use vcs::{CommitId, DirtyPath, HistoryKept, Seen, VcsError};
use verify::RepositoryChange;

use crate::run_files::deadline;
use crate::stories::assignment::Assignment;
use crate::stories::iteration::Iteration;
use crate::stories::repository::{Compared, Inspected, listed};
use crate::stories::run::Run;
use crate::{LoopEvent, RunError, own_file, run_files};

impl Run<'_> {
    pub(crate) fn free_git(&mut self) -> Result<(), RunError> {
        run_files::free_git(&self.tree, self.layout, &mut self.sink)
    }

    /// An agent that hides a file from git could show the checks another file than the committed one.
    /// Returns what it hid, and makes git compare it again.
    pub(crate) fn look_at_everything(&mut self) -> Result<Hidden, RunError> {
        let mut found = Vec::new();
        for (flag, paths) in self.tree.unwatched_by_flag(deadline())? {
            let allowed = self.options.run.allowed_changes.allows(flag);
            let news = paths
                .into_iter()
                .filter(|path| !allowed && !self.state.unwatched_before.contains(path));
            found.extend(news.map(|path| (flag, path)));
        }
        if found.is_empty() {
            return Ok(Hidden::default());
        }
        let hidden: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
        self.tree.watch(&hidden, deadline())?;
        let list = listed(&hidden);
        self.sink.warn(format!("files were hidden from git; git compares them again: {list}"));
        let files = found.into_iter().map(|(flag, path)| (self.tree.in_project(&path), flag));
        Ok(Hidden { files: files.collect() })
    }

    /// The runner's own folders and its lock, which an agent may have cleaned away.
    pub(crate) fn keep_run_files(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        run_files::make_folder(&iteration.folder, self.layout)?;
        run_files::keep_lock(&mut self.lock, self.layout, &mut self.sink)
    }

    /// The run's branch, with what is not committed brought along where git can. Returns what is not
    /// committed there.
    pub(crate) fn keep_branch(
        &mut self,
        iteration: &Iteration,
    ) -> Result<(Vec<DirtyPath>, Option<Compared>), RunError> {
        let head = self.tree.head(deadline())?;
        let Inspected { mut now, compared } = self.inspect(head)?;
        if now.seen == Seen::Part && self.own_everything_again() {
            now = self.tree.state(deadline())?;
        }
        self.report_ignored(&iteration.origin(), &now.ignored)?;
        if let Some(operation) = now.operation {
            self.tree.quit_operation(operation, deadline())?;
            self.sink.warn(format!("{} left a {operation} half-way; ended", iteration.label()));
        }
        let branch = self.state.branch.clone();
        if now.branch.as_deref() == Some(branch.as_str()) {
            return Ok((now.dirty, compared));
        }
        let left_on = now.branch.as_deref().unwrap_or("no branch").to_owned();
        match self.return_to_branch() {
            Ok(_) => {}
            // What is not committed is in the way: then it is kept where it is.
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
                format!(", its commits are kept as {backup}")
            }
            None => String::new(),
        };
        let label = iteration.label();
        self.sink.warn(format!("{label} ended on {left_on}; back on {branch}{kept}"));
        Ok((self.tree.state(deadline())?.dirty, None))
    }

    /// Commits what the agent left, so that nothing is lost and the next iteration starts clean.
    pub(crate) fn keep_work(
        &mut self,
        iteration: &Iteration,
        dirty: Vec<DirtyPath>,
    ) -> Result<(), RunError> {
        let paths: Vec<String> = dirty
            .into_iter()
            .map(|dirty| dirty.path)
            .filter(|path| !self.layout.is_runtime(path))
            .filter(|path| !self.state.is_not_ours(path))
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        let message = format!("ralph: keep what {} left uncommitted", iteration.label());
        let commit = loop {
            match self.tree.commit_paths(&paths, &message, deadline()) {
                Err(VcsError::OwnRepository { path }) => self.open_repository(&path)?,
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
            // Where committed files were, it would hide what became of them.
            if self.tree.has_file(&iteration.checkpoint, &repository, deadline())? {
                self.open_repository(&repository)?;
                let now = self.tree.state(deadline())?.dirty.into_iter();
                let inside = now.filter(|dirty| dirty.path.starts_with(&repository)).collect();
                self.keep_work(iteration, inside)?;
            } else {
                left.push(repository);
            }
        }
        let what = "left repositories of their own, which are part of no commit; left alone";
        self.notice(&iteration.origin(), what, &left);
        self.state.left_alone.extend(left);
        Ok(())
    }

    /// Every commit that was there when the iteration began.
    pub(crate) fn keep_history(&mut self, iteration: &Iteration) -> Result<(), RunError> {
        let kept = self.tree.keep_history(&iteration.checkpoint, deadline())?;
        if let HistoryKept::Rejoined(_) = kept {
            self.sink.warn(format!(
                "{} rewrote commits that were there before it; they are back, merged with its own",
                iteration.label()
            ));
        }
        Ok(())
    }

    pub(crate) fn replace_task_list(&mut self, text: &str) -> Result<(), RunError> {
        own_file::put(self.layout.root(), &self.layout.tasks(), text.as_bytes())
            .map_err(|error| RunError::Disk { path: self.layout.tasks_name(), error })
    }

    /// A commit of the runner itself. What git ignores is put right on disk alone.
    pub(crate) fn commit_own(
        &mut self,
        paths: &[String],
        message: &str,
    ) -> Result<Option<CommitId>, RunError> {
        Ok(self.tree.commit_paths(paths, message, deadline())?)
    }
}

/// Files that a session hid from git, with git's name for the way.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    files: BTreeMap<String, &'static str>,
}

impl Hidden {
    pub(crate) fn contains(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    pub(crate) fn into_changes(self) -> impl Iterator<Item = RepositoryChange> {
        let files = self.files.into_iter();
        files.map(|(path, flag)| RepositoryChange::HiddenFile { path, flag })
    }
}

/// git names a repository within the project with a slash at the end, and nothing else.
fn is_repository(path: &str) -> bool {
    path.ends_with('/')
}
