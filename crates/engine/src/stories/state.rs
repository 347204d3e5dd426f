//! `.ralph/state.json`: what must survive a run that is killed at any moment.
//!
//! Written whole before the step that depends on it begins. An agent could write it too, so nothing
//! in it alone can approve a story: it says against what a killed iteration is to be judged, and a
//! verdict that it names counts only together with the task list, and after the checks.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use project::{Layout, ProtectedFiles};
use serde::{Deserialize, Serialize};
use tasks::{ReviewVerdict, Scope, Sha256Digest, StoryId};
use vcs::ControlRecord;

use crate::decide::Counters;
use crate::log_mark::LogMark;
use crate::state_file::{self, State, StateError};
use crate::stories::assignment::Assignment;
use crate::stories::attempt::Attempt;
use crate::stories::compaction::Compacting;
use crate::stories::fingerprints::Fingerprints;
use crate::stories::give_up::GivingUp;
use crate::stories::memory_state::MemoryState;
use crate::stories::roll_back::RollingBack;
use crate::stories::story_record::{StoryRecord, TakenBack};
use crate::user_instructions::UserInstructions;
use crate::{AgentOutcome, RunEnd, TokenCount};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunState {
    pub(crate) version: u64,
    pub(crate) run_id: String,
    pub(crate) started: DateTime<Utc>,
    pub(crate) branch: String,
    /// The branch to merge the work into.
    #[serde(default)]
    pub(crate) base: Option<String>,
    pub(crate) counters: Counters,
    pub(crate) tokens: TokenCount,
    pub(crate) stories: BTreeMap<StoryId, StoryRecord>,
    /// The story whose iteration failed last, if the last iteration did.
    pub(crate) failed_last: Option<StoryId>,
    /// Tokens, as the agent's last result told.
    pub(crate) context_window: Option<u64>,
    /// What was not committed when the run began, or came from a check: nobody's offence.
    pub(crate) dirty_before: Vec<String>,
    /// Repositories of their own, and what could not be changed when a story was set aside. Unlike the user's
    /// files they are compared with the commit where they are tracked.
    #[serde(default)]
    pub(crate) left_alone: Vec<String>,
    /// The control files of git when the run began.
    #[serde(default)]
    pub(crate) control: Option<ControlRecord>,
    /// UserInstructions for agents that git ignores, as they were before the session that runs.
    #[serde(default)]
    pub(crate) instructions: Option<Fingerprints>,
    /// Files that git was told not to look at when the run began.
    #[serde(default)]
    pub(crate) unwatched_before: Vec<String>,
    /// The task list that was judged last.
    #[serde(default)]
    pub(crate) judged: Option<Sha256Digest>,
    /// The iteration that runs, or that is not judged yet.
    pub(crate) running: Option<Running>,
    /// Whose attempts `state.md` tells of.
    #[serde(default)]
    pub(crate) state_md_of: Option<StoryId>,
    /// The story that is being set aside.
    #[serde(default, alias = "settingAside")]
    pub(crate) giving_up: Option<GivingUp>,
    /// The iteration that is being rolled back.
    #[serde(default)]
    pub(crate) rolling_back: Option<RollingBack>,
    /// The session that compacts, as long as it may have done something to the project.
    #[serde(default)]
    pub(crate) compacting: Option<Compacting>,
    /// The user's files, as long as an agent works on what is booked already.
    #[serde(default)]
    pub(crate) settings_before: Option<ProtectedFiles>,
    /// What its iterations left for one another.
    #[serde(default)]
    pub(crate) memory: MemoryState,
    /// What the user says to the next session that codes.
    #[serde(default, rename = "steers")]
    pub(crate) user_instructions: UserInstructions,
    /// Stories that the user wants to have skipped.
    #[serde(default)]
    pub(crate) skips: BTreeSet<StoryId>,
    /// The stories that the run works on.
    #[serde(default)]
    pub(crate) scope: Scope,
    /// The end of the run's log.
    #[serde(default)]
    pub(crate) log: LogMark,
    pub(crate) ended: Option<RunEnd>,
}

/// All that is needed to judge an iteration without the runner that began it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Running {
    pub(crate) assignment: Assignment,
    pub(crate) session: String,
    pub(crate) checkpoint: String,
    /// The iteration's folder, from the project; the task list as it was lies in it.
    pub(crate) folder: String,
    pub(crate) tasks_before: Sha256Digest,
    pub(crate) protected: ProtectedFiles,
    /// The marker as it was written.
    pub(crate) marker: Sha256Digest,
    /// How the agent ended, once it has.
    pub(crate) outcome: Option<AgentOutcome>,
    /// What the final message of a review says, once it has ended.
    #[serde(default)]
    pub(crate) verdict: Option<ReviewVerdict>,
    /// Where its stories go because their step does not stand; nothing as long as that is open.
    #[serde(default)]
    pub(crate) taken_back: Vec<TakenBack>,
    #[serde(default)]
    pub(crate) taken_back_for: TakenBackFor,
    /// What everything goes back to if it fails, as it was written down.
    #[serde(default)]
    pub(crate) rollback_point: Option<Sha256Digest>,
}

/// Why a step does not stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TakenBackFor {
    /// Checks did not pass.
    #[default]
    Checks,
    /// The verdict of its review is void.
    Verdict,
}

impl RunState {
    pub(crate) fn new(run_id: String, started: DateTime<Utc>) -> Self {
        Self {
            version: Self::VERSION,
            run_id,
            started,
            branch: String::new(),
            base: None,
            counters: Counters::default(),
            tokens: TokenCount::default(),
            stories: BTreeMap::new(),
            failed_last: None,
            context_window: None,
            dirty_before: Vec::new(),
            left_alone: Vec::new(),
            control: None,
            instructions: None,
            unwatched_before: Vec::new(),
            judged: None,
            running: None,
            state_md_of: None,
            giving_up: None,
            rolling_back: None,
            compacting: None,
            settings_before: None,
            memory: MemoryState::default(),
            user_instructions: UserInstructions::default(),
            skips: BTreeSet::new(),
            scope: Scope::default(),
            log: LogMark::default(),
            ended: None,
        }
    }

