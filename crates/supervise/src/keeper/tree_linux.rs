//! Linux: the keeper is the sub-reaper of the tree, so every descendant stays below it, whatever
//! session or group it moved to and however often it forked.

use rustix::process::{Pid, Signal, getpid, kill_process};

use crate::Leftover;
use crate::process_table::{ProcessTable, pid_of};

/// Signals all descendants of this process and names them.
pub(super) fn signal_everybody(_child: Pid, signal: Signal) -> Vec<Leftover> {
    signal_below(getpid(), signal)
}

/// A process without children has no descendants.
pub(super) fn reaches_beyond_children(_child: Pid) -> bool {
    false
}

/// Kills all descendants of `root`, once.
pub(crate) fn kill_below(root: Pid) {
    signal_below(root, Signal::KILL);
}

fn signal_below(root: Pid, signal: Signal) -> Vec<Leftover> {
    let mut found = ProcessTable::read().below(Pid::as_raw(Some(root)).unsigned_abs());
    found.retain(|process| pid_of(process).is_some_and(|pid| kill_process(pid, signal).is_ok()));
    found
}
