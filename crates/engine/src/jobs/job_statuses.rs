//! The statuses of all jobs of a run: one question to the engine for all lanes.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use job_engines::{EngineError, JobId, JobStatus, OutputId};

/// Between two questions.
const INTERVAL: Duration = Duration::from_secs(3);

#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// `None` if the engine does not know the job.
    Status(Option<JobStatus>),
    Error(String),
}

impl Answer {
    pub(super) fn output(&self) -> Option<OutputId> {
        match self {
            Self::Status(status) => status.as_ref()?.output.clone(),
            Self::Error(_) => None,
        }
    }
}

type Found = Result<BTreeMap<JobId, JobStatus>, EngineError>;

#[derive(Default)]
pub(super) struct JobStatuses(Mutex<State>);

#[derive(Default)]
struct State {
    /// The jobs that are followed, with an answer that their lane has not read.
    jobs: BTreeMap<JobId, Option<Answer>>,
    asked: Option<Instant>,
    is_asking: bool,
}

/// A job is asked about until this is dropped.
pub(super) struct FollowedStatus<'s> {
    all: &'s JobStatuses,
    id: JobId,
}

impl JobStatuses {
    pub(super) fn follow(&self, id: JobId) -> FollowedStatus<'_> {
        self.lock().jobs.insert(id.clone(), None);
        FollowedStatus { all: self, id }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lane that first finds the answers too old asks for all.
    fn refresh(&self, ask: impl FnOnce(&[JobId]) -> Found) {
        let ids: Vec<JobId> = {
            let mut state = self.lock();
            if state.is_asking || state.asked.is_some_and(|at| at.elapsed() < INTERVAL) {
                return;
            }
            state.is_asking = true;
            state.jobs.keys().cloned().collect()
        };
        let found = ask(&ids);
        let mut state = self.lock();
        (state.is_asking, state.asked) = (false, Some(Instant::now()));
        for id in ids {
            let answer = match &found {
                Ok(statuses) => Answer::Status(statuses.get(&id).cloned()),
                Err(error) => Answer::Error(error.to_string()),
            };
            if let Some(unread) = state.jobs.get_mut(&id) {
                *unread = Some(answer);
            }
        }
    }
}

impl FollowedStatus<'_> {
    /// An answer that was not returned before.
    pub(super) fn next(&self, ask: impl FnOnce(&[JobId]) -> Found) -> Option<Answer> {
        self.all.refresh(ask);
        self.all.lock().jobs.get_mut(&self.id)?.take()
    }
}

impl Drop for FollowedStatus<'_> {
    fn drop(&mut self) {
        self.all.lock().jobs.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use job_engines::JobState;

    use super::*;

    #[test]
    fn one_question_answers_all_lanes() {
        let [first, second] = ["1", "2"].map(|id| JobId(id.to_owned()));
        let all = JobStatuses::default();
        let (one, other) = (all.follow(first.clone()), all.follow(second.clone()));
        let status = JobStatus { state: JobState::Running, node: None, output: None };
        let ask = |ids: &[JobId]| {
            assert_eq!(ids, [first.clone(), second.clone()]);
            Ok(BTreeMap::from([(first.clone(), status.clone())]))
        };
        assert!(matches!(one.next(ask), Some(Answer::Status(Some(_)))));
        let refuse = |_: &[JobId]| panic!("asked again");
        assert!(matches!(other.next(refuse), Some(Answer::Status(None))));
        assert!(one.next(refuse).is_none(), "an answer counts once");
    }

    #[test]
    fn a_job_that_is_not_followed_any_more_is_not_asked_about() {
        let [first, second] = ["1", "2"].map(|id| JobId(id.to_owned()));
        let all = JobStatuses::default();
        let one = all.follow(first.clone());
        drop(all.follow(second));
        let ask = |ids: &[JobId]| {
            assert_eq!(ids, std::slice::from_ref(&first));
            let (program, printed) = ("squeue".to_owned(), "?".to_owned());
            Err(EngineError::Unreadable { program, printed })
        };
        assert!(matches!(one.next(ask), Some(Answer::Error(_))));
    }
}
