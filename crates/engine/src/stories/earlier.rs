//! What the run before means for the one that begins: gone on with, or over, and what it kept of failed
//! stories makes room.

use chrono::Utc;
use supervise::orphans;
use vcs::Archived;

use crate::house::deadline;
use crate::options::{Start, StoryOptions};
use crate::run_id::new_run_id;
use crate::stories::failure_branch;
use crate::stories::run::Run;
use crate::stories::state::RunState;
use crate::{LoopEvent, RunError};

/// What an earlier run means for this one.
pub(crate) enum Earlier {
    /// There is none, or it is over: what it kept of stories that failed makes room.
    Over {
        failure_branches: Vec<String>,
    },
    GoesOn,
}

/// The run that begins or goes on.
pub(crate) fn choose(options: &StoryOptions) -> Result<(RunState, Earlier), RunError> {
    let new = || RunState::new(new_run_id(), Utc::now());
    let last = match (options.run.start, RunState::load(&options.run.layout)) {
        (Start::Fresh, last) => {
            let last = last.ok().flatten();
            if let Some(last) = &last {
                refuse_half_way(last)?;
                // Its counters are forgotten; what it left running must not go on writing.
                orphans::end(project::env::RALPH_RUN_ID, &last.run_id, options.run.limits.grace);
            }
            return Ok((new(), over(last)));
        }
        (_, last) => last?,
    };
    match (options.run.start, last) {
        (Start::Resume, None) => Err(RunError::precondition(
            "there is no run to resume",
            "leave out --resume to begin one",
        )),
        (Start::Auto, Some(last)) if last.goes_on() => Ok((last, Earlier::GoesOn)),
        (Start::Resume, Some(last)) => Ok((last, Earlier::GoesOn)),
        (_, last) => Ok((new(), over(last))),
    }
}

fn over(last: Option<RunState>) -> Earlier {
    let records = last.into_iter().flat_map(|last| last.stories.into_values());
    let branches = records.filter_map(|record| record.set_aside?.branch);
    Earlier::Over { failure_branches: branches.collect() }
}

/// Between two states of the branch there is nothing to begin from.
fn refuse_half_way(last: &RunState) -> Result<(), RunError> {
    let Some(begun) = &last.setting_aside else { return Ok(()) };
    Err(RunError::precondition(
        format!("the last run was cut off while it set story {} aside", begun.story),
        "run `ralph-loop` once without --fresh: it finishes that first",
    ))
}

impl Run<'_> {
    /// Out of the list of branches, and never lost.
    pub(crate) fn archive_failure_branches(
        &mut self,
        names: &[String],
    ) -> Result<Vec<LoopEvent>, RunError> {
        let mut events = Vec::new();
        for branch in names {
            let branch = branch.clone();
            match self.tree.archive_branch(&branch, &failure_branch::tag(&branch), deadline())? {
                Archived::As(tag) => events.push(LoopEvent::BranchArchived { branch, tag }),
                Archived::CheckedOut => events.push(LoopEvent::Warning {
                    text: format!("{branch} is checked out somewhere and stays a branch"),
                }),
                Archived::Absent => {}
            }
        }
        Ok(events)
    }
}
