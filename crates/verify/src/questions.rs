//! What git says about the iteration: work left uncommitted, a review that wrote code. No git starts before
//! its control files were compared with what the runner recorded.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use project::{ControlFiles, Layout, Marker};
use tasks::{Mode, ReviewPolicy};
use vcs::{ChangesInProgress, CommitId, DirtyPath, Effect, StatusInProgress, WorkTree};

use crate::{Finding, RepositoryChange};

/// Questions that git is answering while other checks run. Dropped, they end their git.
#[derive(Debug, Default)]
pub struct Questions {
    tree: Option<WorkTree>,
    status: Option<StatusInProgress>,
    commits: Option<ChangesInProgress>,
    findings: Vec<Finding>,
    warnings: Vec<String>,
}

impl Questions {
    /// Asks what is dirty. Where a control file decides what git would answer and is not what the runner
    /// recorded, that is a finding, and git is not asked.
    pub fn ask(project_dir: &Path, recorded: Option<&ControlFiles>) -> Self {
        let mut questions = Self::default();
        match WorkTree::open(project_dir) {
            Ok(tree) => {
                questions.compare(&tree, recorded);
                if questions.findings.is_empty() {
                    match tree.start_status() {
                        Ok(status) => questions.status = Some(status),
                        Err(error) => questions.warnings.push(error.to_string()),
                    }
                    questions.tree = Some(tree);
                }
            }
            Err(error) => {
                questions.warnings.push(format!("uncommitted changes are not checked: {error}"));
            }
        }
        questions
    }

    fn compare(&mut self, tree: &WorkTree, recorded: Option<&ControlFiles>) {
        let Some(recorded) = recorded else { return };
        let record = match serde_json::from_str(recorded.json()) {
            Ok(record) => record,
            Err(error) => {
                self.warnings.push(format!("control files of git are not compared: {error}"));
                return;
            }
        };
        let changes = match tree.control_changes_since(&record) {
            Ok(changes) => changes,
            Err(error) => {
                let name = format!("(unreadable: {error})");
                let change = RepositoryChange::ControlFile { name };
                self.findings.push(Finding::Repository(change));
                return;
            }
        };
        for change in changes {
            let name = change.name;
            match change.effect {
                Effect::DecidesContent => {
                    let change = RepositoryChange::ControlFile { name };
                    self.findings.push(Finding::Repository(change));
                }
                Effect::Executes => self.warnings.push(format!("{name} changed")),
            }
        }
    }

    /// For a runner that has seen to it that nothing is dirty: only commits can say more.
    pub fn about_commits(tree: &WorkTree) -> Self {
        Self { tree: Some(tree.clone()), ..Self::default() }
    }

    /// In a review, asks also what was committed since it began.
    pub fn ask_about(mut self, marker: &Marker) -> Self {
        if let (Some(tree), Some(checkpoint)) = (&self.tree, &marker.checkpoint)
            && is_review(marker)
        {
            let commit = CommitId::new(checkpoint).map_err(|error| error.to_string());
            let asked = commit
                .and_then(|id| tree.start_changes_since(&id).map_err(|error| error.to_string()));
            match asked {
                Ok(commits) => self.commits = Some(commits),
                Err(error) => {
                    self.warnings.push(format!("the checkpoint cannot be compared: {error}"));
                }
            }
        }
        self
    }

    /// What follows from the answers that are there by the deadline.
    pub fn findings(
        mut self,
        layout: &Layout,
        marker: &Marker,
        deadline: Instant,
        warnings: &mut Vec<String>,
    ) -> Vec<Finding> {
        warnings.append(&mut self.warnings);
        let mut findings = std::mem::take(&mut self.findings);
        let mut failed = |error: vcs::VcsError| warnings.push(error.to_string());
        let commits = self.commits.map(|commits| commits.finish(deadline));
        let commits = commits.transpose().map_err(&mut failed).ok().flatten().unwrap_or_default();
        let dirty = self.status.map(|status| status.finish(deadline));
        let mut dirty = dirty.transpose().map_err(&mut failed).ok().flatten().unwrap_or_default();

        let before = DirtyBefore::of(marker);
        dirty.retain(|dirty| !layout.is_runtime(&dirty.path) && !before.contains(&dirty.path));
        if is_review(marker) {
            findings.extend(review_findings(dirty, commits, layout));
        } else {
            findings.extend(dirty.into_iter().map(Finding::Uncommitted));
        }
        findings
    }
}

fn is_review(marker: &Marker) -> bool {
    let reviewed = matches!(marker.review, ReviewPolicy::Required { .. });
    reviewed && marker.iteration_mode == Some(Mode::Review)
}

/// What was dirty before the run began: files by name, folders by a `/` at the end.
struct DirtyBefore<'a> {
    files: BTreeSet<&'a str>,
    folders: Vec<&'a str>,
}

impl<'a> DirtyBefore<'a> {
    fn of(marker: &'a Marker) -> Self {
        let entries = marker.dirty_before.iter().map(String::as_str);
        let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|entry| entry.ends_with('/'));
        Self { files: files.into_iter().collect(), folders }
    }

    fn contains(&self, path: &str) -> bool {
        self.files.contains(path) || self.folders.iter().any(|folder| path.starts_with(folder))
    }
}

/// A review judges, it does not fix: what it may not touch is to be undone, the rest committed.
fn review_findings(dirty: Vec<DirtyPath>, commits: Vec<String>, layout: &Layout) -> Vec<Finding> {
    let scope = layout.review_scope();
    let (inside, outside): (Vec<_>, Vec<_>) =
        dirty.into_iter().partition(|dirty| scope.contains(&dirty.path));
    let commits =
        commits.into_iter().filter(|path| !layout.is_runtime(path) && !scope.contains(path));
    // A path may be committed and dirty again.
    let outside: BTreeSet<String> =
        outside.into_iter().map(|dirty| dirty.path).chain(commits).collect();
    let outside = outside.into_iter().map(|path| Finding::OutsideReview { path });
    outside.chain(inside.into_iter().map(Finding::Uncommitted)).collect()
}
