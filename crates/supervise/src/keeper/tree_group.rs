//! Without a subreaper, only the child's process group can be found.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::Leftover;

/// Signals the child's process group.
pub(super) fn signal_all(child: Pid, signal: Signal) -> Vec<Leftover> {
    match kill_process_group(child, signal) {
        Ok(()) => vec![group(child)],
        Err(_) => Vec::new(),
    }
}

/// One signal reaches the whole group.
pub(super) fn kill_all(child: Pid) -> Vec<Leftover> {
    signal_all(child, Signal::KILL)
}

/// No process is between the child and its programs.
pub(super) fn signal_in_sandbox(_child: Pid, _signal: Signal) -> bool {
    false
}

/// Orphans of the group are not children of this process.
pub(super) fn reaches_beyond_children(child: Pid) -> bool {
    test_kill_process_group(child).is_ok()
}

pub(super) fn still_alive(child: Pid) -> Vec<Leftover> {
    if reaches_beyond_children(child) { vec![group(child)] } else { Vec::new() }
}

fn group(child: Pid) -> Leftover {
    let pid = Pid::as_raw(Some(child)).unsigned_abs();
    Leftover { pid, name: "process group".to_owned() }
}
