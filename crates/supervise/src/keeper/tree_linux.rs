//! Linux: the keeper is a subreaper, so every descendant stays below it.

use rustix::process::{Pid, Signal};

use crate::Leftover;
use crate::descendants::Descendants;
use crate::process::Process;

/// A process without children has no descendants.
pub(super) fn reaches_beyond_children(_child: Pid) -> bool {
    false
}

/// Signals all and returns them.
pub(super) fn signal_all(_child: Pid, signal: Signal) -> Vec<Leftover> {
    all().signal(signal)
}

/// Kills all and returns them.
pub(super) fn kill_all(_child: Pid) -> Vec<Leftover> {
    all().kill()
}

/// Signals the first program in the child's sandbox; returns whether one exists. The child is
/// bubblewrap: its child is the init process of the sandbox, which waits for that program.
pub(super) fn signal_in_sandbox(child: Pid, signal: Signal) -> bool {
    let child = Pid::as_raw(Some(child)).unsigned_abs();
    let living = all().living();
    let first = living.iter().find(|process| process.parent == child);
    let inside = living.iter().filter(|process| Some(process.parent) == first.map(|it| it.pid));
    let oldest = inside.min_by_key(|process| (process.started, process.pid));
    oldest.is_some_and(|process| process.signal(signal).is_ok())
}

/// Called while this process has children.
pub(super) fn still_alive(child: Pid) -> Vec<Leftover> {
    let living: Vec<Leftover> = all().living().iter().map(Process::to_leftover).collect();
    if living.is_empty() {
        // /proc does not show them.
        let pid = Pid::as_raw(Some(child)).unsigned_abs();
        return vec![Leftover { pid, name: "unknown process of the tree".to_owned() }];
    }
    living
}

fn all() -> Descendants<'static> {
    Descendants::without(&|_| false)
}
