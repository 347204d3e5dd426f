//! Starts a run in the user's work tree, or in a clone.

use std::path::Path;
use std::time::Instant;

use project::RunLock;
use tasks::Scope;
use vcs::{CommitId, WorkTree};

use crate::control::executor::{Executor, LocalProcesses};
use crate::control::{Orders, RunControl};
use crate::coordinator::{
    self, Coordinator, EarlierRun, LaneState, SavedRun, SeparateState, StartResult,
    check_preconditions, choose,
};
use crate::drive::{drive, finish};
use crate::event_sink::EventSink;
use crate::lane::{Lane, TaskText};
use crate::options::{LaneOptions, StoryOptions};
use crate::parallel::integration::{Integration, checked_out};
use crate::parallel::separate_run::SeparateRun;
use crate::parallel::verification::Verification;
use crate::run_files::{self, deadline, no_commit};
use crate::workspace::Baseline;
use crate::{LoopResult, Observer, RunError, StopSwitch, state_file};

/// Runs the story loop to its end. An error means that it did not start.
pub fn run(
    options: &StoryOptions,
    switch: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<LoopResult, RunError> {
    match &options.lanes {
        None => coordinator::run(options, switch, observer),
        Some(lanes) => run_separately(&LocalProcesses, options, lanes, switch, observer),
    }
}

pub(crate) fn run_separately(
    executor: &dyn Executor,
    options: &StoryOptions,
    lanes: &LaneOptions,
    switch: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<LoopResult, RunError> {
    let began = Instant::now();
    let tree = check_preconditions(options)?;
    let layout = &options.run.layout;
    let lock = RunLock::acquire(layout)?;
    let orders = Orders::open(layout)?;
    let (mut saved, earlier) = choose(options)?;
    refuse_work_in_place(&saved, &earlier)?;
    let run_id = saved.run.run_id.clone();
    let place = match saved.run.separate.clone() {
        Some(place) => place,
        None => new_place(&tree, options, lanes, &run_id)?,
    };
    let integration = integration(&tree, options, &place.branch)?;
    let clone = open_clone(&tree, &place.folder.join("1"))?;
    let of_verification = open_clone(&tree, &place.folder.join("verification"))?.tree;
    run_files::make_folder(&layout.run_dir(&run_id), layout)?;
    let sink = EventSink::new(run_id.clone(), observer).marking(&saved.run.log);
    if clone.is_new {
        let lost = std::mem::take(&mut saved.lane);
        let start = work_of_lost_clone(&integration, &saved, &place)?;
        clone.tree.start_branch(&place.branch, &start, deadline())?;
        if lost != LaneState::default() {
            sink.warn(format!("the clone of the run is gone; the work goes on from {start}"));
        }
    }
    saved.run.base = saved.run.base.take().or(branch_of_user(&tree, &place.branch)?);
    saved.run.separate = Some(place.clone());
    let folder = |clone: &WorkTree| clone.top().join(tree.project_folder());
    let in_clone = options.in_clone(folder(&clone.tree));
    let in_verification = options.in_clone(folder(&of_verification));
    let verification = Verification {
        lane: Lane::new(
            &in_verification,
            run_id.clone(),
            of_verification,
            Baseline::default(),
            sink.clone(),
        ),
        control: RunControl {
            executor,
            ..RunControl::new(
                &in_verification.run,
                run_id,
                &saved.run.counters,
                switch,
                sink.clone(),
            )
        },
    };
    let mut coordinator = Coordinator::new(&in_clone, clone.tree, saved, switch, sink);
    coordinator.control.executor = executor;
    coordinator.control.lock = Some(lock);
    coordinator.control.orders = orders;
    let begun = coordinator.begin(earlier);
    if !matches!(begun, Ok(StartResult::Started)) {
        state_file::forget_unless_begun(&coordinator.state.run_id, layout, &layout.state());
        let _ = std::fs::remove_dir_all(&place.folder);
    }
    if let StartResult::NothingToDo { stories } = begun? {
        return Ok(LoopResult::NothingToDo { stories });
    }
    limit_to_story_in_work(&mut coordinator, place);
    let mut run = SeparateRun { coordinator, integration, verification };
    let driven = drive(&mut run);
    Ok(LoopResult::Ran(finish(&mut run, driven, began.elapsed())))
}

/// What a killed runner left in the user's work tree is judged there.
fn refuse_work_in_place(saved: &SavedRun, earlier: &EarlierRun) -> Result<(), RunError> {
    let is_in_place = match earlier {
        EarlierRun::Resumed => saved.run.separate.is_none(),
        EarlierRun::Over(last) => last.as_deref().is_some_and(|last| !last.lane.is_settled()),
    };
    if !is_in_place {
        return Ok(());
    }
    Err(RunError::precondition(
        "the last run works in your work tree and was interrupted",
        "resume it without --separate; a later run can use it",
    ))
}

/// For a new run: its branch exists afterwards.
fn new_place(
    tree: &WorkTree,
    options: &StoryOptions,
    lanes: &LaneOptions,
    run_id: &str,
) -> Result<SeparateState, RunError> {
    let branch = TaskText::read(&options.run.layout)?.list.branch_name;
    let start = match tree.branch_tip(&branch, deadline())? {
        Some(tip) => tip,
        None => {
            let head = tree.head(deadline())?.ok_or_else(no_commit)?;
            tree.create_branch(&branch, &head, deadline())?;
            head
        }
    };
    Ok(SeparateState {
        folder: lanes.dir.join(run_id),
        branch,
        start: start.to_string(),
        story: None,
        scope: Scope::default(),
    })
}

/// Refuses a branch that the run cannot move or that has no task list.
fn integration<'a>(
    tree: &'a WorkTree,
    options: &'a StoryOptions,
    branch: &str,
) -> Result<Integration<'a>, RunError> {
    if let Some(folder) = tree.work_tree_on(branch, deadline())? {
        return Err(checked_out(branch, &folder));
    }
    let integration = Integration {
        tree,
        layout: &options.run.layout,
        branch: branch.to_owned(),
        review: options.review,
    };
    integration.list_at(&integration.tip()?)?;
    Ok(integration)
}

