//! Starts a run in the user's work tree, or in a clone.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use project::RunLock;
use run_options::BaseChecks;
use tasks::{Scope, Selection};
use vcs::{CommitId, WorkTree};

use crate::clones::{self, borrowed_folders, make_private};
use crate::control::executor::{Executor, LocalProcesses};
use crate::control::{Orders, RunControl};
use crate::coordinator::{
    self, CheckedBase, Coordinator, EarlierRun, LaneState, SavedRun, SeparateState, StartResult,
    check_preconditions, choose, committed_list,
};
use crate::drive::finish;
use crate::event_sink::EventSink;
use crate::jobs::{JobRunner, Machines};
use crate::lane::TaskText;
use crate::options::{LaneOptions, StoryOptions};
use crate::parallel::final_review::{ReviewPlace, run_to_the_end};
use crate::parallel::integration::{Integration, checked_out};
use crate::parallel::lane_folders::REVIEW;
use crate::parallel::lane_run::LaneStart;
use crate::parallel::lead::LanePlace;
use crate::parallel::run_branch::commit_id;
use crate::parallel::shared_run::{Integrator, SharedRun};
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
        Some(lanes) => {
            let tree = WorkTree::open(options.run.layout.root()).ok();
            let keeper = &options.run.keeper;
            let [sessions, checks] = [&lanes.sessions, &lanes.checks]
                .map(|jobs| Some(JobRunner::new(jobs.as_ref()?, tree.clone()?, keeper)));
            let machines = Machines { here: &LocalProcesses, sessions, checks };
            run_separately(&machines, options, lanes, switch, observer)
        }
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
    let orders = Orders::open_with_answers(layout)?;
    let (mut saved, earlier) = choose(options)?;
    refuse_work_in_place(&saved, &earlier)?;
    let run_id = saved.run.run_id.clone();
    let separate = match saved.run.separate.take() {
        Some(separate) => separate,
        None => {
            if let Some(stories) = all_done(&tree, options)? {
                return Ok(LoopResult::NothingToDo { stories });
            }
            new_separate(&tree, options, lanes, &run_id)?
        }
    };
    let (branch, folder) = (separate.branch.clone(), separate.folder.clone());
    let count = separate.lanes.len().max(usize::try_from(lanes.jobs).unwrap_or(usize::MAX));
    saved.run.base = saved.run.base.take().or(branch_of_user(&tree, &branch)?);
    saved.run.separate = Some(separate);
    // Without the slash that joining an empty path adds: agents and sandboxes are named after the path.
    let root = |name: &str| -> PathBuf {
        folder.join(name).join(tree.project_folder()).components().collect()
    };
    run_files::make_folder(&layout.run_dir(&run_id), layout)?;
    let borrowed = borrowed_folders(&tree, layout);
    let of_verification = options.in_clone(lanes, root("verification"), 0, &borrowed);
    // Not 0: no session runs in the verification clone.
    let of_review = options.in_clone(lanes, root(REVIEW), count as u64 + 1, &borrowed);
    let places: Vec<LanePlace> = (1..=count)
        .map(|number| {
            let name = number.to_string();
            let options = options.in_clone(lanes, root(&name), number as u64, &borrowed);
            LanePlace { folder: folder.join(name), options }
        })
        .collect();
    let sink = EventSink::new(run_id.clone(), observer).marking(&saved.run.log);
    let integration = Integration {
        run_id: run_id.clone(),
        sink: sink.clone(),
        switch,
        tree: tree.clone(),
        layout,
        branch: branch.clone(),
        review: options.review,
    };
    make_private(&folder).map_err(RunError::disk(folder.display()))?;
    let of_checks = folder.join("verification");
    // A killed git may have left some.
    run_files::remove_stale_git_locks(&tree, layout, &sink)?;
    let prepared = prepare_branch(&integration, &mut saved).and_then(|tip| {
        let clone = clones::make(&tree, &of_checks, layout, &sink)?;
        clone.check_out(&branch, &tip, deadline())?;
        Ok((clone, tip))
    });
    let (clone, tip) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            state_file::forget_unless_begun(&run_id, layout, &layout.state());
            return Err(error);
        }
    };
    saved.baseline = Baseline { branch, ..Baseline::default() };
    let counters = saved.run.counters;
    let mut lead = Coordinator::new(&of_verification, clone.clone(), saved, switch, sink.clone());
    lead.control.executor = executor;
    lead.control.lock = Some(lock);
    lead.control.orders = orders;
    let is_resumed = matches!(earlier, EarlierRun::Resumed);
    let begun = lead.begin(earlier, &tree);
    if !matches!(begun, Ok(StartResult::Started)) {
        state_file::forget_unless_begun(&run_id, layout, &layout.state());
        // The clones of a resumed run have its work.
        if !is_resumed {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
    if let StartResult::NothingToDo { stories } = begun? {
        return Ok(LoopResult::NothingToDo { stories });
    }
    let control =
        RunControl::new(&of_verification.run, run_id.clone(), &counters, switch, sink.clone());
    let mut verification = Verification::new(
        tree.clone(),
        of_checks,
        clone,
        &of_verification,
        RunControl { executor, ..control },
        &lanes.setup,
    )?;
    let list = Arc::new(integration.list_at(&tip)?);
    if options.base_checks != BaseChecks::Off {
        let base = layout.run_dir(&run_id).join(format!("base-{}", &tip.as_str()[..12]));
        let known = verification.check_base(&tip, &list, &base)?;
        let failures = known.list();
        lead.state.checked_base = Some(CheckedBase { commit: Some(tip.to_string()), known });
        if options.base_checks == BaseChecks::Require && !failures.is_empty() {
            let refused = Err(RunError::base_fails(&failures));
            return Ok(LoopResult::Ran(finish(&mut lead, refused, began.elapsed())));
        }
    }
    let saved = SavedRun {
        run: lead.state.clone(),
        lane: LaneState::default(),
        baseline: lead.lane.workspace.baseline.clone(),
    };
    let integrator = Integrator { integration, verification };
    let shared = SharedRun::new(options, switch, saved, list, integrator, count);
    let start =
        LaneStart { shared: Arc::new(shared), project: tree, switch, executor, sink, lanes };
    let review = ReviewPlace { folder: folder.join(REVIEW), options: &of_review };
    let ended = run_to_the_end(&mut lead, &start, &places, &review);
    Ok(LoopResult::Ran(finish(&mut lead, ended, began.elapsed())))
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

/// The number of stories, if a new run has nothing to do.
fn all_done(tree: &WorkTree, options: &StoryOptions) -> Result<Option<u64>, RunError> {
    let layout = &options.run.layout;
    let branch = TaskText::read(layout)?.list.branch_name;
    let tip = match tree.branch_tip(&branch, deadline())? {
        None => tree.head(deadline())?,
        tip => tip,
    };
    let Some(tip) = tip else { return Ok(None) };
    let list = committed_list(tree, layout, &tip)?.filter(|list| {
        let none = BTreeSet::new();
        let selected = tasks::select(list, options.rules(), &none, &none, &Scope::default());
        selected == Selection::Complete
    });
    Ok(list.map(|list| list.stories.len() as u64))
}

/// For a new run: its branch exists afterwards.
fn new_separate(
    tree: &WorkTree,
    options: &StoryOptions,
    lanes: &LaneOptions,
    run_id: &str,
) -> Result<SeparateState, RunError> {
    let branch = TaskText::read(&options.run.layout)?.list.branch_name;
    let tip = match tree.branch_tip(&branch, deadline())? {
        Some(tip) => tip,
        None => {
            let head = tree.head(deadline())?.ok_or_else(no_commit)?;
            tree.create_branch(&branch, &head, deadline())?;
            head
        }
    };
    let (folder, tip) = (lanes.dir.join(run_id), tip.to_string());
    Ok(SeparateState { folder, branch, tip, ..SeparateState::default() })
}

/// Returns the commit of the run's branch. Refuses a branch that the run cannot move or that has no task list.
fn prepare_branch(
    integration: &Integration<'_>,
    saved: &mut SavedRun,
) -> Result<CommitId, RunError> {
    let branch = &integration.branch;
    if let Some(folder) = integration.tree.work_tree_on(branch, deadline())? {
        return Err(checked_out(branch, &folder));
    }
    let separate = saved.run.separate.get_or_insert_default();
    let at = integration.tree.branch_tip(branch, deadline())?;
    // The runner was killed after it moved the branch.
    if let Some(merging) = separate.merging.take()
        && at.is_some_and(|at| at.as_str() == merging)
    {
        separate.tip = merging;
    }
    let tip = commit_id(&separate.tip)?;
    integration.list_at(&tip)?;
    integration.hold(&tip)?;
    Ok(tip)
}

fn branch_of_user(tree: &WorkTree, own: &str) -> Result<Option<String>, RunError> {
    Ok(tree.state(deadline())?.branch.filter(|branch| branch != own))
}
