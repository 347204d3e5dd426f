//! One lane of a run: leads a story after the other from the run's branch through its clone and back.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use events::{LoopEvent, RunEnd};
use tasks::StoryId;
use vcs::{CommitId, WorkTree};

use crate::clones::{self, SetupResult, set_up};
use crate::control::decide::waits_until;
use crate::control::executor::Executor;
use crate::control::{
    Counters, IterationAttempt, IterationResult, NextWork, Orders, RunControl, UserInstructions,
};
use crate::coordinator::{Coordinator, LaneState, SavedRun};
use crate::drive::{Drivable, Loop, drive};
use crate::event_sink::EventSink;
use crate::lane::{Assignment, StoryWork};
use crate::options::{LaneOptions, StoryOptions};
use crate::parallel::lane_merge::IntegrationEnd;
use crate::parallel::run_branch::commit_id;
use crate::parallel::shared_run::{LaneStore, NextStory, Permission, SharedRun};
use crate::run_files::{deadline, no_commit};
use crate::{RunError, StopSwitch};

pub(crate) struct LaneRun<'a> {
    /// From 0.
    pub(crate) lane: usize,
    pub(crate) shared: Arc<SharedRun<'a>>,
    /// Works in the clone.
    pub(crate) coordinator: Coordinator<'a>,
    /// The project's repository.
    pub(crate) project: WorkTree,
    pub(crate) branch: String,
    setup: &'a [String],
}

/// What all lanes are made from.
#[derive(Clone)]
pub(crate) struct LaneStart<'a> {
    pub(crate) shared: Arc<SharedRun<'a>>,
    pub(crate) project: WorkTree,
    pub(crate) switch: &'a StopSwitch,
    pub(crate) executor: &'a dyn Executor,
    pub(crate) sink: EventSink<'a>,
    pub(crate) lanes: &'a LaneOptions,
}

/// Works on stories in lane `lane` until none is left or the run ends. `options` are those of its clone.
pub(crate) fn work<'a>(
    start: LaneStart<'a>,
    lane: usize,
    folder: &Path,
    options: &'a StoryOptions,
) -> Result<RunEnd, RunError> {
    let shared = Arc::clone(&start.shared);
    let is_resumed = shared.story_of(lane).is_some();
    if is_resumed && let Some(end) = shared.wait_for_place(lane) {
        return Ok(end);
    }
    if !is_resumed && let NextStory::None(end) = shared.next_story(lane)? {
        return Ok(end);
    }
    let sink = start.sink.of_lane(lane as u64 + 1);
    let clone = clones::open(&start.project, folder, &options.run.layout, &sink)?;
    let mut run = LaneRun::new(start, lane, clone.tree, options, sink);
    if let SetupResult::Failed(why) = run.take_up(is_resumed, clone.is_new)? {
        run.give_back(why)?;
        return Ok(RunEnd::Blocked);
    }
    let driven = drive(&mut run);
    run.keep_open_work();
    driven
}

impl<'a> Loop<'a> for LaneRun<'a> {
    fn control(&mut self) -> &mut RunControl<'a> {
        &mut self.coordinator.control
    }

    fn counters(&mut self) -> &mut Counters {
        self.coordinator.counters()
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        self.coordinator.instructions()
    }

    fn is_unjudged(&self) -> bool {
        self.coordinator.is_unjudged()
    }
}

impl<'a> Drivable<'a> for LaneRun<'a> {
    type Work = StoryWork;

    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError> {
        self.coordinator.skip(story)
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        self.coordinator.apply_orders_while_waiting()
    }

    fn save(&mut self) -> Result<(), RunError> {
        self.coordinator.save()
    }

    fn find_work(&mut self) -> Result<NextWork<StoryWork>, RunError> {
        loop {
            self.keep_backups();
            let Some(story) = self.shared.story_of(self.lane) else {
                if let NextStory::None(end) = self.shared.next_story(self.lane)? {
                    return Ok(NextWork::Ended(end));
                }
                if let SetupResult::Failed(why) = self.begin_story()? {
                    return self.give_back(why);
                }
                continue;
            };
            let left = match self.coordinator.find_work()? {
                NextWork::Work(work) => {
                    let counters = &mut self.coordinator.state.counters;
                    return Ok(match self.shared.permit(self.lane, counters) {
                        Permission::Granted => NextWork::Work(work),
                        Permission::Refused(why) => why,
                    });
                }
                NextWork::Complete => self.integrate(&story),
                NextWork::Failed | NextWork::Blocked => self.give_up(&story),
                NextWork::Asking => self.park(&story),
                other @ (NextWork::Ended(_) | NextWork::Limited { .. }) => return Ok(other),
            };
            let is_interrupted = match left {
                Err(RunError::Stopped { .. }) => true,
                left => matches!(left?, IntegrationEnd::Interrupted),
            };
            if is_interrupted && let Some(signal) = self.coordinator.control.switch.requested() {
                return Ok(NextWork::Ended(signal.end()));
            }
        }
    }

    fn iterate(
        &mut self,
        attempt: IterationAttempt,
        work: StoryWork,
    ) -> Result<IterationResult, RunError> {
        self.coordinator.state.usage_limits.merge(&self.shared.state().run.usage_limits);
        let (assignment, began) = (self.coordinator.assign(attempt, work)?, Instant::now());
        self.coordinator.control.orders.story = Some(assignment.story.clone());
        let compacted = self.compact_if_due(&assignment);
        let ended = compacted.and_then(|()| self.coordinator.iterate_story(assignment, began));
        self.coordinator.control.orders.story = None;
        self.shared.session_over(self.lane);
        let ended = ended?;
        let policy = &self.coordinator.options.run.policy;
        if let Some(until) = waits_until(policy, &ended, events::now()) {
            self.shared.limit_until(until);
        }
        Ok(ended)
    }
}

