//! Ties the commits of the run's branch to stories: by the events of its runs, else by their subjects.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use events::{IterationEnded, LoopEvent, run_logs};
use project::Layout;
use tasks::{StoryId, TaskList};
use vcs::{Changing, CommitId, LoggedCommit, WorkTree};

use super::attribution::{WorkHistory, names};
use super::branch_tasks::{BranchTasks, deadline};

/// Commits of a file, and of the answer to a thread.
const MOST_COMMITS: usize = 200;

#[derive(Debug)]
pub(super) struct History<'b> {
    tree: &'b WorkTree,
    tip: &'b CommitId,
    list: &'b TaskList,
    /// Where the branch began, if known.
    base: Option<CommitId>,
    /// Commit and story of each iteration, oldest first.
    iterations: Vec<(CommitId, StoryId)>,
    /// Latest first.
    approved: Vec<StoryId>,
    approved_at: BTreeMap<StoryId, DateTime<Utc>>,
}

impl<'b> History<'b> {
    /// `base` is a branch of the remote.
    pub(super) fn read(
        layout: &Layout,
        tasks: &'b BranchTasks,
        remote: &str,
        base: &str,
    ) -> Result<Self> {
        let (tree, tip) = (&tasks.tree, &tasks.tip);
        let mut history = Self {
            tree,
            tip,
            list: &tasks.list,
            base: merge_base(tree, tip, remote, base)?,
            iterations: Vec::new(),
            approved: Vec::new(),
            approved_at: BTreeMap::new(),
        };
        let runs = run_logs::ids(layout).context("cannot read the runs")?;
        let mut approvals: Vec<(DateTime<Utc>, StoryId)> = Vec::new();
        for run in runs.iter().rev() {
            let mut is_of_branch = false;
            let read = run_logs::read(layout, run, |stamped| match stamped.event {
                LoopEvent::RunStarted { start, .. } => is_of_branch = start.branch == tasks.branch,
                LoopEvent::IterationEnded(IterationEnded {
                    story: Some(story),
                    commit: Some(commit),
                    ..
                }) if is_of_branch => {
                    let commit = CommitId::new(&commit).ok();
                    history.iterations.extend(commit.map(|commit| (commit, story)));
                }
                LoopEvent::StoryStatusChanged { story, passes: true, .. } if is_of_branch => {
                    approvals.push((stamped.at, story));
                }
                _ => {}
            });
            read.with_context(|| format!("cannot read the events of run {run}"))?;
        }
        approvals.sort();
        history.approved = approvals.iter().rev().map(|(_, story)| story.clone()).collect();
        history.approved_at = approvals.into_iter().map(|(at, story)| (story, at)).collect();
        Ok(history)
    }

    /// Whether a run approved the story after this time.
    pub(super) fn was_approved_since(&self, story: &StoryId, at: DateTime<Utc>) -> bool {
        self.approved_at.get(story).is_some_and(|approved| *approved > at)
    }

    /// The commits of the story since a commit, newest first; only those that changed `path`, if there are any.
    pub(super) fn fixes(
        &self,
        story: &StoryId,
        since: &CommitId,
        path: Option<&str>,
        ralph_dir: &str,
    ) -> Result<Vec<LoggedCommit>> {
        if !self.is_in_branch(since) {
            return Ok(Vec::new());
        }
        let of_path = path.map(Changing::Path);
        for changing in of_path.into_iter().chain([Changing::NotOnly(ralph_dir)]) {
            let range = (Some(since), self.tip);
            let mut commits =
                self.tree.commits_between(range, changing, MOST_COMMITS, deadline())?;
            commits.retain(|commit| self.story_of(commit).as_ref() == Some(story));
            if !commits.is_empty() {
                return Ok(commits);
            }
        }
        Ok(Vec::new())
    }

    fn is_in_branch(&self, commit: &CommitId) -> bool {
        self.tree.is_ancestor(commit, self.tip, deadline()).unwrap_or(false)
    }

    /// The first iteration that ended with the commit made it.
    fn story_of(&self, commit: &LoggedCommit) -> Option<StoryId> {
        let has = |end: &CommitId| self.tree.is_ancestor(&commit.id, end, deadline());
        let made = self.iterations.iter().find(|(end, _)| has(end).unwrap_or(false));
        let named = || {
            let stories = self.list.stories.iter().map(|story| &story.id);
            stories
                .filter(|id| names(&commit.subject, id.as_str()))
                .max_by_key(|id| id.as_str().len())
        };
        made.map(|(_, story)| story).or_else(named).cloned()
    }
}

impl WorkHistory for History<'_> {
    fn stories_of(&self, path: &str) -> Result<Vec<StoryId>> {
        let range = (self.base.as_ref(), self.tip);
        let changing = Changing::Path(path);
        let commits = self.tree.commits_between(range, changing, MOST_COMMITS, deadline())?;
        Ok(commits.iter().filter_map(|commit| self.story_of(commit)).collect())
    }

    fn approved(&self) -> &[StoryId] {
        &self.approved
    }
}

fn merge_base(
    tree: &WorkTree,
    tip: &CommitId,
    remote: &str,
    base: &str,
) -> Result<Option<CommitId>> {
    for name in [format!("refs/remotes/{remote}/{base}"), format!("refs/heads/{base}")] {
        // A name from the forge may be none that git accepts.
        let commit = tree.rev_parse(&format!("{name}^{{commit}}"), deadline()).ok().flatten();
        if let Some(commit) = commit {
            return Ok(tree.merge_base(&commit, tip, deadline())?);
        }
    }
    Ok(None)
}
