//! Starts a run of the story loop: preconditions, the lock, an earlier run, the branch.

use std::time::Instant;

use events::{LoopEvent, LoopKind, Resumed, RunEnd, RunStart};
use project::{LARGEST_TASK_LIST, Layout, RunLock, StoredMarker};
use tasks::TaskList;
use vcs::{CommitId, WorkTree};

use crate::control::executor::{Executor, LocalProcesses};
use crate::control::{Counters, IterationAttempt, Orders};
use crate::coordinator::core::Coordinator;
use crate::coordinator::earlier_run::{EarlierRun, archive_failure_branches, choose};
use crate::coordinator::start_preconditions::{refuse_contradictions, refuse_marker};
use crate::coordinator::state::SavedRun;
use crate::drive::{finish, preconditions};
use crate::event_sink::EventSink;
use crate::lane::{Assignment, Escalation, StoryWork, TaskText, mcp_servers};
use crate::memory::{KnownSkills, adopt_account, skill_problems};
use crate::options::StoryOptions;
use crate::run_files::deadline;
use crate::{LoopResult, Observer, RunError, StopSwitch, run_files, state_file};

/// Runs the story loop to its end. An error means that it did not start.
pub(crate) fn run(
    options: &StoryOptions,
    switch: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<LoopResult, RunError> {
    run_with(&LocalProcesses, options, switch, observer)
}

pub(crate) fn run_with(
    executor: &dyn Executor,
    options: &StoryOptions,
    switch: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<LoopResult, RunError> {
    let began = Instant::now();
    let tree = check_preconditions(options)?;
    let layout = &options.run.layout;
    let lock = RunLock::acquire(layout)?;
    let orders = Orders::open_with_answers(layout)?;
    let (state, earlier) = choose(options)?;
    if state.run.separate.is_some() {
        return Err(RunError::precondition(
            "the last run works in a clone and was interrupted",
            "resume it with --separate, or start a new run with --fresh",
        ));
    }
    let run_dir = layout.run_dir(&state.run.run_id);
    run_files::make_folder(&run_dir, layout)?;
    let sink = EventSink::new(state.run.run_id.clone(), observer).marking(&state.run.log);
    let mut run = Coordinator::new(options, tree, state, switch, sink);
    run.control.executor = executor;
    run.control.lock = Some(lock);
    run.control.orders = orders;
    let project = run.lane.workspace.tree.clone();
    let begun = run.begin(earlier, &project);
    if !matches!(begun, Ok(StartResult::Started)) {
        state_file::forget_unless_begun(&run.state.run_id, layout, &layout.state());
    }
    if let StartResult::NothingToDo { stories } = begun? {
        return Ok(LoopResult::NothingToDo { stories });
    }
    let driven = run.drive_to_the_end();
    Ok(LoopResult::Ran(finish(&mut run, driven, began.elapsed())))
}

pub(crate) enum StartResult {
    Started,
    NothingToDo { stories: u64 },
}

/// Whether an iteration of the last run is unjudged; until it is judged, the task list is not trustworthy.
pub fn has_unjudged_iteration(layout: &Layout) -> bool {
    let last = SavedRun::load(layout).ok().flatten();
    last.is_some_and(|last| last.is_unjudged())
}

/// Preconditions that can be checked without writing.
pub(crate) fn check_preconditions(options: &StoryOptions) -> Result<WorkTree, RunError> {
    preconditions::require_reported_limits(&options.run, options.agents())?;
    mcp_servers::refuse_invalid_files(options)?;
    let root = options.run.layout.root();
    let tree = WorkTree::open(root).map_err(|_| {
        RunError::precondition(
            format!("{} is not in a git repository", root.display()),
            "run `git init`, commit your files, and try again: the loop works on a branch",
        )
    })?;
    Ok(tree)
}

/// `None` if the commit has no valid task list.
pub(crate) fn committed_list(
    tree: &WorkTree,
    layout: &Layout,
    commit: &CommitId,
) -> Result<Option<TaskList>, RunError> {
    let found = tree.file_at(commit, &layout.tasks_name(), LARGEST_TASK_LIST, deadline())?;
    Ok(found.and_then(|bytes| TaskText::parse(&bytes).ok()).map(|found| found.list))
}

impl Coordinator<'_> {
    /// Failure branches are in the repository of `project`.
    pub(crate) fn begin(
        &mut self,
        earlier: EarlierRun,
        project: &WorkTree,
    ) -> Result<StartResult, RunError> {
        let is_settled = match &earlier {
            EarlierRun::Over(last) => last.as_deref().is_none_or(|last| last.lane.is_settled()),
            EarlierRun::Resumed => false,
        };
        let (was_interrupted, control) = match &earlier {
            EarlierRun::Over(Some(last)) => {
                (last.lane.has_unsettled_session(), last.baseline.control.clone())
            }
            EarlierRun::Over(None) => (false, None),
            EarlierRun::Resumed => (
                self.lane_state.has_unsettled_session(),
                self.lane.workspace.baseline.control.clone(),
            ),
        };
        let control = control.filter(|_| was_interrupted);
        self.lane
            .workspace
            .guard_repository(control.as_ref(), self.lane_state.running.is_some())?;
        let (resumed, last) = match earlier {
            EarlierRun::Over(mut last) => {
                self.lane.workspace.remove_stale_git_locks()?;
                last.as_deref_mut().map_or(Ok(()), |last| self.finish_last(last))?;
                (None, last)
            }
            EarlierRun::Resumed => (Some(self.resume()?), None),
        };
        self.clear_marker()?;
        // Checked before the switch, to avoid a needless one, and again on the run's branch.
        if is_settled && let Some(stories) = self.all_done()?.or(self.all_done_on_branch()?) {
            return Ok(StartResult::NothingToDo { stories });
        }
        let expected = self.switch_to_branch_of_list()?;
        if is_settled && let Some(stories) = self.all_done()? {
            return Ok(StartResult::NothingToDo { stories });
        }
        let (settings_before, instructions) = match last.as_deref() {
            Some(last) => (&last.lane.settings_before, &last.baseline.instructions),
            None => (&self.lane_state.settings_before, &self.lane.workspace.baseline.instructions),
        };
        if let (Some(_), Some(known)) = (settings_before, instructions.clone()) {
            self.lane.workspace.move_unjudged_instructions(known)?;
        }
        self.lane.workspace.record_users_files()?;
        self.lane.workspace.baseline.control = Some(self.lane.workspace.tree.control_record()?);
        refuse_contradictions(&expected.list, self.options.rules())?;
        self.limit_to_story(&expected.list, resumed.is_some())?;
        self.refuse_no_checks(&expected.list)?;
        let unknown = self.unknown_variables(&expected.list)?;
        let options = self.options;
        self.control.sandbox = self.control.prepare_sandbox(options.agents())?;
        // A run that does not start must not change the last one.
        let archived = match &last {
            Some(last) => {
                self.take_over_work(last, &expected.list)?;
                archive_failure_branches(project, &last.run)
            }
            None => Vec::new(),
        };
        self.find_base(last.as_deref());
        self.find_start_of_branch(last.as_deref(), project)?;
        adopt_account(self.layout, &mut self.state.memory);
        self.lane.known_skills = KnownSkills::recorded(self.layout);
        self.state.ended = None;
        self.lane_state.settings_before = None;
        self.save()?;
        self.report_run(&expected.list, resumed);
        if let Some(estimate) = self.estimate(&expected.list) {
            self.control.sink.emit(LoopEvent::RunEstimated { estimate });
        }
        for event in archived {
            self.control.sink.emit(event);
        }
        self.warn_about_files(&expected, &unknown);
        self.control.sink.check()?;
        Ok(StartResult::Started)
    }

    /// What the run does not use of the list and the template, and skills that it cannot use.
    fn warn_about_files(&self, expected: &TaskText, unknown_variables: &[String]) {
        let unknown_keys = tasks::inspect(expected.text.as_bytes()).unknown_keys;
        if !unknown_keys.is_empty() {
            let keys =
                unknown_keys.iter().map(|unknown| format!("{}{}", unknown.place, unknown.key));
            let keys = keys.collect::<Vec<_>>().join(", ");
            let file = self.layout.tasks_name();
            self.control.sink.warn(format!("{file} has unknown keys: {keys}"));
        }
        for problem in skill_problems(self.layout, &expected.list) {
            self.control.sink.warn(problem);
        }
        if !unknown_variables.is_empty() {
            let names =
                unknown_variables.iter().map(|name| format!("${{{name}}}")).collect::<Vec<_>>();
            let file = self.layout.name_of(&self.layout.prompt());
            self.control.sink.warn(format!("{file} has unknown variables: {}", names.join(", ")));
        }
    }

    /// The number of stories, if all of them are done.
    fn all_done(&mut self) -> Result<Option<u64>, RunError> {
        let list = &self.expected_tasks()?.list;
        let is_complete = self.select(list) == tasks::Selection::Complete;
        Ok(is_complete.then_some(list.stories.len() as u64))
    }

    /// The same for the list on the run's branch, which is not checked out after a run in clones.
    fn all_done_on_branch(&mut self) -> Result<Option<u64>, RunError> {
        let branch = self.expected_tasks()?.list.branch_name.clone();
        let tree = &self.lane.workspace.tree;
        let Some(tip) = tree.branch_tip(&branch, deadline())? else { return Ok(None) };
        let found = committed_list(tree, self.layout, &tip)?;
        let found = found.filter(|found| self.select(found) == tasks::Selection::Complete);
        Ok(found.map(|found| found.stories.len() as u64))
    }

    fn resume(&mut self) -> Result<Resumed, RunError> {
        let Counters { iterations, cost_usd, worked_seconds, .. } = self.state.counters;
        // The usage window may have been reset and the agent may work again.
        self.state.counters.quota = None;
        self.state.counters.retries = 0;
        // A user who resumes has presumably fixed the reviewer.
        if self.state.ended == Some(RunEnd::ReviewerFailed) {
            self.state.counters.void_reviews = 0;
        }
        self.moving_base(Self::finish_interrupted)?;
        Ok(Resumed { iterations, cost_usd, seconds: Some(worked_seconds) })
    }

    fn report_run(&mut self, list: &TaskList, resumed: Option<Resumed>) {
        let StoryOptions { run, review, only_story, .. } = self.options;
        let start = RunStart {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: std::process::id(),
            project: self.layout.project_root().display().to_string(),
            name: list.project.clone(),
            branch: self.lane.workspace.baseline.branch.clone(),
            base: self.state.base.clone(),
            kind: LoopKind::Stories,
            agent: run.agent.name(),
            model: run.agent.model.clone(),
            max_iterations: run.policy.max_iterations,
            review_cap: match review {
                tasks::ReviewPolicy::Required { cap } => Some(*cap),
                tasks::ReviewPolicy::Skipped => None,
            },
            ceiling_usd: run.policy.max_cost_usd,
            max_attempts: Some(self.options.most_attempts()),
            only_story: only_story.clone(),
            max_seconds: run.limits.run.hard.map(|time| time.as_secs_f64()),
            checks: Some(self.options.checks(list).len() as u64),
            jobs: self.options.lanes.as_ref().map(|lanes| lanes.jobs),
        };
        let program = run.agent.program.display().to_string();
        let stories = self.briefs().0;
        self.control.sink.emit(LoopEvent::RunStarted { start, program, resumed, stories });
        self.control.sink.report_isolation(self.options.agents(), run.guard.as_ref());
        self.control.sink.report_check_sandbox(&run.checks);
    }

    /// Makes the clone of a lane usable: judges and finishes what a killed runner began there.
    pub(crate) fn take_up_clone(&mut self) -> Result<(), RunError> {
        let was_interrupted = self.lane_state.has_unsettled_session();
        let baseline = &self.lane.workspace.baseline;
        let control = baseline.control.clone().filter(|_| was_interrupted);
        let instructions = baseline.instructions.clone();
        let workspace = &mut self.lane.workspace;
        workspace.guard_repository(control.as_ref(), self.lane_state.running.is_some())?;
        self.finish_in_work_tree()?;
        self.clear_marker()?;
        if let (Some(_), Some(known)) = (&self.lane_state.settings_before, instructions) {
            self.lane.workspace.move_unjudged_instructions(known)?;
        }
        self.lane.workspace.record_users_files()?;
        self.lane.workspace.baseline.control = Some(self.lane.workspace.tree.control_record()?);
        self.control.sandbox = self.control.prepare_sandbox(self.options.agents())?;
        self.lane.known_skills = KnownSkills::recorded(self.layout);
        self.lane_state.settings_before = None;
        self.save()
    }

    /// A stale marker would apply the hooks to later sessions.
    fn clear_marker(&mut self) -> Result<(), RunError> {
        if matches!(StoredMarker::load(self.layout), Ok(None)) {
            return Ok(());
        }
        refuse_marker(self.layout, self.options.run.start, Some(&self.state.run_id))?;
        match std::fs::remove_file(self.layout.marker()) {
            Ok(()) => self
                .control
                .sink
                .leftover_found("removed the marker (.ralph-active) of a run that has ended"),
            Err(error) => self.control.sink.warn(format!("cannot remove .ralph-active: {error}")),
        }
        Ok(())
    }

    /// Unknown variables in the user's template; an error if it cannot be read.
    fn unknown_variables(&self, list: &tasks::TaskList) -> Result<Vec<String>, RunError> {
        let tasks::Selection::Work { mode, story } = self.select(list) else {
            return Ok(Vec::new());
        };
        let first = IterationAttempt { iteration: 1, attempt: 1 };
        let assignment = Assignment::new(first, StoryWork { mode, story });
        let context = self.story_context(&assignment.story, Escalation::default());
        Ok(self.lane.prompt(&assignment, list, &context)?.unknown)
    }
}
