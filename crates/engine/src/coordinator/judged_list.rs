//! Finds the task list that was judged last, for a process that did not judge it (the next runner, a display).
//! While an iteration is unjudged, the list on disk is not trustworthy.

use std::time::{Duration, Instant};

use bounded_read::read_file;
use project::{LARGEST_TASK_LIST, Layout};
use tasks::Sha256Digest;
use vcs::{CommitId, WorkTree};

use crate::coordinator::state::{LaneState, SavedRun};
use crate::lane::recorded::{committed, kept};
use crate::lane::session_folder;

/// Timeout of git for a display.
const GIT_TIMEOUT: Duration = Duration::from_secs(10);

/// What `state.json` says about the task list on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgedList {
    /// The list on disk is the one that was judged last.
    OnDisk,
    /// No run has judged a list here, or its state cannot be read.
    Unknown,
    /// Changed since it was judged, while no iteration ran: presumably by the user.
    Edited,
    /// An iteration is running, or was interrupted before it was judged.
    Unjudged(UnjudgedList),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnjudgedList {
    pub iteration: u64,
    /// The list from before the iteration; `None` if it is lost.
    pub before: Option<Vec<u8>>,
}

pub fn judged_list(layout: &Layout) -> JudgedList {
    let Some(SavedRun { run, lane, .. }) = SavedRun::load(layout).ok().flatten() else {
        return JudgedList::Unknown;
    };
    let running = lane.running.as_ref();
    let judged = running.map(|running| running.tasks_before).or(lane.judged);
    let Some(judged) = judged else { return JudgedList::Unknown };
    let on_disk = read_file(&layout.tasks(), LARGEST_TASK_LIST).ok();
    if on_disk.map(Sha256Digest::of) == Some(judged) {
        return JudgedList::OnDisk;
    }
    if !lane.has_unsettled_session() {
        return JudgedList::Edited;
    }
    let iteration = running.map(|running| running.assignment.iteration);
    JudgedList::Unjudged(UnjudgedList {
        iteration: iteration.unwrap_or(run.counters.iterations),
        before: list_before(layout, &run.run_id, &lane, judged),
    })
}

fn list_before(
    layout: &Layout,
    run_id: &str,
    lane: &LaneState,
    judged: Sha256Digest,
) -> Option<Vec<u8>> {
    let of_iteration = lane.running.as_ref().map(|it| (&it.folder, &it.checkpoint));
    let began = of_iteration.or(lane.side_session.as_ref().map(|it| (&it.folder, &it.head)));
    let folder = began.and_then(|(folder, _)| session_folder(layout, run_id, folder));
    folder.and_then(|folder| kept(&folder, judged)).or_else(|| {
        let tree = WorkTree::open(layout.root()).ok()?;
        let deadline = Instant::now() + GIT_TIMEOUT;
        let commit = match began {
            Some((_, commit)) => CommitId::new(commit).ok(),
            None => tree.head(deadline).ok().flatten(),
        };
        committed(&tree, layout, &commit?, judged, deadline)
    })
}