    /// `None` if there was no run yet.
    pub(crate) fn load(layout: &Layout) -> Result<Option<Self>, StateError> {
        state_file::load(layout, &layout.state())
    }

    pub(crate) fn save(&self, layout: &Layout) -> Result<(), StateError> {
        state_file::save(self, layout, &layout.state())
    }

    pub(crate) fn story(&mut self, id: &StoryId) -> &mut StoryRecord {
        self.stories.entry(id.clone()).or_default()
    }

    /// Those at this story that failed, oldest first.
    pub(crate) fn attempts(&self, id: &StoryId) -> &[Attempt] {
        self.stories.get(id).map_or(&[], |record| &record.attempts)
    }

    /// Stories that the run gave up.
    pub(crate) fn given_up(&self) -> BTreeSet<StoryId> {
        let failed = self.stories.iter().filter(|(_, record)| record.given_up.is_some());
        failed.map(|(id, _)| id.clone()).collect()
    }

    /// Whether `path` was dirty before anybody in this run touched it.
    pub(crate) fn is_dirty_before(&self, path: &str) -> bool {
        self.dirty_before.iter().any(|known| known == path)
    }

    /// Everything that the runner neither commits nor moves.
    pub(crate) fn not_ours(&self) -> Vec<String> {
        self.dirty_before.iter().chain(&self.left_alone).cloned().collect()
    }

    pub(crate) fn is_not_ours(&self, path: &str) -> bool {
        self.is_dirty_before(path) || self.left_alone.iter().any(|known| known == path)
    }

    /// Whether a session may have written what no runner has judged.
    pub(crate) fn has_unsettled_session(&self) -> bool {
        self.running.is_some() || self.compacting.is_some() || self.settings_before.is_some()
    }

    /// Whether it left nothing that the next run has to judge or finish.
    pub(crate) fn is_settled(&self) -> bool {
        self.running.is_none()
            && self.giving_up.is_none()
            && self.rolling_back.is_none()
            && self.compacting.is_none()
            && self.settings_before.is_none()
    }

    /// Whether the next runner goes on with this run without being told to.
    pub(crate) fn goes_on(&self) -> bool {
        // What nobody has judged yet is judged first, however the run ended.
        self.running.is_some()
            || self.giving_up.is_some()
            || self.rolling_back.is_some()
            || self.ended.is_none_or(RunEnd::goes_on)
    }
}

impl State for RunState {
    const VERSION: u64 = 1;

    fn version(&self) -> u64 {
        self.version
    }

    fn run_id(&self) -> &str {
        &self.run_id
    }
}

#[cfg(test)]
mod tests {
    use tasks::Mode;

    use super::*;
    use crate::stories::story_record::Failure;

    #[test]
    fn what_was_saved_is_loaded() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(RunState::load(&layout).unwrap(), None);
        std::fs::create_dir(layout.data_dir()).unwrap();
        let mut state = RunState::new("r1".into(), "2026-11-15T01:02:03Z".parse().unwrap());
        let story = StoryId::new("US-1").unwrap();
        state.story(&story).failure =
            Some(Failure { findings: vec!["x".into()], ..Failure::default() });
        state.running = Some(running(story));
        state.save(&layout).unwrap();
        assert_eq!(RunState::load(&layout).unwrap(), Some(state));
    }

    #[test]
    fn nonsense_is_named_and_so_is_a_newer_format() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.state(), "{").unwrap();
        let error = RunState::load(&layout).unwrap_err().to_string();
        assert!(error.starts_with(".ralph/state.json makes no sense"), "{error}");
        let mut state = RunState::new("r1".into(), crate::now());
        state.version = 2;
        state.save(&layout).unwrap();
        assert!(RunState::load(&layout).unwrap_err().to_string().contains("newer version"));
    }

    #[test]
    fn a_run_with_an_iteration_that_nobody_judged_goes_on_however_it_ended() {
        let mut state = RunState::new("r1".into(), crate::now());
        state.ended = Some(RunEnd::AgentFailed);
        assert!(!state.goes_on());
        state.running = Some(running(StoryId::new("US-1").unwrap()));
        assert!(state.goes_on());
    }

    fn running(story: StoryId) -> Running {
        Running {
            assignment: Assignment { iteration: 1, attempt: 2, mode: Mode::Review, story },
            session: "s".into(),
            checkpoint: "abc".into(),
            folder: "f".into(),
            tasks_before: Sha256Digest::of("x"),
            protected: [("ralph/prd.md".to_owned(), None)].into(),
            marker: Sha256Digest::of("m"),
            outcome: Some(AgentOutcome::Answered),
            verdict: Some(ReviewVerdict::Approved),
            taken_back: Vec::new(),
            taken_back_for: TakenBackFor::Verdict,
            rollback_point: None,
        }
    }

    #[test]
    fn only_runs_that_were_cut_off_go_on_by_themselves() {
        let mut state = RunState::new("r1".into(), crate::now());
        assert!(state.goes_on());
        for (end, goes_on) in [
            (RunEnd::Interrupted, true),
            (RunEnd::Terminated, true),
            (RunEnd::Complete, false),
            (RunEnd::IterationsUsed, false),
            (RunEnd::CostCeiling, false),
        ] {
            state.ended = Some(end);
            assert_eq!(state.goes_on(), goes_on, "{end}");
        }
    }
}
