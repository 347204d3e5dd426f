//! Whether a process lives: for markers that name their runner by pid alone.

use std::fs::Metadata;
use std::time::SystemTime;

#[cfg(unix)]
#[path = "process_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "process_windows.rs"]
mod system;

/// Whether `pid` lives and, where the system tells, was already there at `written`: a pid is used
/// again after a reboot, and its new owner is not the runner.
pub fn is_alive(pid: u32, written: Option<SystemTime>) -> bool {
    if !system::exists(pid) {
        return false;
    }
    match (system::started(pid), written) {
        (Some(started), Some(written)) => started <= written,
        _ => true,
    }
}

/// When a file was last changed, by a clock that nobody but the system sets, where there is one.
pub(crate) fn last_changed(metadata: &Metadata) -> Option<SystemTime> {
    system::last_changed(metadata)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_pids_nobody_can_have_do_not() {
        assert!(is_alive(std::process::id(), None));
        assert!(is_alive(std::process::id(), Some(SystemTime::now())));
        assert!(!is_alive(0, None));
        assert!(!is_alive(u32::MAX, None));
        assert!(!is_alive(i32::MAX as u32, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_younger_than_the_marker_is_someone_else() {
        let long_ago = SystemTime::now() - std::time::Duration::from_secs(3 * 3600);
        assert!(!is_alive(std::process::id(), Some(long_ago)));
    }
}
