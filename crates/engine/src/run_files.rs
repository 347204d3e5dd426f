//! The runner's own folders and its lock, which an agent may have cleaned away.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use project::{Layout, RunLock, env};
use supervise::{Leftover, orphans};
use vcs::WorkTree;

use crate::RunError;
use crate::event_sink::EventSink;
use crate::options::RunOptions;

/// For one call of git; a large commit on a slow disk takes a while.
const PATIENCE: Duration = Duration::from_secs(120);

/// For a git that somebody else runs here to finish.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

/// When a git that begins now has to be done.
pub(crate) fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

/// Ends what an earlier run left running, so that it does not go on writing, and names it.
pub(crate) fn end_orphans(run_id: &str, options: &RunOptions) -> Result<Vec<Leftover>, RunError> {
    let left = orphans::end(env::RALPH_RUN_ID, run_id, options.limits.grace);
    RunError::refuse_survivors(&format!("run {run_id}"), &left)?;
    Ok(left.ended)
}

pub(crate) fn make_folder(folder: &Path, layout: &Layout) -> Result<(), RunError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| RunError::Disk { path: layout.name_of(folder), error })
}

/// An agent that commits everything must not commit the runner's own files, also in a project whose
/// .gitignore does not know them.
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

/// A folder for one try of an iteration. An iteration that is done again under the same number does
/// not write over what the earlier one left.
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

/// A lock on a file that nobody can find any more keeps nobody out.
pub(crate) fn keep_lock(
    lock: &mut Option<RunLock>,
    layout: &Layout,
    sink: &mut EventSink<'_>,
) -> Result<(), RunError> {
    if lock.is_none() || layout.lock().exists() {
        return Ok(());
    }
    *lock = None;
    *lock = Some(RunLock::acquire(layout)?);
    sink.warn("the iteration removed .ralph; it is made anew");
    Ok(())
}

/// An agent that is killed takes its git along, whose locks would stop everybody after it.
pub(crate) fn free_git(
    tree: &WorkTree,
    layout: &Layout,
    sink: &mut EventSink<'_>,
) -> Result<(), RunError> {
    let patience = Instant::now() + LOCK_PATIENCE;
    for lock in tree.remove_abandoned_locks(patience)? {
        let lock = layout.name_of(&lock);
        sink.found(format!("a lock of a git that is gone ({lock}); removed"));
    }
    Ok(())
}
