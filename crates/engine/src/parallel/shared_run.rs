//! What the lanes of a run share: its state, the list of its branch, and whose turn it is to merge.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use events::RunEnd;
use project::Layout;
use project::orders::Order;
use supervise::TICK;
use tasks::{BlockedStory, ReviewPolicy, Scope, Selection, StoryId};

use crate::control::{Counters, LaneOrders, NextWork};
use crate::coordinator::{
    self, LaneState, SavedLane, SavedRun, SeparateState, StateStore, StoryRunState,
};
use crate::lane::{StoryWork, TaskText};
use crate::options::StoryOptions;
use crate::parallel::integration::Integration;
use crate::parallel::verification::Verification;
use crate::workspace::Baseline;
use crate::{RunError, StopSwitch};

pub(crate) struct SharedRun<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) switch: &'a StopSwitch,
    rules: ReviewPolicy,
    /// Stories that may be in work at once. An interrupted run may have more lanes.
    jobs: usize,
    state: Mutex<RunState>,
    changed: Condvar,
    integrator: Mutex<Integrator<'a>>,
}

/// Used by one lane at a time.
pub(crate) struct Integrator<'a> {
    pub(crate) integration: Integration<'a>,
    pub(crate) verification: Verification<'a>,
}

pub(crate) struct RunState {
    /// Saved.
    pub(crate) run: StoryRunState,
    /// Of the verification clone; saved.
    baseline: Baseline,
    /// The name of the ralph folder, whose files are merged as data.
    ralph_dir: String,
    /// Of the run's branch.
    pub(crate) list: Arc<TaskText>,
    lanes: Vec<LaneActivity>,
    /// Lanes with approved work, in the order of approval.
    queue: VecDeque<usize>,
    /// No lane starts an iteration.
    pub(crate) is_paused: bool,
    /// A lane reached a limit of the run or failed: no lane starts an iteration.
    ending: Option<RunEnd>,
    /// When the usage limit resets.
    limited_until: Option<DateTime<Utc>>,
    /// A lane that could not be prepared, and why.
    unprepared: Option<String>,
}

#[derive(Default)]
struct LaneActivity {
    /// What the totals of the run contain of the lane's counters.
    counted: Counters,
    orders: LaneOrders,
    rest: Rest,
}

