//! The clones of a project on disk, and which of them can be removed without losing work.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use project::{Layout, RunLock};
use vcs::{OnlyInClone, WorkTree};

use crate::RunError;
use crate::clones::CANDIDATE;
use crate::coordinator::SavedRun;
use crate::run_files::deadline;

/// The clone for the checks of merged work; no agent works there.
const VERIFICATION: &str = "verification";

/// The clone of the final review, which a killed runner leaves.
pub(crate) const REVIEW: &str = "review";

/// A clone of the project.
#[derive(Debug, Clone)]
pub struct LaneFolder {
    pub run_id: String,
    /// `1`, `2`, …, `candidate-1`, `review` or `verification`.
    pub lane: String,
    /// The story in work, if the run is the last one.
    pub story: Option<String>,
    pub state: LaneFolderState,
    /// When git was used there last.
    pub used: Option<SystemTime>,
    pub folder: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneFolderState {
    /// Its run is in progress.
    Running,
    /// Its run was interrupted and is continued by the next one.
    Interrupted,
    /// It has work that the project does not have.
    Unsaved(OnlyInClone),
    /// The project has its work: merged, or kept as a ref.
    Saved,
    /// Its contents are unknown, for this reason.
    Unclear(String),
}

/// The clones in `dir` and in the folder of the last run; those of the newest run first.
pub fn lane_folders(layout: &Layout, dir: &Path) -> Result<Vec<LaneFolder>, RunError> {
    let is_running = RunLock::is_held(layout);
    read_folders(layout, dir, is_running)
}

/// Removes each clone that has no work of its own, and returns all of them. No run starts meanwhile.
///
/// The second value is the error of a removal.
pub fn prune_lanes(
    layout: &Layout,
    dir: &Path,
) -> Result<Vec<(LaneFolder, Option<std::io::Error>)>, RunError> {
    if lane_folders(layout, dir)?.is_empty() {
        // The lock would create the folder of the runner's files.
        return Ok(Vec::new());
    }
    // A run that holds the lock keeps its clones.
    let lock = RunLock::acquire(layout).ok();
    let found = read_folders(layout, dir, lock.is_none())?;
    let remove = |found: LaneFolder| {
        let is_removed = found.state == LaneFolderState::Saved;
        let error = is_removed.then(|| remove(&found.folder)).and_then(Result::err);
        (found, error)
    };
    Ok(found.into_iter().map(remove).collect())
}

/// Also the folders of the run and of the project, if nothing is left in them.
fn remove(folder: &Path) -> std::io::Result<()> {
    project::remove_any(folder)?;
    let _ = folder.ancestors().skip(1).take(2).try_for_each(std::fs::remove_dir);
    Ok(())
}

fn read_folders(
    layout: &Layout,
    dir: &Path,
    is_running: bool,
) -> Result<Vec<LaneFolder>, RunError> {
    let tree = WorkTree::open(layout.root()).map_err(|_| {
        RunError::precondition("not a git repository", "create one with `git init`")
    })?;
    let run = LastLanes::of(layout, is_running);
    let mut runs: BTreeMap<String, PathBuf> =
        folders(dir).filter(|(id, _)| is_run_id(id)).collect();
    // The settings may have named another folder when it started.
    runs.extend(
        run.folder.clone().filter(|folder| folder.is_dir()).map(|folder| (run.id.clone(), folder)),
    );
    let mut found = Vec::new();
    for (run_id, folder) in runs.into_iter().rev() {
        let mut lanes: Vec<(String, PathBuf)> =
            folders(&folder).filter(|(lane, _)| number(lane).is_some()).collect();
        lanes.sort_by_key(|(lane, _)| number(lane));
        for (lane, folder) in lanes {
            let state =
                run.state_of(&run_id).unwrap_or_else(|| state_of(&tree, layout, &lane, &folder));
            let story = run.story(&run_id, &lane);
            let used = used(&folder);
            found.push(LaneFolder { run_id: run_id.clone(), lane, story, state, used, folder });
        }
    }
    Ok(found)
}

fn state_of(tree: &WorkTree, layout: &Layout, lane: &str, folder: &Path) -> LaneFolderState {
    if [VERIFICATION, REVIEW].contains(&lane) || is_candidate(lane) {
        return LaneFolderState::Saved;
    }
    match tree.only_in_clone(folder, deadline()) {
        Ok(mut own) => {
            let prefix = tree.project_folder().to_string_lossy().replace('\\', "/");
            own.files.retain(|file| {
                let in_project = file.strip_prefix(&prefix).unwrap_or(file).trim_start_matches('/');
                !layout.is_runtime(in_project)
            });
            if own.is_empty() { LaneFolderState::Saved } else { LaneFolderState::Unsaved(own) }
        }
        Err(error) => LaneFolderState::Unclear(error.to_string()),
    }
}

/// What `state.json` says about the clones of the last run.
#[derive(Debug, Default)]
struct LastLanes {
    id: String,
    state: Option<LaneFolderState>,
    folder: Option<PathBuf>,
    /// By lane, from the first on.
    stories: Vec<Option<String>>,
    is_running: bool,
}

impl LastLanes {
    fn of(layout: &Layout, is_running: bool) -> Self {
        let saved = SavedRun::load(layout).ok().flatten();
        let Some(saved) = saved else { return Self { is_running, ..Self::default() } };
        let state = saved.resumes_automatically().then_some(LaneFolderState::Interrupted);
        let separate = saved.run.separate.unwrap_or_default();
        let lanes = separate.lanes.into_iter();
        Self {
            id: saved.run.run_id,
            state,
            folder: Some(separate.folder),
            stories: lanes.map(|lane| lane.story.map(|story| story.to_string())).collect(),
            is_running,
        }
    }

    /// `None` if its clones decide.
    fn state_of(&self, run_id: &str) -> Option<LaneFolderState> {
        // A run that starts creates its clones before it writes its state; ids sort by time.
        if self.is_running && run_id >= self.id.as_str() {
            return Some(LaneFolderState::Running);
        }
        self.state.clone().filter(|_| run_id == self.id)
    }

    fn story(&self, run_id: &str, lane: &str) -> Option<String> {
        let index = number(lane)?.checked_sub(1)?;
        self.stories.get(index).filter(|_| run_id == self.id)?.clone()
    }
}

/// For a lane's name; the clones without a story come last.
fn number(lane: &str) -> Option<usize> {
    match lane {
        VERIFICATION => Some(usize::MAX),
        REVIEW => Some(usize::MAX - 1),
        lane if is_candidate(lane) => Some(usize::MAX - 2),
        lane => lane.parse().ok(),
    }
}

/// What a killed runner leaves of a candidate; the next one begins it again.
fn is_candidate(lane: &str) -> bool {
    lane.starts_with(CANDIDATE)
}

/// The folders in a folder by name. Links are none.
fn folders(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let named = |entry: DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        Some((entry.file_name().into_string().ok()?, entry.path())).filter(|_| is_folder)
    };
    std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(named)
}

fn is_run_id(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    let is = |at: usize, length| {
        let part: &str = parts.get(at).copied().unwrap_or_default();
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    parts.len() == 3 && is(0, 8) && is(1, 6) && is(2, 4)
}

fn used(folder: &Path) -> Option<SystemTime> {
    let git = folder.join(".git");
    let written = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    [git.join("index"), git.join("HEAD"), git].iter().filter_map(|path| written(path)).max()
}

#[cfg(test)]
mod tests;
