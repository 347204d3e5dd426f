//! Unix: signal 0 tells whether a process exists; Linux also tells since when.

use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

pub(super) fn exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return false };
    match test_kill_process(pid) {
        Ok(()) => true,
        // Somebody else's process is a process.
        Err(error) => error == Errno::PERM,
    }
}

/// When `pid` started, to about a second; rounded down, so that a live runner is never taken for
/// a stranger.
pub(super) fn started(pid: u32) -> Option<SystemTime> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    let ticks: u64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    let uptime: f64 = uptime.split_whitespace().next()?.parse().ok()?;
    let age = uptime - ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
    let slack = Duration::from_secs(2);
    SystemTime::now().checked_sub(Duration::try_from_secs_f64(age.max(0.0)).ok()? + slack)
}
