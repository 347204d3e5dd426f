//! Whether a process is alive, for markers that name their runner only by pid.

use std::fs::Metadata;
use std::time::SystemTime;

#[cfg(unix)]
#[path = "process_unix.rs"]
mod system;
#[cfg(windows)]
#[path = "process_windows.rs"]
mod system;

/// Whether `pid` is alive and, where the system reports it, existed at `written`: a pid is reused after a reboot
/// for another process.
pub fn is_alive(pid: u32, written: Option<SystemTime>) -> bool {
    if !system::exists(pid) {
        return false;
    }
    match (system::started(pid), written) {
        (Some(started), Some(written)) => started <= written,
        _ => true,
    }
}

/// When a file was last changed, by a clock that only the system sets, if available.
pub(crate) fn last_changed(metadata: &Metadata) -> Option<SystemTime> {
    system::last_changed(metadata)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_impossible_pids_are_not() {
        assert!(is_alive(std::process::id(), None));
        assert!(is_alive(std::process::id(), Some(SystemTime::now())));
        assert!(!is_alive(0, None));
        assert!(!is_alive(u32::MAX, None));
        assert!(!is_alive(i32::MAX as u32, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_younger_than_the_marker_is_another_one() {
        let long_ago = SystemTime::now() - std::time::Duration::from_secs(3 * 3600);
        assert!(!is_alive(std::process::id(), Some(long_ago)));
    }
}
