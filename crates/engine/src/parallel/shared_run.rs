//! What the lanes of a run share: its state, the list of its branch, and whose turn it is to merge.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use events::RunEnd;
use project::Layout;
use supervise::TICK;
use tasks::{ReviewPolicy, StoryId};

use crate::control::{Counters, LaneOrders, NextWork, UserInstructions};
use crate::coordinator::{self, LaneState, SavedLane, SavedRun, StateStore, StoryRunState};
use crate::lane::{StoryWork, TaskText};
use crate::options::StoryOptions;
use crate::parallel::integration::Integration;
use crate::parallel::run_state::{Choice, LaneActivity, Rest, RunState};
use crate::parallel::saved_changes::SavedChanges;
use crate::parallel::verification::Verification;
use crate::workspace::Baseline;
use crate::{RunError, StopSwitch, state_file};

pub(crate) struct SharedRun<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) switch: &'a StopSwitch,
    rules: ReviewPolicy,
    /// Stories that may be in work at once. An interrupted run may have more lanes.
    jobs: usize,
    /// The cost limit of the run.
    most_usd: Option<f64>,
    state: Mutex<RunState>,
    saved: SavedChanges,
    changed: Condvar,
    integrator: Mutex<Integrator<'a>>,
    compacting: Mutex<()>,
}

/// Used by one lane at a time.
pub(crate) struct Integrator<'a> {
    pub(crate) integration: Integration<'a>,
    pub(crate) verification: Verification<'a>,
}

/// What a lane does next.
pub(crate) enum NextStory {
    Begin,
    None(RunEnd),
}

/// Whether a lane may start an iteration.
pub(crate) enum Permission {
    Granted,
    Refused(NextWork<StoryWork>),
}

impl<'a> SharedRun<'a> {
    /// With `lanes` lanes, or more if the state has more.
    pub(crate) fn new(
        options: &'a StoryOptions,
        switch: &'a StopSwitch,
        SavedRun { mut run, baseline, .. }: SavedRun,
        list: Arc<TaskText>,
        integrator: Integrator<'a>,
        lanes: usize,
    ) -> Self {
        let known = run.known_failures();
        let separate = run.separate.get_or_insert_default();
        let count = separate.lanes.len().max(lanes);
        separate.lanes.resize_with(count, SavedLane::default);
        let lane = |saved: &SavedLane| LaneActivity {
            orders: LaneOrders::new(saved.orders.clone()),
            known: known.clone(),
            ..LaneActivity::default()
        };
        let state = RunState {
            lanes: separate.lanes.iter().map(lane).collect(),
            run,
            baseline,
            ralph_dir: format!("{}/", options.run.layout.ralph_dir_name()),
            list,
            queue: VecDeque::new(),
            is_paused: false,
            ending: None,
            limited_until: None,
            unprepared: None,
            changes: 0,
        };
        Self {
            layout: &options.run.layout,
            switch,
            rules: options.rules(),
            jobs: options
                .lanes
                .as_ref()
                .map_or(1, |own| usize::try_from(own.jobs).unwrap_or(lanes)),
            most_usd: options.run.policy.max_cost_usd,
            state: Mutex::new(state),
            saved: SavedChanges::default(),
            changed: Condvar::new(),
            integrator: Mutex::new(integrator),
            compacting: Mutex::new(()),
        }
    }

    /// A lane that panicked must not block the others.
    pub(crate) fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After a change that other lanes wait for.
    pub(crate) fn changed(&self) {
        self.changed.notify_all();
    }

