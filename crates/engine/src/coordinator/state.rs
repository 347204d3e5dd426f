//! `.ralph/state.json`: the persistent state of a run, which survives a kill at any moment.
//!
//! It is written before the step that depends on it. An agent could write it too, so it alone can never approve a
//! story: a verdict in it counts only with the task list and after the checks.

mod lane_state;
mod separate;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use events::{RunEnd, TokenCount};
use project::Layout;
use serde::{Deserialize, Serialize};
use tasks::{Scope, StoryId};

pub(crate) use lane_state::{GivingUp, KeptWork, LaneState, SessionKind, SideSessionState};
pub(crate) use separate::{GeneralInstruction, ParkedStory, SavedLane, SeparateState};

use crate::checks::KnownFailures;
use crate::control::{Counters, UsageLimits, UserInstructions};
use crate::coordinator::final_review::FinalReviewState;
use crate::lane::{Attempt, StoryRecord};
use crate::log_mark::LogMark;
use crate::memory::MemoryState;
use crate::state_file::{self, StateError};
use crate::workspace::Baseline;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoryRunState {
    pub(crate) version: u64,
    pub(crate) run_id: String,
    pub(crate) started: DateTime<Utc>,
    /// The branch to merge the work into.
    #[serde(default)]
    pub(crate) base: Option<String>,
    pub(crate) counters: Counters,
    pub(crate) tokens: TokenCount,
    pub(crate) stories: BTreeMap<StoryId, StoryRecord>,
    /// The story of the last iteration, if that failed.
    pub(crate) failed_last: Option<StoryId>,
    /// Size in tokens, from the agent's last result.
    pub(crate) context_window: Option<u64>,
    /// Handoffs of the run's iterations.
    #[serde(default)]
    pub(crate) memory: MemoryState,
    /// For the next coding session.
    #[serde(default, rename = "steers")]
    pub(crate) user_instructions: UserInstructions,
    /// Stories that the user wants to skip.
    #[serde(default)]
    pub(crate) skips: BTreeSet<StoryId>,
    #[serde(default)]
    pub(crate) usage_limits: UsageLimits,
    /// The stories that the run works on.
    #[serde(default)]
    pub(crate) scope: Scope,
    /// `None` before the checks ran on the commit from which the stories start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) checked_base: Option<CheckedBase>,
    #[serde(default)]
    pub(crate) final_review: FinalReviewState,
    /// `None` if the run works in the user's work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) separate: Option<SeparateState>,
    /// Position of the last event in the run's log.
    #[serde(default)]
    pub(crate) log: LogMark,
    pub(crate) ended: Option<RunEnd>,
}

/// The commit from which the next story starts, and the checks that fail without the run's work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckedBase {
    /// The commit that the run left; `None` while it changes the branch.
    pub(crate) commit: Option<String>,
    pub(crate) known: KnownFailures,
}

/// `.ralph/state.json`: the state of the run and of its work tree.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct SavedRun {
    #[serde(flatten)]
    pub(crate) run: StoryRunState,
    #[serde(flatten)]
    pub(crate) lane: LaneState,
    #[serde(flatten)]
    pub(crate) baseline: Baseline,
}

impl StoryRunState {
    pub(crate) fn new(run_id: String, started: DateTime<Utc>) -> Self {
        Self { version: state_file::VERSION, run_id, started, ..Self::default() }
    }

    pub(crate) fn story(&mut self, id: &StoryId) -> &mut StoryRecord {
        self.stories.entry(id.clone()).or_default()
    }

    pub(crate) fn known_failures(&self) -> KnownFailures {
        self.checked_base.as_ref().map(|base| base.known.clone()).unwrap_or_default()
    }

    /// Failed attempts at this story, oldest first.
    pub(crate) fn attempts(&self, id: &StoryId) -> &[Attempt] {
        self.stories.get(id).map_or(&[], |record| &record.attempts)
    }

