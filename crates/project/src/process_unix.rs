//! Unix: signal 0 shows whether a process exists; Linux also reports since when.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

pub(super) fn exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    match test_kill_process(pid) {
        Ok(()) => true,
        // A process of another user exists too.
        Err(error) => error == Errno::PERM,
    }
}

/// When `pid` started, where the system reports it.
pub(super) fn started(pid: u32) -> Option<SystemTime> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let ticks_per_second = rustix::param::clock_ticks_per_second();
    SystemTime::now().checked_sub(age(&stat, &uptime, ticks_per_second)?)
}

/// The age of a process, rounded up by more than the clocks may differ, so that a live runner is never mistaken
/// for another process.
fn age(stat: &str, uptime: &str, ticks_per_second: u64) -> Option<Duration> {
    const SLACK: Duration = Duration::from_secs(2);
    // The second field is the program's name in brackets, which may contain blanks and brackets.
    let started: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let seconds = uptime - started / ticks_per_second as f64;
    Some(Duration::try_from_secs_f64(seconds.max(0.0)).ok()? + SLACK)
}

/// Not the modification time, which `touch` sets to any value.
pub(super) fn last_changed(metadata: &Metadata) -> Option<SystemTime> {
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_a_process_is_read_for_any_name() {
        let stat = |name: &str| {
            format!("7 ({name}) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9000 11 12")
        };
        for name in ["sh", "a b", "x) S 1 (y", ")"] {
            assert_eq!(
                age(&stat(name), "100.50 7.0", 100),
                Some(Duration::from_secs_f64(12.5)),
                "{name}"
            );
        }
        assert_eq!(age(&stat("young"), "80.0 0", 100), Some(Duration::from_secs(2)));
        assert_eq!(age("nonsense", "100.50 7.0", 100), None);
        assert_eq!(age(&stat("sh"), "", 100), None);
    }
}
