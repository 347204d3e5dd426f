//! Decides whether to resume the last run. If a new run starts, it archives the last run's failure branches and
//! takes over the recorded work of unfinished stories.

use events::LoopEvent;
use tasks::TaskList;
use vcs::{Archived, CommitId, WorkTree};

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::failure_branch;
use crate::coordinator::state::{LaneState, SavedRun, SessionKind, StoryRunState};
use crate::lane::StoryRecord;
use crate::options::{StartMode, StoryOptions};
use crate::run_files::{deadline, end_orphans};
use crate::run_id::new_run_id;

pub(crate) enum EarlierRun {
    /// There is none, or it is not resumed.
    Over(Option<Box<SavedRun>>),
    Resumed,
}

/// The state of the run that starts or is resumed.
pub(crate) fn choose(options: &StoryOptions) -> Result<(SavedRun, EarlierRun), RunError> {
    let new = || SavedRun::new(new_run_id(), events::now());
    let last = match (options.run.start, SavedRun::load(&options.run.layout)) {
        (StartMode::Fresh, last) => {
            let mut last = last.ok().flatten();
            // What it began in its clone stays there.
            if let Some(last) = last.as_mut().filter(|last| last.run.separate.is_some()) {
                last.lane = LaneState::default();
            }
            if let Some(last) = &last {
                // Processes that it left must not continue to write.
                end_orphans(&last.run.run_id, options.run.limits.grace)?;
            }
            return Ok((new(), EarlierRun::Over(last.map(Box::new))));
        }
        (_, last) => last?,
    };
    match (options.run.start, last) {
        (StartMode::Resume, None) => {
            Err(RunError::precondition("no run to resume", "leave out --resume to start a new run"))
        }
        (StartMode::Auto, Some(last)) if last.resumes_automatically() => {
            Ok((last, EarlierRun::Resumed))
        }
        (StartMode::Resume, Some(last)) => Ok((last, EarlierRun::Resumed)),
        (_, last) => Ok((new(), EarlierRun::Over(last.map(Box::new)))),
    }
}

impl Coordinator<'_> {
    /// Finishes what the last run was doing when it was interrupted, with that run's state. The new run could
    /// not start from an unjudged iteration or a half-changed branch.
    pub(crate) fn finish_last(&mut self, last: &mut SavedRun) -> Result<(), RunError> {
        let what = match (&last.lane.running, &last.lane.rolling_back, &last.lane.giving_up) {
            (Some(running), ..) => format!("ran iteration {}", running.assignment.iteration),
            (None, Some(begun), _) => {
                format!("rolled iteration {} back", begun.assignment.iteration)
            }
            (None, None, Some(begun)) => format!("gave up story {}", begun.story),
            (None, None, None) => match &last.lane.side_session {
                Some(begun) if begun.kind == SessionKind::Compaction => {
                    "compacted the memory".into()
                }
                Some(_) => "reviewed all work".into(),
                None => return Ok(()),
            },
        };
        self.swap_state(last);
        let finished = self.finish_interrupted();
        self.swap_state(last);
        self.judged = None;
        finished.map_err(|error| {
            RunError::precondition(
                format!(
                    "the last run was interrupted while it {what}, and finishing that failed: {error}"
                ),
                error.hint().unwrap_or_else(|| {
                    "remove the cause, then run the same command again".into()
                }),
            )
        })
    }

    fn swap_state(&mut self, other: &mut SavedRun) {
        self.store_notices();
        std::mem::swap(&mut self.state, &mut other.run);
        std::mem::swap(&mut self.lane_state, &mut other.lane);
        std::mem::swap(&mut self.lane.workspace.baseline, &mut other.baseline);
        self.lane.workspace.run_id.clone_from(&self.state.run_id);
        self.control.run_id.clone_from(&self.state.run_id);
    }

    /// Keeps the recorded work of unfinished stories, so that giving one up later reverts all of it. Only
    /// commits that are still on the branch count.
    pub(crate) fn take_over_work(
        &mut self,
        last: &SavedRun,
        list: &TaskList,
    ) -> Result<(), RunError> {
        let Some(head) = self
            .lane
            .workspace
            .tree
            .head(deadline())?
            .filter(|_| last.baseline.branch == self.lane.workspace.baseline.branch)
        else {
            return Ok(());
        };
        self.state.memory = last.run.memory.clone();
        self.state.checked_base = last.run.checked_base.clone();
        self.take_over_questions(last, list);
        for story in list.stories.iter().filter(|story| !story.passes) {
            let record = last.run.stories.get(&story.id);
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
                pull_feedback: record.pull_feedback.clone(),
                questions: record.questions.clone(),
                ..StoryRecord::default()
            };
            // That work may contain files of the user.
            let known = last
                .baseline
                .dirty_before
                .iter()
                .filter(|path| !self.lane.workspace.baseline.is_dirty_before(path));
            let known: Vec<String> = known.cloned().collect();
            self.lane.workspace.baseline.dirty_before.extend(known);
        }
        Ok(())
    }

    /// Also those about work that is not on the branch: the user's answers hold for any work.
    fn take_over_questions(&mut self, last: &SavedRun, list: &TaskList) {
        for story in list.stories.iter().filter(|story| !story.passes) {
            let record = last.run.stories.get(&story.id).filter(|it| it.given_up.is_none());
            if let Some(record) = record.filter(|record| !record.questions.is_empty()) {
                self.state.story(&story.id).questions.clone_from(&record.questions);
            }
        }
    }

    fn is_in_history(&self, record: &StoryRecord, head: &CommitId) -> Result<bool, RunError> {
        let work = record.work.iter().flat_map(|work| [&work.from, &work.to]);
        for commit in record.began_at.iter().chain(work) {
            let Ok(commit) = CommitId::new(commit) else { return Ok(false) };
            let is_on_branch = self.lane.workspace.tree.has_commit(&commit, deadline())?
                && self.lane.workspace.tree.is_ancestor(&commit, head, deadline())?;
            if !is_on_branch {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Replaces the failure branches of the last run with tags.
pub(crate) fn archive_failure_branches(tree: &WorkTree, last: &StoryRunState) -> Vec<LoopEvent> {
    let mut events = Vec::new();
    let given_up = last.stories.values().filter_map(|record| record.given_up.as_ref());
    for branch in given_up.filter_map(|given_up| given_up.branch.clone()) {
        let archived = tree.archive_branch(&branch, &failure_branch::tag(&branch), deadline());
        match archived {
            Ok(Archived::As(tag)) => events.push(LoopEvent::BranchArchived { branch, tag }),
            Ok(Archived::CheckedOut) => events.push(LoopEvent::Warning {
                text: format!("{branch} is checked out in a work tree and stays a branch"),
            }),
            Ok(Archived::Absent) => {}
            // It does not block the run.
            Err(error) => events.push(LoopEvent::Warning {
                text: format!("cannot archive {branch}, so it stays a branch: {error}"),
            }),
        }
    }
    events
}
