//! The runner's own folders and its lock, which an agent may have removed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use project::{Layout, RunLock, env};
use supervise::{Leftover, orphans};
use vcs::WorkTree;

use crate::RunError;
use crate::event_sink::EventSink;

/// For one git command; a large commit on a slow disk takes a while.
const TIMEOUT: Duration = Duration::from_secs(120);

/// How long to wait for a git process of another program.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

/// The deadline of a git command that starts now.
pub(crate) fn deadline() -> Instant {
    Instant::now() + TIMEOUT
}

/// Ends the processes that an earlier run left, so that they cannot write any more.
pub(crate) fn end_orphans(run_id: &str, grace: Duration) -> Result<Vec<Leftover>, RunError> {
    let left = orphans::end(env::RALPH_RUN_ID, run_id, grace);
    RunError::refuse_survivors(&format!("run {run_id}"), &left)?;
    Ok(left.ended)
}

pub(crate) fn make_folder(folder: &Path, layout: &Layout) -> Result<(), RunError> {
    std::fs::create_dir_all(folder).map_err(RunError::disk(layout.name_of(folder)))
}

/// An agent that commits everything must not commit the runner's files, even if .gitignore does not list them.
pub(crate) fn hide_from_git(tree: &WorkTree, layout: &Layout) -> Result<(), RunError> {
    let deadline = deadline();
    let patterns = layout.runtime_patterns();
    let samples: Vec<String> = patterns.iter().map(|pattern| pattern.replace('*', "x")).collect();
    let known = tree.ignores(&samples, deadline)?;
    let missing: Vec<&String> = patterns
        .iter()
        .zip(&samples)
        .filter(|(_, sample)| !known.contains(sample))
        .map(|(pattern, _)| pattern)
        .collect();
    Ok(tree.exclude(&missing)?)
}

/// A folder for one try of an iteration. A repeated iteration does not overwrite the files of the earlier one.
pub(crate) fn new_folder(
    layout: &Layout,
    run_id: &str,
    name: &str,
    attempt: u64,
) -> Result<PathBuf, RunError> {
    let run_dir = layout.run_dir(run_id);
    let numbered = |number: u64| match number {
        0 | 1 => run_dir.join(name),
        _ => run_dir.join(format!("{name}-try{number}")),
    };
    let folder = (attempt..).map(numbered).find(|folder| folder.symlink_metadata().is_err());
    let folder = folder.unwrap_or_else(|| run_dir.join(name));
    make_folder(&folder, layout)?;
    Ok(folder)
}

/// A lock on a deleted file excludes no other process.
pub(crate) fn keep_lock(
    lock: &mut Option<RunLock>,
    layout: &Layout,
    sink: &EventSink<'_>,
) -> Result<(), RunError> {
    if lock.is_none() || layout.lock().exists() {
        return Ok(());
    }
    *lock = None;
    *lock = Some(RunLock::acquire(layout)?);
    sink.warn("the iteration removed .ralph; the runner created it again");
    Ok(())
}

/// A killed agent takes its git processes along, whose locks would block every later git command.
pub(crate) fn remove_stale_git_locks(
    tree: &WorkTree,
    layout: &Layout,
    sink: &EventSink<'_>,
) -> Result<(), RunError> {
    let patience = Instant::now() + LOCK_PATIENCE;
    for lock in tree.remove_abandoned_locks(patience)? {
        let lock = layout.name_of(&lock);
        sink.leftover_found(format!("removed a stale git lock ({lock})"));
    }
    Ok(())
}

pub(crate) fn no_commit() -> RunError {
    RunError::precondition("the repository has lost its commits", "see `git reflog`")
}
