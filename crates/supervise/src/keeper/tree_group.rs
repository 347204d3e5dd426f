//! Without a sub-reaper only the child's process group can be found again.

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::Leftover;

/// Signals the child's group, which stands for all in it.
pub(super) fn signal_everybody(child: Pid, signal: Signal) -> Vec<Leftover> {
    match kill_process_group(child, signal) {
        Ok(()) => {
            let pid = Pid::as_raw(Some(child)).unsigned_abs();
            vec![Leftover { pid, name: "process group".to_owned() }]
        }
        Err(_) => Vec::new(),
    }
}

/// Orphans of the group are not children of this process.
pub(super) fn reaches_beyond_children(child: Pid) -> bool {
    test_kill_process_group(child).is_ok()
}
