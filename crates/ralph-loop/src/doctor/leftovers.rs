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
const MOST_ENTRIES: usize = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockHolder {
    None,
    /// Its pid, if readable.
    Run(Option<u32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkerState {
    None,
    Left { pid: Option<u32> },
}

pub(crate) fn look_at_lock(layout: &Layout) -> LockHolder {
    if !RunLock::is_held(layout) {
        return LockHolder::None;
    }
    let text = bounded_read::read_file(&layout.lock(), 32).ok();
    let pid = text.and_then(|text| String::from_utf8(text).ok()?.trim().parse().ok());
    LockHolder::Run(pid)
}

pub(crate) fn look_at_marker(layout: &Layout) -> MarkerState {
    match StoredMarker::load(layout) {
        Ok(None) => MarkerState::None,
        Ok(Some(stored)) => {
            MarkerState::Left { pid: stored.parse().ok().and_then(|marker| marker.pid) }
        }
        Err(_) => MarkerState::Left { pid: None },
    }
}

/// The size of all files below, without following links.
pub(crate) fn size_of(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_path_buf()];
    let (mut size, mut entries) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            entries += 1;
            if entries > MOST_ENTRIES {
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

pub(crate) fn judge_lock(holder: LockHolder) -> Check {
    let LockHolder::Run(pid) = holder else { return Check::ok(CheckId::Run, "no run in progress") };
    let (named, end) = match pid {
        Some(pid) => (format!(" (pid {pid})"), format!("kill -INT {pid}")),
        None => (String::new(), "Ctrl-C in its terminal".into()),
    };
    let fix = Fix::todo(format!("wait for its end, or stop it: {end}; see `ralph-loop status`"));
    Check::problem(CheckId::Run, format!("a run is in progress{named}"), fix)
}

pub(crate) fn judge_marker(
    mark: MarkerState,
    holder: LockHolder,
    preconditions: Result<&StartPreconditions<'_>, &anyhow::Error>,
) -> Check {
    if holder != LockHolder::None {
        return Check::ok(CheckId::Marker, ".ralph-active belongs to the run in progress");
    }
    let refused = match preconditions {
        Ok(preconditions) => preconditions.refuse_marker().map_err(anyhow::Error::from).err(),
        Err(error) => return Check::refused(CheckId::Marker, error),
    };
    if let Some(error) = refused {
        return Check::refused(CheckId::Marker, &error);
    }
    let MarkerState::Left { pid } = mark else {
        return Check::ok(CheckId::Marker, "no interrupted run");
    };
    let named = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    let found = format!(".ralph-active is left from a run that has ended{named}");
    let fix = "resume that run with `ralph-loop`, or start a new one with `ralph-loop --fresh`";
    Check::warning(CheckId::Marker, found, Fix::todo(fix))
}

pub(crate) fn judge_size(size: u64) -> Check {
    let found = format!(".ralph uses {}", shown(size));
    if size < MUCH {
        return Check::ok(CheckId::DataSize, found);
    }
    let fix = "remove folders of old runs from .ralph/runs; only `ralph-loop report` needs them";
    Check::warning(CheckId::DataSize, found, Fix::todo(fix))
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
        assert_eq!(look_at_lock(&layout), LockHolder::None);
        let lock = RunLock::acquire(&layout).unwrap();
        let holder = look_at_lock(&layout);
        let own = (!cfg!(windows)).then(std::process::id);
        assert_eq!(holder, LockHolder::Run(own));
        assert_eq!(judge_lock(holder).state, CheckState::Problem);
        let preconditions = StartPreconditions::of(&layout, StartMode::Auto).unwrap();
        let marker = judge_marker(MarkerState::Left { pid: own }, holder, Ok(&preconditions));
        assert_eq!(marker.state, CheckState::Ok);
        drop(lock);
        assert_eq!(judge_lock(look_at_lock(&layout)).state, CheckState::Ok);
    }

    #[test]
    fn the_marker_of_an_unknown_run_is_a_problem() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let judged = || {
            let preconditions =
                StartPreconditions::of(&layout, StartMode::Auto).map_err(anyhow::Error::from);
            judge_marker(look_at_marker(&layout), LockHolder::None, preconditions.as_ref())
        };
        assert_eq!(judged().state, CheckState::Ok);
        for (marker, pid) in [(r#"{"pid":77}"#, Some(77)), ("nonsense", None)] {
            std::fs::write(layout.marker(), marker).unwrap();
            assert_eq!(look_at_marker(&layout), MarkerState::Left { pid });
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
        assert_eq!(size_of(dir.path()), 1024);
        assert_eq!(judge_size(1024).found, ".ralph uses 1.0 KiB");
        assert_eq!(judge_size(MUCH).state, CheckState::Warning);
    }
}
