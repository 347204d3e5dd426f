//! Checks the project after the work of a given-up story was reverted, because approved stories may depend on it.
//! The result is reported and blocks nothing.

use std::time::Instant;

use events::{ChecksWithout, StoryCommits};
use tasks::{Story, StoryId, TaskList};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::failure_branch;
use crate::coordinator::state::GivingUp;
use crate::lane::{ChecksResult, OwnCommits, TaskText};
use crate::run_files::{self, deadline};

impl Coordinator<'_> {
    /// Runs on the tree of the revert commit with `tasks` as the list. Does nothing if the run is stopped or its
    /// time is over.
    pub(super) fn check_after_revert(
        &mut self,
        plan: &mut GivingUp,
        tasks: &str,
    ) -> Result<(), RunError> {
        let StoryCommits::Reverted { checks, .. } = &mut plan.outcome.commits else {
            return Ok(());
        };
        let Ok(list) = TaskText::parse(tasks.as_bytes()) else { return Ok(()) };
        let checks_of_list = self.lane.check_plan(&list.list, None, self.state.known_failures());
        let is_ending =
            self.control.switch.requested().is_some() || self.control.clock.is_over(Instant::now());
        if checks_of_list.guardrails.is_empty() || is_ending {
            return Ok(());
        }
        // Uncommitted changes are reverted after a check, and the user may have edited the list.
        let message = format!("ralph: give up {}", plan.story);
        self.lane.workspace.commit_own(&[self.layout.tasks_name()], &message)?;
        let name = format!("set-aside-{}", failure_branch::safe(&plan.story));
        let folder = self.layout.run_dir(&self.state.run_id).join(name);
        run_files::make_folder(&folder, self.layout)?;
        *checks = match self
            .lane
            .run_checks(&mut self.control, None, &checks_of_list, tasks, &folder)?
            .result
        {
            ChecksResult::Passed => ChecksWithout::Passed,
            ChecksResult::Interrupted => ChecksWithout::NotRun,
            ChecksResult::ForbiddenChanges(findings) => {
                self.control.sink.warn(findings.join("; "));
                ChecksWithout::NotRun
            }
            ChecksResult::Failed(failed) => match failed.into_iter().next() {
                Some(failed) => ChecksWithout::Failed {
                    error: failed.symptom.map_or(failed.how, |symptom| symptom.error),
                    command: failed.command,
                    approved: self.approved_since(&plan.story, &list.list),
                },
                None => ChecksWithout::NotRun,
            },
        };
        // A runner that has to finish this writes the same to progress.txt.
        self.lane_state.giving_up = Some(plan.clone());
        self.save()?;
        Ok(())
    }

    /// Passing stories of this run that were not done yet when `story` began. Uncertain ones are included.
    fn approved_since(&self, story: &StoryId, list: &TaskList) -> Vec<StoryId> {
        let work = |id: &StoryId| self.state.stories.get(id).map_or(&[][..], |record| &record.work);
        let Some(began) = work(story).first().and_then(OwnCommits::range) else {
            return Vec::new();
        };
        let is_since = |passing: &&Story| {
            let last = work(&passing.id).last().and_then(OwnCommits::range);
            last.is_some_and(|last| {
                !self
                    .lane
                    .workspace
                    .tree
                    .is_ancestor(&last.to, &began.from, deadline())
                    .unwrap_or(false)
            })
        };
        let passing = list.stories.iter().filter(|story| story.passes);
        passing.filter(is_since).map(|story| story.id.clone()).collect()
    }
}