struct OpenedClone {
    tree: WorkTree,
    is_new: bool,
}

fn open_clone(project: &WorkTree, folder: &Path) -> Result<OpenedClone, RunError> {
    let existing = WorkTree::open(folder).ok();
    let own = folder.canonicalize().ok();
    if let Some(tree) = existing.filter(|tree| Some(tree.top()) == own.as_deref()) {
        return Ok(OpenedClone { tree, is_new: false });
    }
    project::remove_any(folder).map_err(RunError::disk(folder.display()))?;
    Ok(OpenedClone { tree: project.clone_to(folder, deadline())?, is_new: true })
}

/// Where the work in a new clone goes on: at what was kept of the story in work, or at the run's branch.
fn work_of_lost_clone(
    integration: &Integration<'_>,
    saved: &SavedRun,
    place: &SeparateState,
) -> Result<CommitId, RunError> {
    let record = place.story.as_ref().and_then(|story| saved.run.stories.get(story));
    let judged = record.and_then(|record| CommitId::new(&record.work.last()?.to).ok());
    match judged {
        Some(commit) if integration.tree.has_commit(&commit, deadline())? => Ok(commit),
        _ => integration.tip(),
    }
}

fn branch_of_user(tree: &WorkTree, own: &str) -> Result<Option<String>, RunError> {
    Ok(tree.state(deadline())?.branch.filter(|branch| branch != own))
}

/// The coordinator has just determined the stories of the whole run.
fn limit_to_story_in_work(coordinator: &mut Coordinator<'_>, place: SeparateState) {
    let scope = coordinator.state.scope.clone();
    if let Some(story) = &place.story {
        coordinator.state.scope = Scope::of(story.clone());
    }
    coordinator.state.separate = Some(SeparateState { scope, ..place });
}
