//! Questions to git about the iteration: uncommitted work, a session that changed other files than it may. Git only runs after its
//! control files were compared with the runner's record.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use project::{ControlFiles, Layout, Marker, ReviewScope};
use proof::{PathPatterns, test_path_patterns};
use tasks::{Mode, ReviewPolicy};
use vcs::{ChangesInProgress, CommitId, DirtyPath, Effect, StatusInProgress, WorkTree};

use crate::{Finding, RepositoryChange};

/// Questions that git answers while other checks run. Dropping them ends git.
#[derive(Debug, Default)]
pub struct GitQuestions {
    tree: Option<WorkTree>,
    status: Option<StatusInProgress>,
    commits: Option<ChangesInProgress>,
    findings: Vec<Finding>,
    warnings: Vec<String>,
}

impl GitQuestions {
    /// Asks what is dirty. If a control file that affects the answer differs from the runner's record, that is a
    /// finding, and git is not called.
    pub fn ask(project_dir: &Path, recorded: Option<&ControlFiles>) -> Self {
        let mut questions = Self::default();
        questions.start(project_dir, recorded).unwrap_or_else(|why| questions.warnings.push(why));
        questions
    }

    /// The error is a warning.
    fn start(&mut self, dir: &Path, recorded: Option<&ControlFiles>) -> Result<(), String> {
        let tree = WorkTree::open(dir)
            .map_err(|error| format!("uncommitted changes were not checked: {error}"))?;
        self.compare(&tree, recorded).unwrap_or_else(|why| self.warnings.push(why));
        if self.findings.is_empty() {
            let status = tree.start_status();
            self.tree = Some(tree);
            self.status = Some(status.map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    fn compare(&mut self, tree: &WorkTree, recorded: Option<&ControlFiles>) -> Result<(), String> {
        let Some(recorded) = recorded else { return Ok(()) };
        let record = serde_json::from_str(recorded.json())
            .map_err(|error| format!("git's control files were not compared: {error}"))?;
        let control_file = |name| Finding::Repository(RepositoryChange::ControlFile { name });
        match tree.control_changes_since(&record) {
            Err(error) => self.findings.push(control_file(format!("(unreadable: {error})"))),
            Ok(changes) => {
                for change in changes {
                    match change.effect {
                        Effect::DecidesContent => self.findings.push(control_file(change.name)),
                        Effect::Executes => self.warnings.push(format!("{} changed", change.name)),
                    }
                }
            }
        }
        Ok(())
    }

    /// For a runner that has made sure that nothing is dirty: only commits are left to check.
    pub fn about_commits(tree: &WorkTree) -> Self {
        Self { tree: Some(tree.clone()), ..Self::default() }
    }

    /// In an iteration that may change few files, also asks what was committed since it began.
    pub fn ask_about(mut self, marker: &Marker) -> Self {
        if let (Some(tree), Some(checkpoint)) = (&self.tree, &marker.checkpoint)
            && Limit::applies(marker)
        {
            let commit = CommitId::new(checkpoint).map_err(|error| error.to_string());
            let asked = commit
                .and_then(|id| tree.start_changes_since(&id).map_err(|error| error.to_string()));
            let warning = |why| format!("the changes since the checkpoint were not checked: {why}");
            self.warnings.extend(asked.as_ref().err().map(warning));
            self.commits = asked.ok();
        }
        self
    }

    /// The findings from the answers that arrive before the deadline.
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
        match Limit::of(marker, layout) {
            Some(limit) => findings.extend(limit.findings(dirty, commits, layout)),
            None => findings.extend(dirty.into_iter().map(Finding::Uncommitted)),
        }
        findings
    }
}

/// What an iteration may change.
enum Limit {
    /// It judges, it does not fix.
    Review(ReviewScope),
    /// It writes tests.
    Specify { tests: PathPatterns, own: Vec<String> },
}

impl Limit {
    fn applies(marker: &Marker) -> bool {
        match marker.iteration_mode {
            Some(Mode::Review) => matches!(marker.review, ReviewPolicy::Required { .. }),
            mode => mode == Some(Mode::Specify),
        }
    }

    /// `None` if it may change any file.
    fn of(marker: &Marker, layout: &Layout) -> Option<Self> {
        if !Self::applies(marker) {
            return None;
        }
        if marker.iteration_mode == Some(Mode::Review) {
            return Some(Self::Review(layout.review_scope()));
        }
        let known = || test_path_patterns(&[]);
        let patterns = marker.test_paths.clone().unwrap_or_else(known);
        // Invalid patterns match nothing.
        let tests = PathPatterns::new(&patterns).unwrap_or_default();
        let own = marker.story_id.as_ref().map(|story| layout.specify_scope(story));
        Some(Self::Specify { tests, own: own.unwrap_or_default() })
    }

    fn contains(&self, path: &str) -> bool {
        match self {
            Self::Review(scope) => scope.contains(path),
            Self::Specify { tests, own } => tests.matches(path) || own.iter().any(|it| it == path),
        }
    }

    /// Forbidden changes must be reverted, the others committed.
    fn findings(
        &self,
        dirty: Vec<DirtyPath>,
        commits: Vec<String>,
        layout: &Layout,
    ) -> Vec<Finding> {
        let (inside, outside): (Vec<_>, Vec<_>) =
            dirty.into_iter().partition(|dirty| self.contains(&dirty.path));
        let commits =
            commits.into_iter().filter(|path| !layout.is_runtime(path) && !self.contains(path));
        // A path may be committed and dirty again.
        let outside: BTreeSet<String> =
            outside.into_iter().map(|dirty| dirty.path).chain(commits).collect();
        let outside = outside.into_iter().map(|path| match self {
            Self::Review(_) => Finding::OutsideReview { path },
            Self::Specify { .. } => Finding::OutsideTests { path },
        });
        outside.chain(inside.into_iter().map(Finding::Uncommitted)).collect()
    }
}

/// What was dirty before the run began: files by name, folders with a trailing `/`.
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
