//! A run in one clone: leads each story from the run's branch through the clone and back.

use events::{Gate, LoopEvent, RunEnd};
use tasks::{Mode, Scope, StoryId};
use vcs::{CommitId, TreeId};

use crate::RunError;
use crate::control::{
    Counters, IterationAttempt, IterationResult, NextWork, RunControl, UserInstructions,
};
use crate::coordinator::{Coordinator, SeparateState};
use crate::drive::{ClosingReport, Drivable};
use crate::lane::{Assignment, ChecksResult, Evidence, IterationFailure, OwnCommits, StoryWork};
use crate::parallel::feedback;
use crate::parallel::integration::{ApprovedWork, Integration, Merged};
use crate::parallel::verification::Verification;
use crate::run_files::{deadline, no_commit};

pub(crate) struct SeparateRun<'a> {
    /// Works in the clone.
    pub(crate) coordinator: Coordinator<'a>,
    pub(crate) integration: Integration<'a>,
    pub(crate) verification: Verification<'a>,
}

enum IntegrationEnd {
    Merged,
    Reopened,
    /// The user stopped the run.
    Interrupted,
}

impl<'a> Drivable<'a> for SeparateRun<'a> {
    type Work = StoryWork;

    fn control(&mut self) -> &mut RunControl<'a> {
        &mut self.coordinator.control
    }

    fn counters(&mut self) -> &mut Counters {
        self.coordinator.counters()
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        self.coordinator.instructions()
    }

    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError> {
        self.coordinator.skip(story)
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        self.coordinator.apply_orders_while_waiting()
    }

    fn save(&mut self) -> Result<(), RunError> {
        self.coordinator.save()
    }

    fn end(&mut self, end: RunEnd) -> Result<(), RunError> {
        if let Err(error) = self.keep_open_work() {
            self.coordinator.control.sink.warn(error.to_string());
        }
        self.coordinator.end(end)
    }

    fn closing(&mut self, end: RunEnd) -> ClosingReport {
        self.coordinator.closing(end)
    }

    fn is_unjudged(&self) -> bool {
        self.coordinator.is_unjudged()
    }

    fn find_work(&mut self) -> Result<NextWork<StoryWork>, RunError> {
        loop {
            let found = self.coordinator.find_work()?;
            match (found, self.place()?.story.clone()) {
                (NextWork::Work(work), None) => {
                    self.publish_lists()?;
                    self.begin_story(&work.story)?;
                    return Ok(NextWork::Work(work));
                }
                (NextWork::Complete, Some(story)) => {
                    if let IntegrationEnd::Interrupted = self.integrate(&story)? {
                        // Not executed: the run stops first.
                        return Ok(NextWork::Work(StoryWork { mode: Mode::Review, story }));
                    }
                }
                (NextWork::Failed | NextWork::Blocked, Some(story)) => {
                    self.keep_failure_branch(&story)?;
                    self.publish_lists()?;
                    self.leave_story()?;
                }
                (found, None) => {
                    self.publish_lists()?;
                    return Ok(found);
                }
                (found, Some(_)) => return Ok(found),
            }
        }
    }

    fn iterate(
        &mut self,
        attempt: IterationAttempt,
        work: StoryWork,
    ) -> Result<IterationResult, RunError> {
        self.coordinator.iterate(attempt, work)
    }
}

