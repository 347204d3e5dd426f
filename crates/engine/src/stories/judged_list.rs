//! The task list that was judged last, as a process finds it that did not judge it: the next runner, or a
//! display. While an iteration is not judged, the list on disk may say anything.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bounded_read::read_file;
use project::{LARGEST_TASK_LIST, Layout};
use tasks::Sha256Digest;
use vcs::{CommitId, WorkTree};

use crate::stories::iterate::TASKS_BEFORE;
use crate::stories::state::RunState;

/// For a display, which does not wait long.
const PATIENCE: Duration = Duration::from_secs(10);

/// What `state.json` says about the task list on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgedList {
    /// It is the list that was judged last.
    OnDisk,
    /// No run has judged a list here, or its state cannot be read.
    Unknown,
    /// It was changed since it was judged, while no iteration ran: by the user, as far as a program can find out.
    Edited,
    /// An iteration is running, or was cut off before it was judged.
    Unjudged(Unjudged),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unjudged {
    pub iteration: u64,
    /// The list that it began with; `None` if that is lost.
    pub before: Option<Vec<u8>>,
}

pub fn judged_list(layout: &Layout) -> JudgedList {
    let Some(state) = RunState::load(layout).ok().flatten() else { return JudgedList::Unknown };
    let running = state.running.as_ref();
    let judged = running.map(|running| running.tasks_before).or(state.judged);
    let Some(judged) = judged else { return JudgedList::Unknown };
    let on_disk = read_file(&layout.tasks(), LARGEST_TASK_LIST).ok();
    if on_disk.map(Sha256Digest::of) == Some(judged) {
        return JudgedList::OnDisk;
    }
    if !state.has_unsettled_session() {
        return JudgedList::Edited;
    }
    let iteration = running.map(|running| running.assignment.iteration);
    JudgedList::Unjudged(Unjudged {
        iteration: iteration.unwrap_or(state.counters.iterations),
        before: list_before(layout, &state, judged),
    })
}

fn list_before(layout: &Layout, state: &RunState, judged: Sha256Digest) -> Option<Vec<u8>> {
    let of_iteration = state.running.as_ref().map(|it| (&it.folder, &it.checkpoint));
    let began = of_iteration.or(state.compacting.as_ref().map(|it| (&it.folder, &it.head)));
    let folder = began.and_then(|(folder, _)| session_folder(layout, &state.run_id, folder));
    folder.and_then(|folder| kept(&folder, judged)).or_else(|| {
        let tree = WorkTree::open(layout.root()).ok()?;
        let deadline = Instant::now() + PATIENCE;
        let commit = match began {
            Some((_, commit)) => CommitId::new(commit).ok(),
            None => tree.head(deadline).ok().flatten(),
        };
        committed(&tree, layout, &commit?, judged, deadline)
    })
}

/// Only the name of what `state.json` says: an agent could have written a path there that leads anywhere.
pub(crate) fn session_folder(layout: &Layout, run_id: &str, folder: &str) -> Option<PathBuf> {
    Some(layout.run_dir(run_id).join(Path::new(folder).file_name()?))
}

/// The copy in the folder of a session, if it is the list that the session began with. An agent can write
/// there.
pub(crate) fn kept(folder: &Path, digest: Sha256Digest) -> Option<Vec<u8>> {
    let bytes = read_file(&folder.join(TASKS_BEFORE), LARGEST_TASK_LIST).ok()?;
    (Sha256Digest::of(&bytes) == digest).then_some(bytes)
}

/// The list of the commit that a session began with, if it is the same.
pub(crate) fn committed(
    tree: &WorkTree,
    layout: &Layout,
    checkpoint: &CommitId,
    digest: Sha256Digest,
    deadline: Instant,
) -> Option<Vec<u8>> {
    let name = layout.tasks_name();
    let bytes = tree.file_at(checkpoint, &name, LARGEST_TASK_LIST, deadline).ok().flatten()?;
    (Sha256Digest::of(&bytes) == digest).then_some(bytes)
}