    pub(crate) fn given_up(&self) -> BTreeSet<StoryId> {
        let failed = self.stories.iter().filter(|(_, record)| record.given_up.is_some());
        failed.map(|(id, _)| id.clone()).collect()
    }
}

impl SavedRun {
    pub(crate) fn new(run_id: String, started: DateTime<Utc>) -> Self {
        let run = StoryRunState::new(run_id, started);
        Self { run, lane: LaneState::default(), baseline: Baseline::default() }
    }

    fn lanes(&self) -> impl Iterator<Item = &LaneState> {
        let of_clones = self.run.separate.iter().flat_map(|separate| &separate.lanes);
        std::iter::once(&self.lane).chain(of_clones.map(|lane| &lane.state))
    }

    /// Whether an iteration ended or was killed and no runner has judged it.
    pub(crate) fn is_unjudged(&self) -> bool {
        self.lanes().any(|lane| lane.running.is_some())
    }

    /// Whether the next runner resumes this run without `--resume`.
    pub(crate) fn resumes_automatically(&self) -> bool {
        // Unjudged work is judged first, however the run ended.
        self.lanes().any(LaneState::is_unfinished)
            || self.run.final_review.is_open
            || self.run.ended.is_none_or(RunEnd::resumes_automatically)
    }

    /// `None` if there was no run yet.
    pub(crate) fn load(layout: &Layout) -> Result<Option<Self>, StateError> {
        state_file::load(layout, &layout.state())
    }

    pub(crate) fn save(&self, layout: &Layout) -> Result<(), StateError> {
        save(&self.run, &self.lane, &self.baseline, layout)
    }
}

pub(crate) fn save(
    run: &StoryRunState,
    lane: &LaneState,
    baseline: &Baseline,
    layout: &Layout,
) -> Result<(), StateError> {
    state_file::write(&text(run, lane, baseline, layout)?, layout, &layout.state())
}

/// What `.ralph/state.json` contains with this state.
pub(crate) fn text(
    run: &StoryRunState,
    lane: &LaneState,
    baseline: &Baseline,
    layout: &Layout,
) -> Result<Vec<u8>, StateError> {
    #[derive(Serialize)]
    struct Saved<'s> {
        #[serde(flatten)]
        run: &'s StoryRunState,
        #[serde(flatten)]
        lane: &'s LaneState,
        #[serde(flatten)]
        baseline: &'s Baseline,
    }
    state_file::text(&Saved { run, lane, baseline }, layout, &layout.state())
}

#[cfg(test)]
mod tests {
    use events::{AgentOutcome, GivenUp};
    use tasks::{Mode, ReviewVerdict, Sha256Digest};

    use super::*;
    use crate::control::IterationAttempt;
    use crate::lane::{
        Assignment, IterationFailure, RollingBack, RunningIteration, StoryWork, TakeBackReason,
    };