    fn wait<'s>(&self, state: MutexGuard<'s, RunState>) -> MutexGuard<'s, RunState> {
        self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Until something changes, or for one tick.
    pub(crate) fn wait_for_change(&self) {
        drop(self.wait(self.state()));
    }

    /// Returns once the state is on disk. With many lanes it is large and saved often, so it is not locked meanwhile.
    pub(crate) fn save(&self, mut state: MutexGuard<'_, RunState>) -> Result<(), RunError> {
        state.changes += 1;
        let own = state.changes;
        drop(state);
        self.saved.include(own, || {
            let mut state = self.state();
            let (text, changes) = (self.text(&mut state)?, state.changes);
            drop(state);
            state_file::write(&text, self.layout, &self.layout.state())?;
            Ok(changes)
        })
    }

    fn text(&self, state: &mut RunState) -> Result<Vec<u8>, RunError> {
        let separate = state.run.separate.get_or_insert_default();
        for (saved, lane) in separate.lanes.iter_mut().zip(&state.lanes) {
            saved.orders = lane.orders.unsaved();
        }
        let lane = LaneState::default();
        Ok(coordinator::state_text(&state.run, &lane, &state.baseline, self.layout)?)
    }

    /// What lane `lane` begins with: the state of the run as it sees it, its own, and the run's branch.
    pub(crate) fn lane(&self, lane: usize) -> (StoryRunState, SavedLane, String) {
        let mut state = self.state();
        let view = state.view(lane);
        let separate = state.separate();
        (view, separate.lanes[lane].clone(), separate.branch.clone())
    }

    /// The story in work.
    pub(crate) fn story_of(&self, lane: usize) -> Option<StoryId> {
        self.state().separate().lanes[lane].story.clone()
    }

    /// No lane starts an iteration any more.
    pub(crate) fn end_all(&self, end: RunEnd) {
        self.state().ending.get_or_insert(end);
        self.changed();
    }

    pub(crate) fn record_working_time(&self, seconds: f64) {
        self.state().run.counters.worked_seconds = seconds;
    }

    pub(crate) fn orders_of(&self, lane: usize) -> LaneOrders {
        self.state().lanes[lane].orders.clone()
    }

    /// The state of the run as lane `lane` sees it.
    pub(crate) fn view(&self, lane: usize) -> StoryRunState {
        self.state().view(lane)
    }

    /// The next story for a lane without one. Waits while other stories might make one ready.
    pub(crate) fn next_story(&self, lane: usize) -> Result<NextStory, RunError> {
        let mut state = self.state();
        loop {
            if let Some(signal) = self.switch.requested() {
                return Ok(NextStory::None(signal.end()));
            }
            if let Some(end) = state.ending {
                return Ok(NextStory::None(end));
            }
            match state.choose(self.rules) {
                Choice::Story(story)
                    if !state.is_paused && state.in_work(usize::MAX) < self.jobs =>
                {
                    state.assign(lane, &story);
                    self.save(state)?;
                    return Ok(NextStory::Begin);
                }
                Choice::Nothing(why) => return Ok(NextStory::None(why)),
                Choice::Story(_) | Choice::Wait => {}
            }
            state.lanes[lane].rest = Rest::Waiting;
            state = self.wait(state);
            state.lanes[lane].rest = Rest::None;
        }
    }

    /// Waits until a lane may go on with the story that it had when the run was interrupted.
    pub(crate) fn wait_for_place(&self, lane: usize) -> Option<RunEnd> {
        let mut state = self.state();
        while state.in_work(lane) >= self.jobs {
            let stopped = self.switch.requested().map(|signal| signal.end());
            if let Some(end) = stopped.or(state.ending) {
                return Some(end);
            }
            state.lanes[lane].rest = Rest::Waiting;
            state = self.wait(state);
            state.lanes[lane].rest = Rest::None;
        }
        None
    }

    /// Claims a number for the lane's next iteration. Waits while the run is paused.
    /// Also waits while sessions of other lanes may use up the cost limit.
    pub(crate) fn permit(&self, lane: usize, counters: &mut Counters) -> Permission {
        let mut state = self.state();
        while (state.is_paused || state.share(lane, self.most_usd, self.jobs).is_none())
            && self.switch.requested().is_none()
            && state.ending.is_none()
        {
            state.lanes[lane].rest = Rest::Waiting;
            state = self.wait(state);
            state.lanes[lane].rest = Rest::None;
        }
        if let Some(end) = state.ending {
            return Permission::Refused(NextWork::Ended(end));
        }
        if let Some(until) = state.limited_until.filter(|until| *until > events::now()) {
            return Permission::Refused(NextWork::Limited { until });
        }
        state.count(lane, counters);
        let number = state.claim(lane);
        counters.iterations = number - 1;
        state.lanes[lane].counted = *counters;
        if let (Some(most), Some(share)) =
            (self.most_usd, state.share(lane, self.most_usd, self.jobs))
        {
            state.lanes[lane].reserved_usd = share;
            counters.reserved_usd = (most - counters.cost_usd - share).max(0.0);
        }
        Permission::Granted
    }

    /// The lane's session is over, and its cost is counted.
    pub(crate) fn session_over(&self, lane: usize) {
        self.state().lanes[lane].reserved_usd = 0.0;
        self.changed();
    }

    /// Waits while another lane compacts what the run remembers.
    pub(crate) fn turn_to_compact(&self) -> MutexGuard<'_, ()> {
        self.compacting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every lane waits until the usage limit resets.
    pub(crate) fn limit_until(&self, until: DateTime<Utc>) {
        self.state().limited_until = Some(until);
    }

    /// The lane has merged its story or given it up.
    pub(crate) fn leave_story(&self, lane: usize) -> Result<(), RunError> {
        let mut state = self.state();
        state.keep_instructions(lane);
        let unused = state.separate().lanes[lane].claim;
        let separate = state.separate();
        separate.unused.extend(unused);
        let saved = &mut separate.lanes[lane];
        let SavedLane { baseline, set_up_for, .. } = std::mem::take(saved);
        *saved = SavedLane { baseline, set_up_for, ..SavedLane::default() };
        self.save(state)?;
        self.changed();
        Ok(())
    }

    /// The lane cannot be used; another one takes its story.
    pub(crate) fn give_back(&self, lane: usize, why: String) -> Result<(), RunError> {
        self.state().unprepared.get_or_insert(why);
        self.leave_story(lane)
    }

    /// The lane does nothing more. `end` is for all lanes, if it is not about stories.
    pub(crate) fn lane_ended(&self, lane: usize, end: Option<RunEnd>) {
        let mut state = self.state();
        state.lanes[lane].rest = Rest::Over;
        state.lanes[lane].reserved_usd = 0.0;
        let is_about_stories = |end: &RunEnd| {
            matches!(
                end,
                RunEnd::Complete | RunEnd::Blocked | RunEnd::StoriesFailed | RunEnd::QuestionsOpen
            )
        };
        state.ending = state.ending.or(end.filter(|end| !is_about_stories(end)));
        drop(state);
        self.changed();
    }

    /// Waits until all lanes that got their approval before have merged. `None` if the user stops the run.
    pub(crate) fn turn(&self, lane: usize) -> Option<Turn<'_, 'a>> {
        let mut state = self.state();
        state.queue.push_back(lane);
        while state.queue.front() != Some(&lane) {
            if self.switch.requested().is_some() {
                state.queue.retain(|waiting| *waiting != lane);
                return None;
            }
            state = self.wait(state);
        }
        drop(state);
        let integrator = self.integrator.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Turn { shared: self, integrator })
    }

    /// Why the run ends, after every lane has ended.
    pub(crate) fn end(&self) -> Result<RunEnd, RunError> {
        let state = self.state();
        let over = state.end_of_stories(self.rules);
        if over == RunEnd::Complete {
            return Ok(over);
        }
        let stopped = self.switch.requested().map(|signal| signal.end());
        match (stopped.or(state.ending), &state.unprepared) {
            (None, Some(why)) if state.choose(self.rules).is_story() => {
                Err(RunError::precondition(
                    format!("no lane is left for the open stories: {why}"),
                    "remove the cause, then run the same command again",
                ))
            }
            (end, _) => Ok(end.unwrap_or(over)),
        }
    }

    /// After every lane has ended, before they work on new stories. `run` is what `over` returned, with later changes.
    pub(crate) fn begin_again(&self, run: &StoryRunState) {
        let mut state = self.state();
        state.run = StoryRunState { user_instructions: UserInstructions::default(), ..run.clone() };
        (state.ending, state.limited_until) = (None, None);
        state.lanes.iter_mut().for_each(|lane| lane.rest = Rest::None);
    }

    /// The state after every lane has ended.
    pub(crate) fn over(&self) -> (SavedRun, Arc<TaskText>) {
        let state = self.state();
        let (run, baseline) = (state.run.clone(), state.baseline.clone());
        let run = StoryRunState { user_instructions: state.undelivered(), ..run };
        (SavedRun { run, lane: LaneState::default(), baseline }, Arc::clone(&state.list))
    }
}

/// The state of a lane, as part of the state of its run.
pub(crate) struct LaneStore<'a> {
    pub(crate) shared: Arc<SharedRun<'a>>,
    pub(crate) lane: usize,
}

impl StateStore for LaneStore<'_> {
    fn save(
        &self,
        run: &mut StoryRunState,
        lane: &LaneState,
        baseline: &Baseline,
    ) -> Result<(), RunError> {
        let mut state = self.shared.state();
        state.take_over(self.lane, run, lane, baseline);
        self.shared.save(state)
    }
}

/// The lane that has it may merge.
pub(crate) struct Turn<'s, 'a> {
    pub(crate) shared: &'s SharedRun<'a>,
    pub(crate) integrator: MutexGuard<'s, Integrator<'a>>,
}

impl Drop for Turn<'_, '_> {
    fn drop(&mut self) {
        self.shared.state().queue.pop_front();
        self.shared.changed();
    }
}
