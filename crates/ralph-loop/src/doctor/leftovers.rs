//! What runs leave in a project: the lock of one that is at work, the marker of one that was killed,
//! and how much room all of them take.

use std::path::Path;

use anyhow::Result;
use engine::Beginning;
use project::{Layout, RunLock, StoredMarker};

use super::check::{Check, Fix, Id};
use super::disk::shown;

/// The size from which on somebody may want the room back.
const MUCH: u64 = 1024 * 1024 * 1024;

/// Entries of a folder that are counted.
const MOST_ENTRIES: usize = 200_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    /// By its number, where that can be read.
    Run(Option<u32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    Left { pid: Option<u32> },
}

pub(crate) fn look_at_lock(layout: &Layout) -> Holder {
    if !RunLock::is_held(layout) {
        return Holder::Nobody;
    }
    let text = bounded_read::read_file(&layout.lock(), 32).ok();
    let pid = text.and_then(|text| String::from_utf8(text).ok()?.trim().parse().ok());
    Holder::Run(pid)
}

pub(crate) fn look_at_marker(layout: &Layout) -> Mark {
    match StoredMarker::load(layout) {
        Ok(None) => Mark::None,
        Ok(Some(stored)) => Mark::Left { pid: stored.parse().ok().and_then(|marker| marker.pid) },
        Err(_) => Mark::Left { pid: None },
    }
}

/// Of all files below, without following links.
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

pub(crate) fn judge_lock(holder: Holder) -> Check {
    let Holder::Run(pid) = holder else { return Check::ok(Id::Run, "none is at work here") };
    let (named, end) = match pid {
        Some(pid) => (format!(" (pid {pid})"), format!("kill -INT {pid}")),
        None => (String::new(), "Ctrl-C in its terminal".into()),
    };
    let fix = Fix::todo(format!("wait for its end, or end it: {end}; see `ralph-loop status`"));
    Check::problem(Id::Run, format!("a run is at work here{named}"), fix)
}

pub(crate) fn judge_marker(
    mark: Mark,
    holder: Holder,
    beginning: Result<&Beginning<'_>, &anyhow::Error>,
) -> Check {
    if holder != Holder::Nobody {
        return Check::ok(Id::Marker, ".ralph-active belongs to the run that is at work");
    }
    let refused = match beginning {
        Ok(beginning) => beginning.refuse_marker().map_err(anyhow::Error::from).err(),
        Err(error) => return Check::refused(Id::Marker, error),
    };
    if let Some(error) = refused {
        return Check::refused(Id::Marker, &error);
    }
    let Mark::Left { pid } = mark else { return Check::ok(Id::Marker, "no run was cut off here") };
    let named = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    let found = format!(".ralph-active is left from a run that is gone{named}");
    let fix = "`ralph-loop` takes that run up again; `ralph-loop --fresh` starts anew";
    Check::warning(Id::Marker, found, Fix::todo(fix))
}

pub(crate) fn judge_size(size: u64) -> Check {
    let found = format!(".ralph holds {}", shown(size));
    if size < MUCH {
        return Check::ok(Id::DataSize, found);
    }
    let fix = "remove folders of old runs from .ralph/runs; nothing but `report` needs them";
    Check::warning(Id::DataSize, found, Fix::todo(fix))
}

#[cfg(test)]
mod tests {
    use engine::Start;

    use super::*;
    use crate::doctor::check::State;

    #[test]
    fn a_run_at_work_is_told_by_its_number_and_its_marker_is_no_leftover() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(look_at_lock(&layout), Holder::Nobody);
        let lock = RunLock::acquire(&layout).unwrap();
        let holder = look_at_lock(&layout);
        let own = (!cfg!(windows)).then(std::process::id);
        assert_eq!(holder, Holder::Run(own));
        assert_eq!(judge_lock(holder).state, State::Problem);
        let beginning = Beginning::of(&layout, Start::Auto).unwrap();
        let marker = judge_marker(Mark::Left { pid: own }, holder, Ok(&beginning));
        assert_eq!(marker.state, State::Ok);
        drop(lock);
        assert_eq!(judge_lock(look_at_lock(&layout)).state, State::Ok);
    }

    #[test]
    fn a_marker_of_a_run_that_nobody_knows_stands_in_the_way() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let judged = || {
            let beginning = Beginning::of(&layout, Start::Auto).map_err(anyhow::Error::from);
            judge_marker(look_at_marker(&layout), Holder::Nobody, beginning.as_ref())
        };
        assert_eq!(judged().state, State::Ok);
        for (marker, pid) in [(r#"{"pid":77}"#, Some(77)), ("nonsense", None)] {
            std::fs::write(layout.marker(), marker).unwrap();
            assert_eq!(look_at_marker(&layout), Mark::Left { pid });
            let check = judged();
            assert_eq!(check.state, State::Problem, "{check:?}");
            assert!(check.fix.unwrap().text().contains("--fresh"));
        }
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.state(), "{").unwrap();
        assert_eq!(judged().state, State::Problem);
    }

    #[test]
    fn sizes_are_those_of_all_files_below() {
        let dir = assert_fs::TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("runs")).unwrap();
        std::fs::write(dir.path().join("runs/a"), [0; 1000]).unwrap();
        std::fs::write(dir.path().join("b"), [0; 24]).unwrap();
        assert_eq!(size_of(dir.path()), 1024);
        assert_eq!(judge_size(1024).found, ".ralph holds 1.0 KiB");
        assert_eq!(judge_size(MUCH).state, State::Warning);
    }
}
