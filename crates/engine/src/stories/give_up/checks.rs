//! Whether the project still works once a story was undone by a commit: approved stories may rest on
//! what it had. It is told, and blocks nothing.

use std::time::Instant;

use tasks::{Story, StoryId, TaskList};

use super::GivingUp;
use crate::options::Guardrail;
use crate::run_files::{self, deadline};
use crate::stories::failure_branch;
use crate::stories::gates::Gates;
use crate::stories::run::Run;
use crate::stories::story_record::OwnCommits;
use crate::stories::task_text::TaskText;
use crate::{ChecksWithout, RunError, StoryCommits};

impl Run<'_> {
    /// On the tree as the undoing commit left it, with `tasks` as the list. A stop, or the end of the
    /// run's time, leaves it unsaid.
    pub(super) fn check_without(
        &mut self,
        plan: &mut GivingUp,
        tasks: &str,
    ) -> Result<(), RunError> {
        let StoryCommits::Reverted { checks, .. } = &mut plan.outcome.commits else {
            return Ok(());
        };
        let Ok(list) = TaskText::parse(tasks.as_bytes()) else { return Ok(()) };
        let of_list = list.list.verify_commands.iter().map(Guardrail::of_command);
        let guardrails: Vec<Guardrail> =
            of_list.chain(self.options.run.guardrails.iter().cloned()).collect();
        let is_ending = self.switch.heard().is_some() || self.clock.is_over(Instant::now());
        if guardrails.is_empty() || is_ending {
            return Ok(());
        }
        // What is not committed is put back after a check, and the user may have edited the list.
        let message = format!("ralph: set aside {}", plan.story);
        self.commit_own(&[self.layout.tasks_name()], &message)?;
        let name = format!("set-aside-{}", failure_branch::safe(&plan.story));
        let folder = self.layout.run_dir(&self.state.run_id).join(name);
        run_files::make_folder(&folder, self.layout)?;
        *checks = match self.gates(&guardrails, tasks, &folder)?.gates {
            Gates::Passed => ChecksWithout::Passed,
            Gates::Interrupted => ChecksWithout::NotRun,
            Gates::Meddled(findings) => {
                self.sink.warn(findings.join("; "));
                ChecksWithout::NotRun
            }
            Gates::Failed(failed) => match failed.into_iter().next() {
                Some(failed) => ChecksWithout::Failed {
                    error: failed.symptom.map_or(failed.how, |symptom| symptom.error),
                    command: failed.command,
                    approved: self.approved_since(&plan.story, &list.list),
                },
                None => ChecksWithout::NotRun,
            },
        };
        // What progress.txt is going to say is said again by whoever has to finish this.
        self.state.giving_up = Some(plan.clone());
        self.state.save(self.layout)?;
        Ok(())
    }

    /// Stories of this run that pass and were not done yet when `story` began. One of which that cannot
    /// be told may be one.
    fn approved_since(&self, story: &StoryId, list: &TaskList) -> Vec<StoryId> {
        let work = |id: &StoryId| self.state.stories.get(id).map_or(&[][..], |record| &record.work);
        let Some(began) = work(story).first().and_then(OwnCommits::stretch) else {
            return Vec::new();
        };
        let is_since = |passing: &&Story| {
            let last = work(&passing.id).last().and_then(OwnCommits::stretch);
            last.is_some_and(|last| {
                !self.tree.is_ancestor(&last.to, &began.from, deadline()).unwrap_or(false)
            })
        };
        let passing = list.stories.iter().filter(|story| story.passes);
        passing.filter(is_since).map(|story| story.id.clone()).collect()
    }
}