impl<'a> LaneRun<'a> {
    fn new(
        start: LaneStart<'a>,
        lane: usize,
        tree: WorkTree,
        options: &'a StoryOptions,
        sink: EventSink<'a>,
    ) -> Self {
        let LaneStart { shared, project, switch, executor, lanes, .. } = start;
        let (run, saved, branch) = shared.lane(lane);
        let saved = SavedRun { run, lane: saved.state, baseline: saved.baseline };
        let mut coordinator = Coordinator::new(options, tree, saved, switch, sink);
        coordinator.control.executor = executor;
        coordinator.control.orders = Orders::of_lane(shared.orders_of(lane));
        coordinator.store = Box::new(LaneStore { shared: Arc::clone(&shared), lane });
        coordinator.lane.workspace.baseline.branch.clone_from(&branch);
        Self { lane, shared, coordinator, project, branch, setup: &lanes.setup }
    }
}

impl LaneRun<'_> {
    /// Continues in the clone what a killed runner began there, or begins the lane's first story.
    fn take_up(&mut self, is_resumed: bool, is_new: bool) -> Result<SetupResult, RunError> {
        if is_new {
            let lost = std::mem::take(&mut self.coordinator.lane_state);
            let at = self.kept_work()?;
            self.coordinator.lane.workspace.tree.check_out(&self.branch, &at, deadline())?;
            if is_resumed && lost != LaneState::default() {
                let text = format!("the clone of the lane is gone; its work goes on from {at}");
                self.coordinator.control.sink.warn(text);
            }
        }
        self.coordinator.take_up_clone()?;
        if self.is_unjudged() {
            // The user stopped the run again. Its work is judged first.
            return Ok(SetupResult::Unneeded);
        }
        let (start, kept, head) = (self.start()?, self.kept_work()?, self.head()?);
        let tree = &self.coordinator.lane.workspace.tree;
        // A killed runner may have assigned the story without moving the clone to its start, or to its work before a
        // question.
        let is_begun = is_resumed
            && head != start
            && tree.is_ancestor(&start, &head, deadline())?
            && tree.has_commit(&kept, deadline())?
            && tree.is_ancestor(&kept, &head, deadline())?;
        match (is_begun, is_new) {
            (true, true) => self.prepare_clone(&head),
            (true, false) => self.reset_clone(&head),
            (false, true) => {
                let start = self.assign()?;
                self.prepare_clone(&start)
            }
            (false, false) => self.begin_story(),
        }
    }

    /// One lane at a time, because all lanes have one account. It is made of the handoffs of merged stories.
    fn compact_if_due(&mut self, assignment: &Assignment) -> Result<(), RunError> {
        if self.coordinator.options.memory.is_none() {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let _turn = shared.turn_to_compact();
        let memory = &mut self.coordinator.state.memory;
        *memory = shared.state().run.memory.in_lane(memory, &assignment.story);
        self.coordinator.compact_if_due(assignment)
    }

    /// Where the work on the lane's story goes on in a new clone.
    fn kept_work(&self) -> Result<CommitId, RunError> {
        let story = self.shared.story_of(self.lane);
        let record = story.and_then(|story| self.coordinator.state.stories.get(&story));
        let judged = record.and_then(|record| CommitId::new(&record.work.last()?.to).ok());
        let start = self.start()?;
        match judged {
            // Work of an earlier run is part of the run's branch already.
            Some(commit)
                if self.project.has_commit(&commit, deadline())?
                    && self.project.is_ancestor(&start, &commit, deadline())? =>
            {
                Ok(commit)
            }
            _ => Ok(start),
        }
    }

    /// The clone may be removed after the run: its work has a ref in the project.
    fn keep_open_work(&mut self) {
        self.coordinator.lane.remove_marker();
        self.keep_backups();
        let sink = self.coordinator.control.sink.clone();
        if self.is_unjudged() {
            sink.warn("the last iteration of the lane is not judged; the next run judges it first");
        }
        let Some(story) = self.shared.story_of(self.lane) else { return };
        let kept = self.head().and_then(|head| self.fetch(&head, &self.kept_as(&story)));
        if let Err(error) = kept.and_then(|()| self.coordinator.save()) {
            sink.warn(format!("the work on {story} is only in the lane's clone: {error}"));
        }
    }

    /// The commit of the run's branch from which the work began.
    pub(crate) fn start(&self) -> Result<CommitId, RunError> {
        commit_id(&self.shared.state().separate().lanes[self.lane].start)
    }

    fn begin_story(&mut self) -> Result<SetupResult, RunError> {
        let start = self.assign()?;
        self.reset_clone(&start)
    }

    /// Where the work on the lane's new story begins, or goes on after an answer.
    fn assign(&mut self) -> Result<CommitId, RunError> {
        self.coordinator.state = self.shared.view(self.lane);
        let start = self.kept_work()?;
        if let Some(story) = self.shared.story_of(self.lane) {
            let commit = start.to_string();
            self.coordinator.control.sink.emit(LoopEvent::StoryAssigned { story, commit });
        }
        Ok(start)
    }

    /// Another lane takes the story.
    fn give_back(&mut self, why: String) -> Result<NextWork<StoryWork>, RunError> {
        let number = self.lane + 1;
        self.coordinator.control.sink.warn(format!("lane {number} cannot be used: {why}"));
        self.shared.give_back(self.lane, why)?;
        Ok(NextWork::Blocked)
    }

    pub(crate) fn leave_story(&mut self) -> Result<(), RunError> {
        self.coordinator.save()?;
        let control = &self.coordinator.control;
        let story = self.shared.story_of(self.lane);
        if let Some(story) = story {
            control.executor.forget_jobs(&control.run_id, &story, &control.sink);
        }
        self.shared.leave_story(self.lane)
    }

    pub(crate) fn head(&self) -> Result<CommitId, RunError> {
        self.coordinator.lane.workspace.tree.head(deadline())?.ok_or_else(no_commit)
    }

    /// Moves the clone to `commit`. Ignored files stay, such as installed dependencies.
    pub(crate) fn reset_clone(&mut self, commit: &CommitId) -> Result<SetupResult, RunError> {
        let workspace = &mut self.coordinator.lane.workspace;
        workspace.tree.start_branch(&self.branch, commit, deadline())?;
        workspace.record_users_files()?;
        self.prepare_clone(commit)
    }

    /// Runs the setup commands if they are due. The clone is at `commit`.
    fn prepare_clone(&mut self, commit: &CommitId) -> Result<SetupResult, RunError> {
        let Coordinator { lane, control, layout, .. } = &mut self.coordinator;
        let workspace = &mut lane.workspace;
        let mut set_up_for = self.shared.state().separate().lanes[self.lane].set_up_for;
        let name = format!("setup-lane-{}", self.lane + 1);
        let folder = layout.run_dir(&workspace.run_id).join(name);
        let result = set_up(self.setup, commit, workspace, control, &mut set_up_for, &folder)?;
        self.shared.state().separate().lanes[self.lane].set_up_for = set_up_for;
        if !matches!(result, SetupResult::Unneeded) {
            let workspace = &mut self.coordinator.lane.workspace;
            workspace.tree.start_branch(&self.branch, commit, deadline())?;
            workspace.record_users_files()?;
        }
        self.coordinator.judged = None;
        self.coordinator.expected_tasks()?;
        self.coordinator.save()?;
        Ok(result)
    }

    /// Copies discarded work of the story, such as that of an iteration that was rolled back.
    fn keep_backups(&mut self) {
        let backups = self.coordinator.lane.workspace.take_backups();
        let top = self.coordinator.lane.workspace.tree.top();
        for (name, commit) in backups {
            if let Err(error) = self.project.fetch_ref(top, &name, &commit, &name, deadline()) {
                let text = format!("{name} is only in the lane's clone: {error}");
                self.coordinator.control.sink.warn(text);
            }
        }
    }

    pub(crate) fn fetch(&self, commit: &CommitId, to: &str) -> Result<(), RunError> {
        let top = self.coordinator.lane.workspace.tree.top();
        Ok(self.project.fetch_branch(top, &self.branch, commit, to, deadline())?)
    }

    pub(crate) fn kept_as(&self, story: &StoryId) -> String {
        format!("refs/ralph/{}/{story}", self.coordinator.state.run_id)
    }
}
