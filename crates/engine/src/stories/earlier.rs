//! What the run before means for the one that begins: gone on with, or over. Then what it kept of failed
//! stories makes room, and unfinished stories keep the work that they had.

use tasks::TaskList;
use vcs::{Archived, CommitId};

use crate::options::{Start, StoryOptions};
use crate::run_files::{deadline, end_orphans};
use crate::run_id::new_run_id;
use crate::stories::failure_branch;
use crate::stories::run::Run;
use crate::stories::state::RunState;
use crate::stories::story_record::StoryRecord;
use crate::{LoopEvent, RunError};

/// What an earlier run means for this one.
pub(crate) enum Earlier {
    /// There is none, or it is over.
    Over(Option<Box<RunState>>),
    GoesOn,
}

/// The run that begins or goes on.
pub(crate) fn choose(options: &StoryOptions) -> Result<(RunState, Earlier), RunError> {
    let new = || RunState::new(new_run_id(), crate::now());
    let last = match (options.run.start, RunState::load(&options.run.layout)) {
        (Start::Fresh, last) => {
            let last = last.ok().flatten();
            if let Some(last) = &last {
                // Its counters are forgotten; what it left running must not go on writing.
                end_orphans(&last.run_id, &options.run)?;
            }
            return Ok((new(), Earlier::Over(last.map(Box::new))));
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
        (_, last) => Ok((new(), Earlier::Over(last.map(Box::new)))),
    }
}

impl Run<'_> {
    /// What the last run was doing when it was cut off, as that run would: an iteration that is not judged
    /// counts for nothing, and between two states of the branch there is nothing to begin from.
    pub(crate) fn finish_last(&mut self, last: &mut RunState) -> Result<(), RunError> {
        let what = match (&last.running, &last.rolling_back, &last.giving_up) {
            (Some(running), ..) => format!("ran iteration {}", running.assignment.iteration),
            (None, Some(begun), _) => {
                format!("rolled iteration {} back", begun.assignment.iteration)
            }
            (None, None, Some(begun)) => format!("set story {} aside", begun.story),
            (None, None, None) if last.compacting.is_some() => "compacted the memory".into(),
            (None, None, None) => return Ok(()),
        };
        std::mem::swap(&mut self.state, last);
        let finished = self.take_up();
        std::mem::swap(&mut self.state, last);
        self.judged = None;
        finished.map_err(|error| {
            RunError::precondition(
                format!(
                    "the last run was cut off while it {what}, and that cannot be finished: {error}"
                ),
                error.hint().unwrap_or_else(|| {
                    "take away what is in the way there; the same command then goes on".into()
                }),
            )
        })
    }

    /// Half a story is still that story's: given up later, it is taken back to where it began. Only
    /// what the branch still has counts.
    pub(crate) fn take_over_work(
        &mut self,
        last: &RunState,
        list: &TaskList,
    ) -> Result<(), RunError> {
        let Some(head) = self.tree.head(deadline())?.filter(|_| last.branch == self.state.branch)
        else {
            return Ok(());
        };
        self.state.memory = last.memory.clone();
        for story in list.stories.iter().filter(|story| !story.passes) {
            let record = last.stories.get(&story.id);
            let Some(record) = record.filter(|record| record.given_up.is_none()) else { continue };
            let is_begun = !record.work.is_empty() || record.has_news_for_review();
            if !is_begun || !self.is_in_history(record, &head)? {
                continue;
            }
            *self.state.story(&story.id) = StoryRecord {
                began_at: record.began_at.clone(),
                began_as: record.began_as.clone(),
                work: record.work.clone(),
                weakened: record.weakened.clone(),
                notices: record.notices.clone(),
                ..StoryRecord::default()
            };
            // That work may hold files of the user's.
            let known = last.dirty_before.iter().filter(|path| !self.state.is_dirty_before(path));
            let known: Vec<String> = known.cloned().collect();
            self.state.dirty_before.extend(known);
        }
        Ok(())
    }

    fn is_in_history(&self, record: &StoryRecord, head: &CommitId) -> Result<bool, RunError> {
        let work = record.work.iter().flat_map(|work| [&work.from, &work.to]);
        for commit in record.began_at.iter().chain(work) {
            let Ok(commit) = CommitId::new(commit) else { return Ok(false) };
            let is_there = self.tree.has_commit(&commit, deadline())?
                && self.tree.is_ancestor(&commit, head, deadline())?;
            if !is_there {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Out of the list of branches, and never lost.
    pub(crate) fn archive_failure_branches(&mut self, last: &RunState) -> Vec<LoopEvent> {
        let mut events = Vec::new();
        let given_up = last.stories.values().filter_map(|record| record.given_up.as_ref());
        for branch in given_up.filter_map(|given_up| given_up.branch.clone()) {
            let archived =
                self.tree.archive_branch(&branch, &failure_branch::tag(&branch), deadline());
            match archived {
                Ok(Archived::As(tag)) => events.push(LoopEvent::BranchArchived { branch, tag }),
                Ok(Archived::CheckedOut) => events.push(LoopEvent::Warning {
                    text: format!("{branch} is checked out somewhere and stays a branch"),
                }),
                Ok(Archived::Absent) => {}
                // It is in nobody's way.
                Err(error) => events.push(LoopEvent::Warning {
                    text: format!("{branch} is left as it is: {error}"),
                }),
            }
        }
        events
    }
}
