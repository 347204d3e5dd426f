//! Plans how a story is given up, before anything is changed: the reported outcome, the commit of its failure
//! branch and the new tip of the run's branch.

use events::{ChecksWithout, Gate, GiveUpReason, GivenUp, StoryCommits, Stuck};
use tasks::{ReviewFields, StoryId};
use vcs::{CommitId, CommitRange, MergeConflict, MergeResult};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::failure_branch;
use crate::coordinator::state::{GivingUp, KeptWork};
use crate::lane::attempt::repeats;
use crate::lane::{OwnCommits, TaskText, strategy_shifts};
use crate::run_files::deadline;

impl Coordinator<'_> {
    pub(super) fn plan_giving_up(
        &mut self,
        story: &StoryId,
        reason: GiveUpReason,
    ) -> Result<GivingUp, RunError> {
        let expected = self.expected_tasks()?;
        let tasks = self.list_as_before_story(&expected, story)?;
        let mut outcome = self.outcome(story, reason, &expected);
        let kept = self.plan_kept_work(story, &mut outcome, &tasks)?;
        if self.options.run.lane.is_some() {
            // Only the clone's branch had its commits.
            outcome.commits = StoryCommits::Nothing;
        }
        Ok(GivingUp { story: story.clone(), outcome, kept })
    }

    /// Resets the story's review fields to their values before its work, because that work is reverted.
    pub(super) fn list_as_before_story(
        &self,
        expected: &TaskText,
        story: &StoryId,
    ) -> Result<String, RunError> {
        let record = self.state.stories.get(story);
        let began_as = record.and_then(|record| record.began_as.as_ref());
        let (Some(began_as), Some(_)) = (began_as, expected.list.story(story)) else {
            return Ok(expected.text.clone());
        };
        let fields: ReviewFields = began_as.fields();
        tasks::with_review_fields(&expected.text, story, &fields)
            .map_err(|error| RunError::Precondition { what: error.to_string(), hint: None })
    }

    fn outcome(&self, story: &StoryId, reason: GiveUpReason, expected: &TaskText) -> GivenUp {
        let attempts = self.state.attempts(story);
        let last = attempts.last();
        let (alike, limits) = (repeats(attempts), &self.options.attempts);
        let (gate, error) = match reason {
            GiveUpReason::Skipped => (Gate::Implement, "skipped by the user"),
            _ => (Gate::SpecReview, ""),
        };
        GivenUp {
            given_up_at: events::now(),
            reason,
            attempts: attempts.len() as u64,
            of: self.options.most_attempts(),
            reviews: expected.list.story(story).map_or(0, |story| story.review_count),
            last_gate: last.map_or(gate, |last| last.gate),
            error: last.map_or_else(|| error.to_owned(), |last| last.symptom.error.clone()),
            error_hash: last.map(|last| last.symptom.hash.to_string()).unwrap_or_default(),
            stuck: if alike >= limits.stuck_after {
                Stuck::Yes { repeats: alike, strategy_shifts: strategy_shifts(attempts) }
            } else {
                Stuck::No
            },
            branch: None,
            diagnostics: None,
            commits: StoryCommits::Nothing,
            dependants: expected.list.dependants_of(story),
        }
    }

    /// Creates the commits; no ref points to them yet.
    fn plan_kept_work(
        &mut self,
        story: &StoryId,
        outcome: &mut GivenUp,
        tasks: &str,
    ) -> Result<Option<KeptWork>, RunError> {
        let (ranges, rolled_back) = (self.ranges(story)?, self.rolled_back(story)?);
        let Some(tip) = self.lane.workspace.tree.head(deadline())? else { return Ok(None) };
        let adopted = match (ranges.first(), &rolled_back) {
            (Some(first), _) => {
                let whole = CommitRange { from: first.from.clone(), to: tip.clone() };
                self.commit_without(&whole, &ranges, story, outcome, tasks)?
            }
            (None, Some(_)) => None,
            (None, None) => return Ok(None),
        };
        let last = rolled_back.as_ref().unwrap_or(&tip);
        let commit = self.commit_of_failure(last, story, outcome)?;
        Ok(Some(KeptWork {
            tip: tip.to_string(),
            commit: commit.to_string(),
            adopted: adopted.map(|commit| commit.to_string()),
            at: outcome.given_up_at.format("%Y%m%d-%H%M%S").to_string(),
        }))
    }

    /// The new tip of the run's branch; `None` if other work depends on the story's.
    fn commit_without(
        &self,
        whole: &CommitRange,
        ranges: &[CommitRange],
        story: &StoryId,
        outcome: &mut GivenUp,
        tasks: &str,
    ) -> Result<Option<CommitId>, RunError> {
        let tree = &self.lane.workspace.tree;
        let has_only_own_commits = tree.consists_of(whole, ranges, deadline())?
            && !tree.is_in_other_refs(
                whole,
                &[self.lane.workspace.baseline.branch.as_str()],
                deadline(),
            )?;
        let files = [(self.layout.tasks_name(), tasks.as_bytes().to_vec())];
        let stay = self.layout.list_paths();
        let without = match tree.tree_without(&whole.to, ranges, &stay, &files, deadline())? {
            MergeResult::Clean(without) => without,
            MergeResult::Conflict(MergeConflict { paths, .. }) => {
                outcome.commits = StoryCommits::Kept { conflicts: paths };
                return Ok(None);
            }
        };
        let parent = if has_only_own_commits { &whole.from } else { &whole.to };
        let message = failure_branch::revert_message(story, outcome);
        let commit = tree.commit_tree(&without, &[parent], &message, deadline())?;
        outcome.commits = match has_only_own_commits {
            true => StoryCommits::Rewound,
            false => {
                StoryCommits::Reverted { commit: commit.to_string(), checks: ChecksWithout::NotRun }
            }
        };
        Ok(Some(commit))
    }

    /// The commit of the failure branch: all the work, and a file with the failure's details.
    fn commit_of_failure(
        &self,
        tip: &CommitId,
        story: &StoryId,
        outcome: &mut GivenUp,
    ) -> Result<CommitId, RunError> {
        let name = failure_branch::diagnostics_name(&self.layout.ralph_dir_name(), story);
        let diagnostics = self.attempts_at(story).map(|attempts| attempts.file().into_bytes());
        outcome.diagnostics = diagnostics.as_ref().map(|_| name.clone());
        let files: Vec<_> = diagnostics.into_iter().map(|text| (name.clone(), text)).collect();
        let work_tree = &self.lane.workspace.tree;
        let tree = work_tree.tree_plus(work_tree.tree_id(tip, deadline())?, &files, deadline())?;
        let message = failure_branch::message(story, outcome, self.state.attempts(story));
        Ok(self.lane.workspace.tree.commit_tree(&tree, &[tip], &message, deadline())?)
    }

    /// The rolled back work of the last attempt, which is not on the run's branch.
    fn rolled_back(&self, story: &StoryId) -> Result<Option<CommitId>, RunError> {
        let record = self.state.stories.get(story);
        let commit = record.and_then(|record| CommitId::new(record.rolled_back.as_deref()?).ok());
        let Some(commit) = commit else { return Ok(None) };
        Ok(self.lane.workspace.tree.has_commit(&commit, deadline())?.then_some(commit))
    }

    /// The story's commit ranges that still exist.
    pub(in crate::coordinator) fn ranges(
        &self,
        story: &StoryId,
    ) -> Result<Vec<CommitRange>, RunError> {
        let record = self.state.stories.get(story);
        let work = record.map_or(&[][..], |record| &record.work);
        let mut ranges = Vec::new();
        for range in work.iter().filter_map(OwnCommits::range) {
            let exists = self.lane.workspace.tree.has_commit(&range.from, deadline())?
                && self.lane.workspace.tree.has_commit(&range.to, deadline())?;
            ranges.extend(exists.then_some(range));
        }
        Ok(ranges)
    }
}
