//! The final review of a run with lanes: in a clone of its own at the tip of the run's branch. Its findings become stories
//! on that branch.

use std::mem::swap;
use std::path::PathBuf;

use events::{LoopEvent, RunEnd, StoryBrief};

use crate::RunError;
use crate::clones;
use crate::coordinator::{Coordinator, LaneState, MESSAGE, SavedRun, with_drafts};
use crate::lane::TaskText;
use crate::options::StoryOptions;
use crate::parallel::lane_run::LaneStart;
use crate::parallel::lead::{LanePlace, run_lanes};
use crate::parallel::run_branch::commit_id;
use crate::parallel::shared_run::SharedRun;
use crate::run_files::deadline;
use crate::workspace::Baseline;

/// The clone of the review; made for each one.
pub(crate) struct ReviewPlace<'a> {
    pub(crate) folder: PathBuf,
    pub(crate) options: &'a StoryOptions,
}

/// Like `Coordinator::drive_to_the_end`, for a run with lanes.
pub(crate) fn run_to_the_end<'a>(
    lead: &mut Coordinator<'a>,
    start: &LaneStart<'a>,
    places: &'a [LanePlace],
    review: &ReviewPlace<'a>,
) -> Result<RunEnd, RunError> {
    loop {
        add_stories(start)?;
        let end = run_lanes(lead, start, places)?;
        if end != RunEnd::Complete || !lead.is_final_review_due()? {
            return Ok(end);
        }
        let end = review_all(lead, start, review)?;
        if end != RunEnd::Complete || !lead.state.final_review.has_new_stories() {
            return Ok(end);
        }
        start.shared.begin_again(&lead.state);
    }
}

/// The coordinator of the clone has the state, the orders and the clock of the run meanwhile.
fn review_all<'a>(
    lead: &mut Coordinator<'a>,
    start: &LaneStart<'a>,
    review: &ReviewPlace<'a>,
) -> Result<RunEnd, RunError> {
    let separate = lead.state.separate.clone().unwrap_or_default();
    let tip = commit_id(&separate.tip)?;
    let tree =
        clones::make(&start.project, &review.folder, &review.options.run.layout, &start.sink)?;
    tree.check_out(&separate.branch, &tip, deadline())?;
    let baseline = Baseline { branch: separate.branch, ..Baseline::default() };
    let saved = SavedRun { run: lead.state.clone(), lane: LaneState::default(), baseline };
    let mut own = Coordinator::new(review.options, tree, saved, start.switch, start.sink.clone());
    own.control.executor = start.executor;
    own.base_is_checked = lead.base_is_checked;
    exchange(lead, &mut own);
    let before = own.state.counters.iterations;
    let ended = own.take_up_clone().and_then(|()| own.review_all());
    exchange(lead, &mut own);
    claim(lead, lead.state.counters.iterations.saturating_sub(before));
    own.lane.remove_marker();
    // Its changes do not count, and each review gets a new one.
    if let Err(error) = project::remove_any(&review.folder) {
        start.sink.warn(format!("cannot remove the clone of the final review: {error}"));
    }
    ended
}

fn exchange<'a>(lead: &mut Coordinator<'a>, own: &mut Coordinator<'a>) {
    swap(&mut lead.state, &mut own.state);
    swap(&mut lead.control.orders, &mut own.control.orders);
    swap(&mut lead.control.clock, &mut own.control.clock);
    swap(&mut lead.control.agent_error, &mut own.control.agent_error);
}

/// No lane uses the numbers of these iterations.
fn claim(lead: &mut Coordinator<'_>, iterations: u64) {
    let separate = lead.state.separate.get_or_insert_default();
    for _ in 0..iterations {
        if separate.unused.pop_first().is_none() {
            separate.claimed += 1;
        }
    }
}

/// Commits the stories of the last review to the run's branch. No lane works.
fn add_stories(start: &LaneStart<'_>) -> Result<(), RunError> {
    let shared: &SharedRun<'_> = &start.shared;
    let drafts = shared.state().run.final_review.drafts();
    if drafts.is_empty() {
        return Ok(());
    }
    // The user stops the run; the next one adds them.
    let Some(turn) = shared.turn(0) else { return Ok(()) };
    let tip = turn.tip()?;
    let integration = &turn.integrator.integration;
    let before = integration.list_at(&tip)?;
    let text = with_drafts(&before.text, &drafts)?;
    if text != before.text {
        let list = TaskText::accepted(shared.layout, text.as_bytes())?;
        let tree = integration.tree.tree_id(&tip, deadline())?;
        let files = [(shared.layout.tasks_name(), text.into_bytes())];
        let tree = integration.tree.tree_plus(tree, &files, deadline())?;
        let commit = integration.tree.commit_tree(&tree, &[&tip], MESSAGE, deadline())?;
        for draft in &drafts {
            if let Some(story) = list.list.story(&draft.id) {
                start.sink.emit(LoopEvent::StoryAdded { story: StoryBrief::of(story) });
            }
        }
        turn.advance(&tip, &commit, list)?;
    }
    let mut state = shared.state();
    state.run.final_review.added();
    shared.save(state)
}