    #[test]
    fn a_saved_state_is_loaded() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(SavedRun::load(&layout).unwrap(), None);
        std::fs::create_dir(layout.data_dir()).unwrap();
        let mut saved = SavedRun::new("r1".into(), "2026-11-15T01:02:03Z".parse().unwrap());
        let story = StoryId::new("US-1").unwrap();
        saved.run.story(&story).failure =
            Some(IterationFailure { findings: vec!["x".into()], ..Default::default() });
        saved.lane.running = Some(running(story));
        saved.baseline.dirty_before.push("notes.txt".into());
        saved.save(&layout).unwrap();
        assert_eq!(SavedRun::load(&layout).unwrap(), Some(saved));
    }

    #[test]
    fn an_invalid_state_and_a_newer_format_are_errors() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.state(), "{").unwrap();
        let error = SavedRun::load(&layout).unwrap_err().to_string();
        assert!(error.starts_with(".ralph/state.json is invalid"), "{error}");
        let mut saved = SavedRun::new("r1".into(), events::now());
        saved.run.version = 2;
        saved.save(&layout).unwrap();
        assert!(SavedRun::load(&layout).unwrap_err().to_string().contains("newer version"));
    }

    #[test]
    fn a_run_with_an_unjudged_iteration_is_resumed_however_it_ended() {
        let mut saved = SavedRun::new("r1".into(), events::now());
        saved.run.ended = Some(RunEnd::AgentFailed);
        assert!(!saved.resumes_automatically());
        saved.lane.running = Some(running(StoryId::new("US-1").unwrap()));
        assert!(saved.resumes_automatically());
    }

    fn running(story: StoryId) -> RunningIteration {
        RunningIteration {
            assignment: Assignment::new(
                IterationAttempt { iteration: 1, attempt: 2 },
                StoryWork { mode: Mode::Review, story },
            ),
            session: "s".into(),
            checkpoint: "abc".into(),
            folder: "f".into(),
            tasks_before: Sha256Digest::of("x"),
            protected: [("ralph/prd.md".to_owned(), None)].into(),
            marker: Sha256Digest::of("m"),
            outcome: Some(AgentOutcome::Answered),
            verdict: Some(ReviewVerdict::Approved),
            question: None,
            taken_back: Vec::new(),
            taken_back_for: TakeBackReason::Verdict,
            rollback_point: None,
        }
    }

    #[test]
    fn only_interrupted_runs_are_resumed_automatically() {
        let mut saved = SavedRun::new("r1".into(), events::now());
        assert!(saved.resumes_automatically());
        for (end, resumes_automatically) in [
            (RunEnd::Interrupted, true),
            (RunEnd::Terminated, true),
            (RunEnd::Complete, false),
            (RunEnd::IterationsUsed, false),
            (RunEnd::CostCeiling, false),
        ] {
            saved.run.ended = Some(end);
            assert_eq!(saved.resumes_automatically(), resumes_automatically, "{end}");
        }
    }

    #[test]
    fn a_run_is_settled_if_nothing_is_left_to_judge_or_finish() {
        type Begin = fn(&mut LaneState);
        let begun: [(Begin, bool, bool); 5] = [
            (|state| state.running = Some(running(StoryId::new("A").unwrap())), true, true),
            (
                |state| {
                    state.side_session = Some(SideSessionState {
                        kind: SessionKind::Compaction,
                        folder: String::new(),
                        head: String::new(),
                        protected: Default::default(),
                    })
                },
                true,
                false,
            ),
            (|state| state.settings_before = Some(Default::default()), true, false),
            (|state| state.giving_up = Some(giving_up()), false, true),
            (|state| state.rolling_back = Some(rolling_back()), false, true),
        ];
        for (begin, is_session, is_resumed) in begun {
            let mut saved = SavedRun::new("r1".into(), events::now());
            saved.run.ended = Some(RunEnd::Complete);
            assert!(saved.lane.is_settled() && !saved.lane.has_unsettled_session());
            assert!(!saved.resumes_automatically());
            begin(&mut saved.lane);
            assert!(!saved.lane.is_settled());
            assert_eq!(saved.lane.has_unsettled_session(), is_session);
            assert_eq!(saved.resumes_automatically(), is_resumed);
        }
    }

    fn giving_up() -> GivingUp {
        let outcome = GivenUp {
            given_up_at: events::now(),
            reason: events::GiveUpReason::Skipped,
            attempts: 0,
            of: 5,
            reviews: 0,
            last_gate: events::Gate::Implement,
            error: String::new(),
            error_hash: String::new(),
            stuck: events::Stuck::No,
            branch: None,
            diagnostics: None,
            commits: events::StoryCommits::Nothing,
            dependants: Vec::new(),
        };
        GivingUp { story: StoryId::new("A").unwrap(), outcome, kept: None }
    }

    fn rolling_back() -> RollingBack {
        let assignment = running(StoryId::new("A").unwrap()).assignment;
        RollingBack { assignment, folder: "f".into(), checkpoint: Sha256Digest::of("c") }
    }
}
