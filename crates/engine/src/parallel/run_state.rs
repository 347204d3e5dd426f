//! The state of a run with lanes: which story each lane works on, what all of them counted and spent.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use events::RunEnd;
use tasks::{BlockedStory, ReviewPolicy, Scope, Selection, StoryId, TaskList};

use crate::checks::KnownFailures;
use crate::control::{Counters, LaneOrders};
use crate::coordinator::{
    CheckedBase, LaneState, ParkedStory, SavedLane, SeparateState, StoryRunState,
};
use crate::lane::{TaskText, is_last_open};
use crate::workspace::Baseline;

/// The smallest part of the cost limit that is worth a session.
const SMALLEST_SHARE: f64 = 0.01;

pub(crate) struct RunState {
    /// Saved.
    pub(crate) run: StoryRunState,
    /// Of the verification clone; saved.
    pub(crate) baseline: Baseline,
    /// The name of the ralph folder, whose files are merged as data.
    pub(crate) ralph_dir: String,
    /// Of the run's branch.
    pub(crate) list: Arc<TaskText>,
    pub(crate) lanes: Vec<LaneActivity>,
    /// Lanes with approved work, in the order of approval.
    pub(crate) queue: VecDeque<usize>,
    /// No lane starts an iteration.
    pub(crate) is_paused: bool,
    /// A lane reached a limit of the run or failed: no lane starts an iteration.
    pub(crate) ending: Option<RunEnd>,
    /// When the usage limit resets.
    pub(crate) limited_until: Option<DateTime<Utc>>,
    /// A lane that could not be prepared, and why.
    pub(crate) unprepared: Option<String>,
    /// Counts what was to be saved.
    pub(crate) changes: u64,
}

#[derive(Default)]
pub(crate) struct LaneActivity {
    /// What the totals of the run contain of the lane's counters.
    pub(crate) counted: Counters,
    pub(crate) orders: LaneOrders,
    pub(crate) rest: Rest,
    /// What its session may cost, while it runs.
    pub(crate) reserved_usd: f64,
    /// Checks that fail on the commit from which its story began.
    pub(crate) known: KnownFailures,
}

#[derive(Default, PartialEq, Eq)]
pub(crate) enum Rest {
    #[default]
    None,
    /// It waits for a story, or because the run is paused.
    Waiting,
    Over,
}

pub(crate) enum Choice {
    Story(StoryId),
    /// Stories in work may make others ready.
    Wait,
    Nothing(RunEnd),
}

impl Choice {
    pub(crate) fn is_story(&self) -> bool {
        matches!(self, Self::Story(_))
    }
}

impl RunState {
    pub(crate) fn separate(&mut self) -> &mut SeparateState {
        self.run.separate.get_or_insert_default()
    }

    pub(crate) fn lanes(&self) -> &[SavedLane] {
        self.run.separate.as_ref().map_or(&[], |separate| &separate.lanes)
    }

    /// Whether every lane waits or has ended.
    pub(crate) fn is_resting(&self) -> bool {
        self.lanes.iter().all(|lane| lane.rest != Rest::None)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lanes.iter().all(|lane| lane.rest == Rest::Over)
    }

    pub(crate) fn selection(&self, rules: ReviewPolicy, held: &BTreeSet<StoryId>) -> Selection {
        let excluded = &self.run.given_up() | held;
        tasks::select(&self.list.list, rules, &excluded, &self.run.asking(), &self.run.scope)
    }