#[derive(Default, PartialEq, Eq)]
enum Rest {
    #[default]
    None,
    /// It waits for a story, or because the run is paused.
    Waiting,
    Over,
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
        let separate = run.separate.get_or_insert_default();
        let count = separate.lanes.len().max(lanes);
        separate.lanes.resize_with(count, SavedLane::default);
        let lane = |saved: &SavedLane| LaneActivity {
            orders: LaneOrders::new(saved.orders.clone()),
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
        };
        Self {
            layout: &options.run.layout,
            switch,
            rules: options.rules(),
            jobs: options
                .lanes
                .as_ref()
                .map_or(1, |own| usize::try_from(own.jobs).unwrap_or(lanes)),
            state: Mutex::new(state),
            changed: Condvar::new(),
            integrator: Mutex::new(integrator),
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

    pub(crate) fn save(&self, state: &mut RunState) -> Result<(), RunError> {
        let separate = state.run.separate.get_or_insert_default();
        for (saved, lane) in separate.lanes.iter_mut().zip(&state.lanes) {
            saved.orders = lane.orders.unsaved();
        }
        let lane = LaneState::default();
        Ok(coordinator::save(&state.run, &lane, &state.baseline, self.layout)?)
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
                    self.save(&mut state)?;
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
    pub(crate) fn permit(&self, lane: usize, counters: &mut Counters) -> Permission {
        let mut state = self.state();
        while state.is_paused && self.switch.requested().is_none() {
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
        Permission::Granted
    }

    /// Every lane waits until the usage limit resets.
    pub(crate) fn limit_until(&self, until: DateTime<Utc>) {
        self.state().limited_until = Some(until);
    }

    /// The lane has merged its story or given it up.
    pub(crate) fn leave_story(&self, lane: usize) -> Result<(), RunError> {
        let mut state = self.state();
        let unused = state.separate().lanes[lane].claim;
        let separate = state.separate();
        separate.unused.extend(unused);
        let saved = &mut separate.lanes[lane];
        let SavedLane { baseline, set_up_for, .. } = std::mem::take(saved);
        *saved = SavedLane { baseline, set_up_for, ..SavedLane::default() };
        self.save(&mut state)?;
        drop(state);
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
        let is_about_stories = |end: &RunEnd| {
            matches!(end, RunEnd::Complete | RunEnd::Blocked | RunEnd::StoriesFailed)
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

    /// The state after every lane has ended.
    pub(crate) fn over(&self) -> (SavedRun, Arc<TaskText>) {
        let state = self.state();
        let (run, baseline) = (state.run.clone(), state.baseline.clone());
        (SavedRun { run, lane: LaneState::default(), baseline }, Arc::clone(&state.list))
    }
}

enum Choice {
    Story(StoryId),
    /// Stories in work may make others ready.
    Wait,
    Nothing(RunEnd),
}

impl Choice {
    fn is_story(&self) -> bool {
        matches!(self, Self::Story(_))
    }
}

impl RunState {
    pub(crate) fn separate(&mut self) -> &mut SeparateState {
        self.run.separate.get_or_insert_default()
    }

    fn lanes(&self) -> &[SavedLane] {
        self.run.separate.as_ref().map_or(&[], |separate| &separate.lanes)
    }

    /// Passes an order on to the lanes that it is for, or keeps it until a lane begins a story. An error says why it
    /// cannot be executed.
    pub(crate) fn give(&mut self, order: &Order) -> Result<(), String> {
        let lanes: Vec<usize> =
            (0..self.lanes.len()).filter(|lane| self.lanes()[*lane].story.is_some()).collect();
        match order {
            Order::Pause | Order::GoOn | Order::Stop => {}
            Order::Skip { story: Some(story) } => {
                self.require_open(story)?;
                self.run.skips.insert(story.clone());
                if let Some(lane) = lanes.iter().find(|lane| self.is_in_work(**lane, story)) {
                    self.lanes[*lane].orders.add(order.clone());
                }
            }
            Order::Skip { story: None } => match *lanes {
                [lane] => self.lanes[lane].orders.add(order.clone()),
                _ => return Err(format!("{} stories are in work: name one", lanes.len())),
            },
            Order::Steer { text, story: Some(story) } => {
                let in_work = lanes.iter().find(|lane| self.is_in_work(**lane, story));
                match in_work {
                    Some(lane) => self.lanes[*lane].orders.add(order.clone()),
                    None => {
                        self.require_open(story)?;
                        let texts = self.separate().instructions.entry(story.clone()).or_default();
                        texts.push(text.clone());
                    }
                }
            }
            Order::Steer { .. } if lanes.is_empty() => {
                return Err("no story is in work".to_owned());
            }
            Order::Steer { .. } => {
                lanes.iter().for_each(|lane| self.lanes[*lane].orders.add(order.clone()));
            }
        }
        Ok(())
    }

    fn is_in_work(&self, lane: usize, story: &StoryId) -> bool {
        self.lanes()[lane].story.as_ref() == Some(story)
    }

    fn require_open(&self, story: &StoryId) -> Result<(), String> {
        let why = match self.list.list.story(story) {
            None => "the task list has no such story",
            Some(story) if story.passes => "it is done already",
            Some(story) if self.run.given_up().contains(&story.id) => "it is given up already",
            Some(_) => return Ok(()),
        };
        Err(why.to_owned())
    }

    /// Whether every lane waits or has ended.
    pub(crate) fn is_resting(&self) -> bool {
        self.lanes.iter().all(|lane| lane.rest != Rest::None)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lanes.iter().all(|lane| lane.rest == Rest::Over)
    }

    fn selection(&self, rules: ReviewPolicy, held: &BTreeSet<StoryId>) -> Selection {
        let excluded = &self.run.given_up() | held;
        tasks::select(&self.list.list, rules, &excluded, &self.run.scope)
    }

    fn choose(&self, rules: ReviewPolicy) -> Choice {
        let held: BTreeSet<StoryId> =
            self.lanes().iter().filter_map(|lane| lane.story.clone()).collect();
        let given_up = self.run.given_up();
        let is_open = |id: &&StoryId| {
            let story = self.list.list.story(id);
            story.is_some_and(|story| !story.passes) && !held.contains(id) && !given_up.contains(id)
        };
        if let Some(skipped) = self.run.skips.iter().find(is_open) {
            return Choice::Story(skipped.clone());
        }
        if let Some(story) = self.without_conflict(rules, &held) {
            return Choice::Story(story);
        }
        if self.in_work(usize::MAX) > 0 {
            return Choice::Wait;
        }
        Choice::Nothing(self.end_of_stories(rules))
    }

    /// The number of stories in work in lanes before `lane`.
    fn in_work(&self, lane: usize) -> usize {
        let lanes = self.lanes.iter().zip(self.lanes()).take(lane);
        lanes.filter(|(lane, saved)| lane.rest != Rest::Over && saved.story.is_some()).count()
    }

    /// Why no story can be begun.
    fn end_of_stories(&self, rules: ReviewPolicy) -> RunEnd {
        match self.selection(rules, &BTreeSet::new()) {
            Selection::Complete => RunEnd::Complete,
            Selection::Blocked(stories) if stories.iter().any(BlockedStory::is_given_up) => {
                RunEnd::StoriesFailed
            }
            // A lane that failed has the story that is left.
            Selection::Blocked(_) | Selection::Work { .. } => RunEnd::Blocked,
        }
    }

    /// The first ready story that probably changes no file of a story in work; else the first one.
    fn without_conflict(&self, rules: ReviewPolicy, held: &BTreeSet<StoryId>) -> Option<StoryId> {
        let in_work: Vec<String> = held.iter().flat_map(|story| self.touched(story)).collect();
        let (mut excluded, mut first) = (held.clone(), None);
        while let Selection::Work { story, .. } = self.selection(rules, &excluded) {
            let touched = self.touched(&story);
            let is_shared = |path: &String| in_work.iter().any(|other| overlap(path, other));
            if !touched.iter().any(is_shared) {
                return Some(story);
            }
            first = first.or(Some(story.clone()));
            excluded.insert(story);
        }
        first
    }

    /// Paths that the story names, and those that its earlier sessions changed.
    fn touched(&self, story: &StoryId) -> Vec<String> {
        let named = self.list.list.story(story).into_iter().flat_map(|story| &story.touches);
        let changed = self.run.attempts(story).iter().flat_map(|attempt| &attempt.files_modified);
        let ralph_dir = |path: &&String| path.starts_with(&self.ralph_dir);
        named.chain(changed.filter(|path| !ralph_dir(path))).cloned().collect()
    }

    fn assign(&mut self, lane: usize, story: &StoryId) {
        let memory = self.run.memory.clone();
        let separate = self.separate();
        let start = separate.tip.clone();
        let instructions = separate.instructions.remove(story).unwrap_or_default();
        let saved = &mut separate.lanes[lane];
        saved.story = Some(story.clone());
        saved.start = start;
        saved.scope = Scope::of(story.clone());
        saved.memory = memory;
        saved.instructions.extend(instructions);
    }

    fn claim(&mut self, lane: usize) -> u64 {
        let separate = self.separate();
        let number = separate.lanes[lane].claim.or_else(|| separate.unused.pop_first());
        let number = number.unwrap_or(separate.claimed + 1);
        separate.claimed = separate.claimed.max(number);
        separate.lanes[lane].claim = Some(number);
        number
    }

    fn view(&mut self, lane: usize) -> StoryRunState {
        let mut view = StoryRunState { separate: None, ..self.run.clone() };
        view.tokens = Default::default();
        view.counters.retries = 0;
        let saved = &self.separate().lanes[lane];
        view.scope = saved.scope.clone();
        view.failed_last = saved.failed_last.clone();
        view.memory = saved.memory.clone();
        view.user_instructions = saved.instructions.clone();
        let is_own = |story: &StoryId| saved.story.as_ref() == Some(story);
        view.skips.retain(is_own);
        self.lanes[lane].counted = view.counters;
        view
    }

    /// Adds what the lane counted since the last time to the totals, and gives it the new totals.
    fn count(&mut self, lane: usize, own: &mut Counters) {
        let counted = self.lanes[lane].counted;
        let total = &mut self.run.counters;
        let iterations = own.iterations.saturating_sub(counted.iterations);
        total.iterations += iterations;
        total.accepted += own.accepted.saturating_sub(counted.accepted);
        total.failed += own.failed.saturating_sub(counted.failed);
        total.turns += own.turns.saturating_sub(counted.turns);
        total.cost_usd += own.cost_usd - counted.cost_usd;
        total.void_reviews = own.void_reviews;
        if own.quota != counted.quota {
            total.quota = own.quota;
        }
        *own = Counters { iterations: own.iterations, retries: own.retries, ..*total };
        self.lanes[lane].counted = *own;
        if iterations > 0 {
            self.separate().lanes[lane].claim = None;
        }
    }

    fn take_over(
        &mut self,
        lane: usize,
        view: &mut StoryRunState,
        state: &LaneState,
        baseline: &Baseline,
    ) {
        self.count(lane, &mut view.counters);
        self.run.tokens.add(std::mem::take(&mut view.tokens));
        self.run.context_window = view.context_window.or(self.run.context_window);
        let saved = &mut self.run.separate.get_or_insert_default().lanes[lane];
        if view.memory.compactions > self.run.memory.compactions {
            self.run.memory.add_account_of(&view.memory, &saved.memory);
        }
        if let Some(story) = &saved.story {
            let of_lane = view.stories.iter().filter(|(id, _)| view.scope.contains(id));
            self.run.stories.extend(of_lane.map(|(id, record)| (id.clone(), record.clone())));
            if !view.skips.contains(story) {
                self.run.skips.remove(story);
            } else {
                self.run.skips.insert(story.clone());
            }
            saved.scope = view.scope.clone();
        }
        saved.failed_last.clone_from(&view.failed_last);
        saved.memory.clone_from(&view.memory);
        saved.instructions.clone_from(&view.user_instructions);
        saved.state.clone_from(state);
        saved.baseline.clone_from(baseline);
    }
}

/// Whether the paths are equal, or one is a folder that contains the other. A pattern counts up to its first wildcard.
fn overlap(one: &str, other: &str) -> bool {
    let plain = |path: &str| path.split(['*', '?', '[']).next().unwrap_or_default().to_owned();
    let (one, other) = (plain(one), plain(other));
    let contains = |folder: &str, path: &str| {
        path.strip_prefix(folder).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with('/') || folder.is_empty() || folder.ends_with('/')
        })
    };
    contains(&one, &other) || contains(&other, &one)
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
        self.shared.save(&mut state)
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
