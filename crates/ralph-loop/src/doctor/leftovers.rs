//! Files of runs in a project: the lock of a running one, the marker of a killed one, and the size of all.

use std::path::Path;

use anyhow::Result;
use engine::StartPreconditions;
use project::{Layout, RunLock, StoredMarker};

use super::check::{Check, CheckId, Fix};
use super::disk::shown;

/// From this size on, doctor suggests to remove old runs.
const MUCH: u64 = 1024 * 1024 * 1024;

/// At most this many files are counted.
pub(crate) const MOST_ENTRIES: usize = 200_000;

pub(crate) fn judge_lock(layout: &Layout) -> Check {
    if !RunLock::is_held(layout) {
        return CheckId::Run.ok("no run in progress");
    }
    let text = bounded_read::read_file(&layout.lock(), 32).ok();
    let pid = text.and_then(|text| String::from_utf8(text).ok()?.trim().parse::<u32>().ok());
    let end = pid.map_or("Ctrl-C in its terminal".into(), |pid| format!("kill -INT {pid}"));
    let fix = Fix::todo(format!("wait for its end, or stop it: {end}; see `ralph-loop status`"));
    CheckId::Run.problem(format!("a run is in progress{}", named(pid)), fix)
}

pub(crate) fn judge_marker(
    layout: &Layout,
    preconditions: Result<&StartPreconditions<'_>, &anyhow::Error>,
) -> Check {
    if RunLock::is_held(layout) {
        return CheckId::Marker.ok(".ralph-active belongs to the run in progress");
    }
    let refused = match preconditions {
        Ok(preconditions) => preconditions.refuse_marker().map_err(anyhow::Error::from).err(),
        Err(error) => return CheckId::Marker.refused(error),
    };
    match (refused, StoredMarker::load(layout)) {
        (Some(error), _) => CheckId::Marker.refused(&error),
        (None, Ok(None)) => CheckId::Marker.ok("no interrupted run"),
        (None, marker) => {
            let pid = marker.ok().flatten().and_then(|stored| stored.parse().ok()?.pid);
            let found = format!(".ralph-active is left from a run that has ended{}", named(pid));
            let fix =
                "resume that run with `ralph-loop`, or start a new one with `ralph-loop --fresh`";
            CheckId::Marker.warning(found, Fix::todo(fix))
        }
    }
}

fn named(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

/// The size of the files below, of at most so many entries, without following links.
pub(crate) fn size_of(folder: &Path, most_entries: usize) -> u64 {
    let mut folders = vec![folder.to_path_buf()];
    let (mut size, mut entries) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            entries += 1;
            if entries > most_entries {
                return size;
            }
            if found.is_dir() {
                folders.push(entry.path());
            } else {
                size += found.len();
            }
        }
    }
    size
}

pub(crate) fn judge_size(size: u64) -> Check {
    let found = format!(".ralph uses {}", shown(size));
    if size < MUCH {
        return CheckId::DataSize.ok(found);
    }
    let fix = "remove folders of old runs from .ralph/runs; only `ralph-loop report` needs them";
    CheckId::DataSize.warning(found, Fix::todo(fix))
}

#[cfg(test)]
mod tests {
    use engine::StartMode;

    use super::*;
    use crate::doctor::check::CheckState;

    #[test]
    fn a_running_loop_is_reported_with_its_pid_and_its_marker_is_fine() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let preconditions = StartPreconditions::of(&layout, StartMode::Auto).unwrap();
        std::fs::write(layout.marker(), "{}").unwrap();
        let lock = RunLock::acquire(&layout).unwrap();
        let check = judge_lock(&layout);
        assert_eq!(check.state, CheckState::Problem);
        if cfg!(unix) {
            let own = std::process::id();
            assert_eq!(check.found, format!("a run is in progress (pid {own})"));
            assert!(check.fix.unwrap().text().contains(&format!("kill -INT {own}")));
        }
        assert_eq!(judge_marker(&layout, Ok(&preconditions)).state, CheckState::Ok);
        drop(lock);
        assert_eq!(judge_lock(&layout).state, CheckState::Ok);
    }

    #[test]
    fn the_marker_of_an_unknown_run_is_a_problem() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let judged = || {
            let preconditions =
                StartPreconditions::of(&layout, StartMode::Auto).map_err(anyhow::Error::from);
            judge_marker(&layout, preconditions.as_ref())
        };
        assert_eq!(judged().state, CheckState::Ok);
        for marker in [r#"{"pid":77}"#, "nonsense"] {
            std::fs::write(layout.marker(), marker).unwrap();
            let check = judged();
            assert_eq!(check.state, CheckState::Problem, "{check:?}");
            assert!(check.fix.unwrap().text().contains("--fresh"));
        }
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.state(), "{").unwrap();
        assert_eq!(judged().state, CheckState::Problem);
    }

    #[test]
    fn sizes_are_those_of_all_files_below() {
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("runs")).unwrap();
        std::fs::write(dir.path().join("runs/a"), [0; 1000]).unwrap();
        std::fs::write(dir.path().join("b"), [0; 24]).unwrap();
        assert_eq!(size_of(dir.path(), MOST_ENTRIES), 1024);
        assert_eq!(judge_size(1024).found, ".ralph uses 1.0 KiB");
        assert_eq!(judge_size(MUCH).state, CheckState::Warning);
    }
}