    pub(crate) fn choose(&self, rules: ReviewPolicy) -> Choice {
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

    pub(crate) fn is_last_open(&self, story: &StoryId, list: &TaskList) -> bool {
        is_last_open(story, list, &self.run.scope, &self.run.given_up())
    }

    /// The number of stories in work in lanes before `lane`.
    pub(crate) fn in_work(&self, lane: usize) -> usize {
        let lanes = self.lanes.iter().zip(self.lanes()).take(lane);
        lanes.filter(|(lane, saved)| lane.rest != Rest::Over && saved.story.is_some()).count()
    }

    /// Why no story can be begun.
    pub(crate) fn end_of_stories(&self, rules: ReviewPolicy) -> RunEnd {
        match self.selection(rules, &BTreeSet::new()) {
            Selection::Complete => RunEnd::Complete,
            Selection::Blocked(stories) if stories.iter().any(BlockedStory::is_asking) => {
                RunEnd::QuestionsOpen
            }
            Selection::Blocked(stories) if stories.iter().any(BlockedStory::is_given_up) => {
                RunEnd::StoriesFailed
            }
            // The answer came when no lane was left.
            Selection::Work { story, .. } if self.run.has_new_answer(&story) => {
                RunEnd::QuestionsOpen
            }
            // A lane that failed has the story that is left.
            Selection::Blocked(_) | Selection::Work { .. } => RunEnd::Blocked,
        }
    }

    pub(crate) fn assign(&mut self, lane: usize, story: &StoryId) {
        let memory = self.run.memory.clone();
        let instructions = self.instructions_for(story);
        let separate = self.separate();
        let parked = separate.parked.get(story).cloned().unwrap_or_else(|| ParkedStory {
            start: separate.tip.clone(),
            scope: Scope::of(story.clone()),
        });
        let saved = &mut separate.lanes[lane];
        saved.story = Some(story.clone());
        (saved.start, saved.scope) = (parked.start, parked.scope);
        saved.memory = memory;
        saved.instructions.extend(instructions);
        self.lanes[lane].known = self.run.known_failures();
    }

    /// The story leaves its lane with a question. Its work goes on from there.
    pub(crate) fn park(&mut self, lane: usize) {
        let separate = self.separate();
        let SavedLane { story, start, scope, .. } = separate.lanes[lane].clone();
        separate.parked.extend(story.map(|story| (story, ParkedStory { start, scope })));
    }

    pub(crate) fn claim(&mut self, lane: usize) -> u64 {
        let separate = self.separate();
        let number = separate.lanes[lane].claim.or_else(|| separate.unused.pop_first());
        let number = number.unwrap_or(separate.claimed + 1);
        separate.claimed = separate.claimed.max(number);
        separate.lanes[lane].claim = Some(number);
        number
    }

    /// What the next session of the lane may cost; `None` while other lanes may use up what is left. Without a limit
    /// any amount.
    pub(crate) fn share(&self, lane: usize, most: Option<f64>, jobs: usize) -> Option<f64> {
        let Some(most) = most else { return Some(0.0) };
        let others = self.lanes.iter().enumerate().filter(|(other, _)| *other != lane);
        let reserved = others.map(|(_, other)| other.reserved_usd).filter(|usd| *usd > 0.0);
        let (count, reserved) = reserved.fold((0, 0.0), |(count, sum), usd| (count + 1, sum + usd));
        let left = most - self.run.counters.cost_usd - reserved;
        let share = left / jobs.saturating_sub(count).max(1) as f64;
        (count == 0 || share >= most * SMALLEST_SHARE).then_some(share.max(0.0))
    }

    pub(crate) fn view(&mut self, lane: usize) -> StoryRunState {
        let mut view = StoryRunState { separate: None, ..self.run.clone() };
        view.checked_base =
            Some(CheckedBase { commit: None, known: self.lanes[lane].known.clone() });
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
    pub(crate) fn count(&mut self, lane: usize, own: &mut Counters) {
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
        let Counters { iterations: number, retries, reserved_usd, .. } = *own;
        *own = Counters { iterations: number, retries, reserved_usd, ..*total };
        self.lanes[lane].counted = *own;
        if iterations > 0 {
            self.separate().lanes[lane].claim = None;
        }
    }

    pub(crate) fn take_over(
        &mut self,
        lane: usize,
        view: &mut StoryRunState,
        state: &LaneState,
        baseline: &Baseline,
    ) {
        self.count(lane, &mut view.counters);
        self.run.tokens.add(std::mem::take(&mut view.tokens));
        self.run.context_window = view.context_window.or(self.run.context_window);
        self.run.usage_limits.merge(&view.usage_limits);
        self.record_received(lane, &view.user_instructions);
        let saved = &mut self.run.separate.get_or_insert_default().lanes[lane];
        if view.memory.compactions > self.run.memory.compactions {
            self.run.memory.add_account_of(&view.memory, &saved.memory);
        }
        if let Some(story) = &saved.story {
            for (id, record) in &mut view.stories {
                if let Some(newer) = self.run.stories.get(id) {
                    record.update_answers(newer);
                }
            }
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
        saved.state.clone_from(state);
        saved.baseline.clone_from(baseline);
    }
}
