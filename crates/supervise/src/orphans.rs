//! What a run left behind that lost its keeper too, found by a mark in its environment.
//!
//! Only on Linux; elsewhere nothing is found.

use std::time::Duration;

use crate::Leftover;

/// Processes of the same user that were started with `name` set to exactly `value`, without this
/// process and its own parents. Ask only for the mark of a run that is over.
pub fn find(name: &str, value: &str) -> Vec<Leftover> {
    system::find(name, value)
}

/// Ends them, politely and after `grace` by force, and names them.
pub fn end(name: &str, value: &str, grace: Duration) -> Vec<Leftover> {
    system::end(name, value, grace)
}

#[cfg(target_os = "linux")]
mod system {
    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, geteuid, kill_process};

    use crate::Leftover;
    use crate::process_table::{ProcessTable, pid_of};

    /// Between two looks: strangers do not tell when they end.
    const PACE: Duration = Duration::from_millis(20);

    const LONGEST_KILLING: Duration = Duration::from_secs(5);

    pub(super) fn find(name: &str, value: &str) -> Vec<Leftover> {
        let mark = format!("{name}={value}");
        let own = geteuid().as_raw();
        let mut found: Vec<Leftover> =
            ProcessTable::read().apart_from_line_of(std::process::id()).collect();
        found.retain(|process| belongs_to(process.pid, own) && carries(process.pid, &mark));
        found
    }

    pub(super) fn end(name: &str, value: &str, grace: Duration) -> Vec<Leftover> {
        let mut ended = find(name, value);
        let mut left = ended.clone();
        signal(&left, Signal::TERM);
        let started = Instant::now();
        while !left.is_empty() && started.elapsed() < grace.saturating_add(LONGEST_KILLING) {
            std::thread::sleep(PACE);
            left = find(name, value);
            if started.elapsed() >= grace {
                signal(&left, Signal::KILL);
            }
            for process in &left {
                if ended.iter().all(|known| known.pid != process.pid) {
                    ended.push(process.clone());
                }
            }
        }
        ended
    }

    fn signal(processes: &[Leftover], signal: Signal) {
        for pid in processes.iter().filter_map(pid_of) {
            // One that is gone meanwhile needs no signal.
            let _ = kill_process(pid, signal);
        }
    }

    fn belongs_to(pid: u32, user: u32) -> bool {
        std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|folder| folder.uid() == user)
    }

    fn carries(pid: u32, mark: &str) -> bool {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::time::Duration;

    use crate::Leftover;

    pub(super) fn find(_name: &str, _value: &str) -> Vec<Leftover> {
        Vec::new()
    }

    pub(super) fn end(_name: &str, _value: &str, _grace: Duration) -> Vec<Leftover> {
        Vec::new()
    }
}
