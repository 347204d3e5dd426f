//! What git says about the iteration: work left uncommitted, and a review that wrote code.

use std::collections::BTreeSet;
use std::time::Duration;

use project::{Layout, Marker};
use tasks::{Mode, ReviewPolicy};
use vcs::{ChangesInProgress, CommitId, DirtyPath, StatusInProgress, WorkTree};

use crate::finding::Finding;

/// Far longer than git needs, and well within the time Claude Code gives a hook.
const PATIENCE: Duration = Duration::from_secs(20);

/// Questions that git is answering while other checks run.
pub(crate) struct TreeCheck<'a> {
    layout: &'a Layout,
    marker: &'a Marker,
    status: Option<StatusInProgress>,
    commits: Option<ChangesInProgress>,
    warnings: Vec<String>,
}

impl<'a> TreeCheck<'a> {
    pub(crate) fn start(layout: &'a Layout, marker: &'a Marker) -> Self {
        let mut check = Self { layout, marker, status: None, commits: None, warnings: Vec::new() };
        match WorkTree::open(layout.root()) {
            Ok(tree) => check.ask(&tree),
            Err(error) => {
                check.warnings.push(format!("uncommitted changes are not checked: {error}"));
            }
        }
        check
    }

    fn ask(&mut self, tree: &WorkTree) {
        match tree.start_status() {
            Ok(status) => self.status = Some(status),
            Err(error) => self.warnings.push(error.to_string()),
        }
        if let Some(checkpoint) = self.marker.checkpoint.as_deref()
            && self.is_review()
        {
            let asked = CommitId::new(checkpoint)
                .map_err(|error| error.to_string())
                .and_then(|id| tree.start_changes_since(&id).map_err(|error| error.to_string()));
            match asked {
                Ok(commits) => self.commits = Some(commits),
                Err(error) => {
                    self.warnings.push(format!("the checkpoint cannot be compared: {error}"))
                }
            }
        }
    }

    fn is_review(&self) -> bool {
        let reviewed = matches!(self.marker.review, ReviewPolicy::Required { .. });
        reviewed && self.marker.iteration_mode == Some(Mode::Review)
    }

    pub(crate) fn finish(mut self, warnings: &mut Vec<String>) -> Vec<Finding> {
        warnings.append(&mut self.warnings);
        let mut answer = |error: vcs::VcsError| warnings.push(error.to_string());
        let commits = self.commits.take().map(|commits| commits.finish(PATIENCE));
        let commits = commits.transpose().map_err(&mut answer).ok().flatten().unwrap_or_default();
        let status = self.status.take().map(|status| status.finish(PATIENCE));
        let dirty = status.transpose().map_err(&mut answer).ok().flatten().unwrap_or_default();

        let dirty: Vec<DirtyPath> =
            dirty.into_iter().filter(|dirty| !self.is_excused(&dirty.path)).collect();
        if !self.is_review() {
            return dirty.into_iter().map(Finding::Uncommitted).collect();
        }
        let (inside, outside): (Vec<_>, Vec<_>) =
            dirty.into_iter().partition(|dirty| self.layout.review_may_touch(&dirty.path));
        let commits = commits
            .into_iter()
            .filter(|path| !self.layout.is_runtime(path) && !self.layout.review_may_touch(path));
        // A path may be committed and dirty again.
        let outside: BTreeSet<String> =
            outside.into_iter().map(|dirty| dirty.path).chain(commits).collect();
        let outside = outside.into_iter().map(|path| Finding::OutsideReview { path });
        outside.chain(inside.into_iter().map(Finding::Uncommitted)).collect()
    }

    /// The program's own files, and what was dirty before the run began.
    fn is_excused(&self, path: &str) -> bool {
        let named =
            |entry: &String| entry == path || (entry.ends_with('/') && path.starts_with(entry));
        self.layout.is_runtime(path) || self.marker.dirty_before.iter().any(named)
    }
}
