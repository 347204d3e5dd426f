//! Keeps the checks known that fail without the run's work, for a run in the user's work tree: they run before the first
//! story, and again before a story that starts from a commit of another program.
//!
//! They never run on work that was not accepted: a session could break a check to have its failures excused.

use events::{LoopEvent, StoryCommits};
use run_options::BaseChecks;

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::state::CheckedBase;
use crate::run_files::{self, deadline, no_commit};

impl Coordinator<'_> {
    /// Before an iteration.
    pub(crate) fn check_new_base(&mut self) -> Result<(), RunError> {
        if self.options.base_checks == BaseChecks::Off || self.options.run.lane.is_some() {
            return Ok(());
        }
        let head = self.head()?;
        let is_own = |base: &CheckedBase| base.commit.as_ref().is_none_or(|own| *own == head);
        let is_known = self.base_is_checked && self.state.checked_base.as_ref().is_some_and(is_own);
        if is_known {
            return Ok(());
        }
        if self.has_unaccepted_work()? {
            self.repeat_known_failures(head);
            return Ok(());
        }
        let list = self.expected_tasks()?;
        // A check starts from committed files.
        self.lane
            .workspace
            .commit_own(&[self.layout.tasks_name()], "ralph: update the task list")?;
        let folder = self.layout.run_dir(&self.state.run_id).join(format!("base-{}", &head[..12]));
        run_files::make_folder(&folder, self.layout)?;
        let Some(known) = self.lane.check_base(&mut self.control, &list, &folder)? else {
            return Ok(());
        };
        self.base_is_checked = true;
        let failures = known.list();
        self.state.checked_base = Some(CheckedBase { commit: Some(self.head()?), known });
        self.save()?;
        if self.options.base_checks == BaseChecks::Require && !failures.is_empty() {
            return Err(RunError::base_fails(&failures));
        }
        Ok(())
    }

    /// A resumed run tells the user again what it does not hold against a story.
    fn repeat_known_failures(&mut self, commit: String) {
        let failures = self.state.known_failures().list();
        if !std::mem::replace(&mut self.base_is_checked, true) && !failures.is_empty() {
            let checks = failures.len() as u64;
            self.control.sink.emit(LoopEvent::BaseChecked { commit, checks, failures });
        }
    }

    /// Does something that may move the branch. If the run left the commit before, it leaves the one afterwards too.
    pub(crate) fn moving_base<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        let Some(commit) = self.state.checked_base.as_ref().map(|base| base.commit.clone()) else {
            return act(self);
        };
        if commit.is_some() && commit != Some(self.head()?) {
            return act(self);
        }
        self.leave_base(None);
        let done = act(self);
        let head = self.head()?;
        self.leave_base(Some(head));
        done
    }

    fn leave_base(&mut self, commit: Option<String>) {
        if let Some(base) = &mut self.state.checked_base {
            base.commit = commit;
        }
    }

    /// The story is done: what its checks fixed may not fail again.
    pub(crate) fn credit(&mut self, story: &tasks::StoryId, passed: &[String]) {
        let Some(base) = &mut self.state.checked_base else { return };
        for command in base.known.remove_passed(passed) {
            let story = story.clone();
            self.control.sink.emit(LoopEvent::KnownFailureFixed { story, command });
        }
    }

    fn has_unaccepted_work(&mut self) -> Result<bool, RunError> {
        let list = self.expected_tasks()?;
        let is_open = |id| list.list.story(id).is_some_and(|story| !story.passes);
        Ok(self.state.stories.iter().any(|(id, record)| match &record.given_up {
            Some(given_up) => matches!(given_up.commits, StoryCommits::Kept { .. }),
            None => !record.work.is_empty() && is_open(id),
        }))
    }

    fn head(&self) -> Result<String, RunError> {
        let head = self.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        Ok(head.to_string())
    }
}
