//! The recorded run whose work becomes a pull request.

use anyhow::{Context, Result};
use forge::Repository;
use project::Layout;

use super::text::{PullText, RunResult};
use crate::command_error::precondition;
use crate::run_report::{self, RunReport};
use crate::status::{RunState, RunStatus, TaskFile};

#[derive(Debug)]
pub(crate) struct RunWork {
    status: RunStatus,
    pub(crate) report: RunReport,
    /// Of the task list, if that is still the run's.
    description: String,
}

impl RunWork {
    pub(crate) fn read(layout: &Layout, run: &str) -> Result<Self> {
        let status = run_report::recorded(layout, run).context("cannot read the run's events")?;
        let status = status.ok_or_else(|| precondition(format!("run {run} not found"), ""))?;
        let report = RunReport::of(&status);
        let tasks = TaskFile::judged(layout).0;
        let list = tasks.list().filter(|list| list.branch_name == report.branch);
        let description = list.map(|list| list.description.clone()).unwrap_or_default();
        Ok(Self { status, report, description })
    }

    pub(crate) fn refuse_running(&self) -> Result<()> {
        match self.report.state {
            RunState::Running => Err(precondition(
                "the run is still running",
                "wait until it ends; `ralph-loop run --pr` opens the pull request at its end",
            )),
            RunState::Ended | RunState::Died => Ok(()),
        }
    }

    pub(crate) fn branch(&self) -> Result<&str> {
        match self.report.branch.as_str() {
            "" => Err(precondition("the run has no branch", "start a run in a git repository")),
            branch => Ok(branch),
        }
    }

    /// For a pull request whose body is `existing`.
    pub(crate) fn text(&self, repository: &Repository, existing: &str) -> PullText {
        let (view, report) = (&self.status.view, &self.report);
        let run = RunResult { view, report, description: &self.description, repository };
        PullText::of(&run, existing)
    }
}