impl SeparateRun<'_> {
    fn place(&mut self) -> Result<&mut SeparateState, RunError> {
        let place = self.coordinator.state.separate.as_mut();
        place.ok_or_else(|| RunError::Precondition {
            what: "the state of the run does not name its clone".into(),
            hint: None,
        })
    }

    fn begin_story(&mut self, story: &StoryId) -> Result<(), RunError> {
        self.place()?.story = Some(story.clone());
        self.coordinator.state.scope = Scope::of(story.clone());
        self.coordinator.save()
    }

    /// The next story is selected from those of the whole run.
    fn leave_story(&mut self) -> Result<(), RunError> {
        let place = self.place()?;
        place.story = None;
        self.coordinator.state.scope = place.scope.clone();
        self.coordinator.save()
    }

    fn start(&mut self) -> Result<CommitId, RunError> {
        let start = &self.place()?.start;
        CommitId::new(start).map_err(|error| RunError::Precondition {
            what: format!("the state of the run is invalid: {error}"),
            hint: None,
        })
    }

    /// The commit of the story that was judged last.
    fn judged_work(&mut self, story: &StoryId) -> Result<ApprovedWork, RunError> {
        let record = self.coordinator.state.stories.get(story);
        let judged = record.and_then(|record| CommitId::new(&record.work.last()?.to).ok());
        let commit = match judged {
            Some(commit) => commit,
            None => self.head()?,
        };
        Ok(ApprovedWork { story: story.clone(), commit, start: self.start()? })
    }

    fn head(&self) -> Result<CommitId, RunError> {
        self.coordinator.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)
    }

    fn integrate(&mut self, story: &StoryId) -> Result<IntegrationEnd, RunError> {
        let work = self.judged_work(story)?;
        loop {
            let tip = self.integration.tip()?;
            if self.integration.is_merged(&work, &tip)? {
                self.merged(&work, &tip)?;
                return Ok(IntegrationEnd::Merged);
            }
            self.fetch(&work.commit, &self.kept_as(story))?;
            let (commit, list) = match self.integration.merge(&tip, &work)? {
                Merged::Clean { commit, list } => (commit, list),
                Merged::Conflict { feedback, files } => {
                    self.reopen(&tip, &work, files, &feedback)?;
                    return Ok(IntegrationEnd::Reopened);
                }
            };
            let run_dir = self.coordinator.layout.run_dir(&self.coordinator.state.run_id);
            let folder = run_dir.join(format!("merge-{story}"));
            let feedback = match self.verification.check(story, &commit, &list, &folder)? {
                ChecksResult::Passed if self.integration.advance(&tip, &commit)? => {
                    self.merged(&work, &commit)?;
                    return Ok(IntegrationEnd::Merged);
                }
                // Another process moved the branch.
                ChecksResult::Passed => continue,
                ChecksResult::Interrupted => return Ok(IntegrationEnd::Interrupted),
                ChecksResult::Failed(failed) => {
                    feedback::about_checks(&self.integration.branch, &failed)
                }
                ChecksResult::ForbiddenChanges(findings) => findings.join("\n"),
            };
            let files = self.integration.tree.tree_id(&commit, deadline())?;
            self.reopen(&tip, &work, files, &feedback)?;
            return Ok(IntegrationEnd::Reopened);
        }
    }

    /// The run's branch has the work at `tip`: the clone goes on from there.
    fn merged(&mut self, work: &ApprovedWork, tip: &CommitId) -> Result<(), RunError> {
        let event = LoopEvent::StoryMerged {
            story: work.story.clone(),
            branch: self.integration.branch.clone(),
            commit: tip.to_string(),
        };
        self.coordinator.control.sink.emit(event);
        // Its own ref is needed no longer: the branch contains every commit of the work.
        self.integration.tree.remove_ref(&self.kept_as(&work.story), deadline())?;
        self.reset_clone(tip)?;
        self.leave_story()
    }

    /// Opens the story again, with the run's branch merged into its work.
    fn reopen(
        &mut self,
        tip: &CommitId,
        work: &ApprovedWork,
        files: TreeId,
        feedback: &str,
    ) -> Result<(), RunError> {
        let reopened = self.integration.reopened(tip, work, files, feedback)?;
        let kept = self.kept_as(&work.story);
        self.integration.tree.set_reference(&kept, &reopened, deadline())?;
        self.reset_clone(&reopened)?;
        self.place()?.start = tip.to_string();
        let story = &work.story;
        let record = self.coordinator.state.story(story);
        // The next review sees the changes since the run's branch.
        record.began_at = Some(tip.to_string());
        record.work = vec![OwnCommits { from: tip.to_string(), to: reopened.to_string() }];
        let iteration = self.coordinator.state.counters.iterations;
        let assignment =
            Assignment { iteration, attempt: 1, mode: Mode::Review, story: story.clone() };
        let evidence = Evidence::from_text(Gate::Merge, feedback);
        self.coordinator.record_attempt(&assignment, evidence, Vec::new());
        let failure = IterationFailure { other: Some(feedback.to_owned()), ..Default::default() };
        self.coordinator.record_failure(&assignment, failure)
    }

    /// Moves the clone to `commit`. Ignored files stay, such as installed dependencies.
    fn reset_clone(&mut self, commit: &CommitId) -> Result<(), RunError> {
        let workspace = &mut self.coordinator.lane.workspace;
        workspace.tree.start_branch(&self.integration.branch, commit, deadline())?;
        workspace.record_users_files()?;
        self.coordinator.judged = None;
        self.coordinator.expected_tasks()?;
        self.place()?.start = commit.to_string();
        Ok(())
    }

    /// Adds lists that the runner changed in the clone, without a story, to the run's branch.
    fn publish_lists(&mut self) -> Result<(), RunError> {
        let (head, start) = (self.head()?, self.start()?);
        if head == start {
            return Ok(());
        }
        let tip = self.integration.tip()?;
        let lists = self.clone_lists()?;
        let commit = self.integration.with_lists_of(&tip, &start, lists)?;
        if commit != tip && !self.integration.advance(&tip, &commit)? {
            return self.publish_lists();
        }
        self.reset_clone(&commit)
    }

    fn clone_lists(&mut self) -> Result<(String, Option<String>), RunError> {
        let list = self.coordinator.expected_tasks()?.text.clone();
        let layout = self.coordinator.layout;
        let notes = layout.ralph_dir().join("progress.txt");
        let notes = bounded_read::read_file(&notes, project::LARGEST_TASK_LIST).ok();
        Ok((list, notes.map(|notes| String::from_utf8_lossy(&notes).into_owned())))
    }

    fn keep_failure_branch(&mut self, story: &StoryId) -> Result<(), RunError> {
        let given_up = self.coordinator.state.stories.get(story);
        let branch = given_up.and_then(|record| record.given_up.as_ref()?.branch.clone());
        let Some(branch) = branch else { return Ok(()) };
        let clone = &self.coordinator.lane.workspace.tree;
        let Some(commit) = clone.branch_tip(&branch, deadline())? else { return Ok(()) };
        let (top, to) = (clone.top(), format!("refs/heads/{branch}"));
        Ok(self.integration.tree.fetch_branch(top, &branch, &commit, &to, deadline())?)
    }

    /// The clone may be removed after the run: its work has a ref in the project.
    fn keep_open_work(&mut self) -> Result<(), RunError> {
        let Some(story) = self.place()?.story.clone() else { return Ok(()) };
        let head = self.head()?;
        self.fetch(&head, &self.kept_as(&story))
    }

    fn fetch(&self, commit: &CommitId, to: &str) -> Result<(), RunError> {
        let top = self.coordinator.lane.workspace.tree.top();
        let branch = &self.integration.branch;
        Ok(self.integration.tree.fetch_branch(top, branch, commit, to, deadline())?)
    }

    fn kept_as(&self, story: &StoryId) -> String {
        format!("refs/ralph/{}/{story}", self.coordinator.state.run_id)
    }
}
