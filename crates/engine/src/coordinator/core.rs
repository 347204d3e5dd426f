//! The coordinator itself: its state, the judged task list, selection and saving.

use std::sync::Arc;

use events::StoryBrief;
use project::Layout;
use tasks::{BlockedStory, ReviewStatus, Selection, Story, TaskList};
use vcs::WorkTree;

use crate::control::RunControl;
use crate::coordinator::judged_list::{JudgedList, UnjudgedList, judged_list};
use crate::coordinator::state::{self, LaneState, SavedRun, StoryRunState};
use crate::event_sink::EventSink;
use crate::lane::{Lane, TaskText};
use crate::options::StoryOptions;
use crate::workspace::Baseline;
use crate::{RunError, StopSwitch};

/// Where a coordinator saves its state.
pub(crate) trait StateStore {
    /// May update what other lanes of the run changed meanwhile.
    fn save(
        &self,
        run: &mut StoryRunState,
        lane: &LaneState,
        baseline: &Baseline,
    ) -> Result<(), RunError>;
}

/// `.ralph/state.json` of a run in the user's work tree.
struct StateFile<'a>(&'a Layout);

impl StateStore for StateFile<'_> {
    fn save(
        &self,
        run: &mut StoryRunState,
        lane: &LaneState,
        baseline: &Baseline,
    ) -> Result<(), RunError> {
        Ok(state::save(run, lane, baseline, self.0)?)
    }
}

pub(crate) struct Coordinator<'a> {
    pub(crate) options: &'a StoryOptions,
    pub(crate) layout: &'a Layout,
    pub(crate) control: RunControl<'a>,
    pub(crate) lane: Lane<'a>,
    pub(crate) state: StoryRunState,
    pub(crate) lane_state: LaneState,
    pub(crate) store: Box<dyn StateStore + Send + 'a>,
    /// The task list that was judged last.
    pub(crate) judged: Option<Arc<TaskText>>,
    /// This process ran the checks on the base: a state file of an earlier one can be forged.
    pub(crate) base_is_checked: bool,
}

impl<'a> Coordinator<'a> {
    pub(crate) fn new(
        options: &'a StoryOptions,
        tree: WorkTree,
        SavedRun { run: state, lane: lane_state, baseline }: SavedRun,
        switch: &'a StopSwitch,
        sink: EventSink<'a>,
    ) -> Self {
        let run_id = state.run_id.clone();
        let lane = Lane::new(options, run_id.clone(), tree, baseline, sink.clone());
        let control = RunControl::new(&options.run, run_id, &state.counters, switch, sink);
        Self {
            options,
            layout: &options.run.layout,
            control,
            lane,
            state,
            lane_state,
            store: Box::new(StateFile(&options.run.layout)),
            judged: None,
            base_is_checked: false,
        }
    }

    pub(crate) fn select_next(&mut self) -> Result<Selection, RunError> {
        let expected = self.expected_tasks()?;
        self.state.scope.follow_splits(&expected.list);
        Ok(self.select(&expected.list))
    }

    pub(crate) fn select(&self, list: &TaskList) -> Selection {
        let (rules, state) = (self.options.rules(), &self.state);
        tasks::select(list, rules, &state.given_up(), &state.asking(), &state.scope)
    }

    pub(crate) fn brief(&self, story: &Story) -> StoryBrief {
        let record = self.state.stories.get(&story.id);
        let lanes = self.state.separate.iter().flat_map(|separate| &separate.lanes);
        let is_unmerged = lanes
            .filter(|lane| lane.is_approved)
            .any(|lane| lane.story.as_ref() == Some(&story.id));
        let of_list = StoryBrief::of(story);
        StoryBrief {
            review_status: match is_unmerged {
                true => ReviewStatus::Approved,
                false => of_list.review_status,
            },
            failed_attempts: record.map_or(0, |record| record.attempts.len() as u64),
            cost_usd: record.map_or(0.0, |record| record.cost_usd),
            given_up: record.and_then(|record| record.given_up.clone()),
            question: self.state.question_about(&story.id).filter(|_| !story.passes),
            ..of_list
        }
    }

    /// The stories of the last judged list, and why stories are blocked. Empty if the list cannot be read.
    pub(crate) fn briefs(&self) -> (Vec<StoryBrief>, Vec<BlockedStory>) {
        let expected = match (&self.judged, judged_list(self.layout)) {
            (Some(judged), _) => Some(Arc::clone(judged)),
            (None, JudgedList::Unjudged(UnjudgedList { before, .. })) => {
                before.and_then(|bytes| TaskText::parse(&bytes).ok()).map(Arc::new)
            }
            (None, _) => TaskText::read(self.layout).ok().map(Arc::new),
        };
        let Some(expected) = expected else { return Default::default() };
        let briefs = expected.list.stories.iter().map(|story| self.brief(story)).collect();
        let blocked = match self.select(&expected.list) {
            Selection::Blocked(stories) => stories,
            _ => Vec::new(),
        };
        (briefs, blocked)
    }

    /// The state is on disk before the step that depends on it.
    pub(crate) fn save(&mut self) -> Result<(), RunError> {
        self.store_notices();
        self.store.save(&mut self.state, &self.lane_state, &self.lane.workspace.baseline)
    }

    /// Stores what the workspace noticed since the last call, for the reviews of the stories.
    pub(crate) fn store_notices(&mut self) {
        for (story, notice) in self.lane.workspace.take_notices() {
            let notices = &mut self.state.story(&story).notices;
            // An iteration that is judged again produces the same notice.
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
    }
}
