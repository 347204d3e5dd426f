//! Finds processes of an earlier run that lost both runner and keeper, by a variable in their
//! environment.
//!
//! Linux only; elsewhere nothing is found.

pub use system::{end, find};

#[cfg(target_os = "linux")]
mod system {
    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, geteuid};

    use crate::ended::LONGEST_KILLING;
    use crate::process::{Process, ProcessTable};
    use crate::{Leftover, Leftovers};

    /// Poll interval: the end of a process that is no child is not announced.
    const PACE: Duration = Duration::from_millis(20);

    /// Processes of the same user that were started with `name=value`, without this process and its
    /// parents. Use only the mark of a run that has ended.
    pub fn find(name: &str, value: &str) -> Vec<Leftover> {
        marked(name, value).iter().map(Process::to_leftover).collect()
    }

    /// Sends SIGTERM, and SIGKILL after `grace`.
    pub fn end(name: &str, value: &str, grace: Duration) -> Leftovers {
        let mut leftovers = Leftovers::default();
        let started = Instant::now();
        let mut left = marked(name, value);
        signal(&left, Signal::TERM);
        while !left.is_empty() {
            leftovers.record(left.iter().map(Process::to_leftover));
            std::thread::sleep(PACE);
            left = marked(name, value);
            if started.elapsed() < grace {
                continue;
            }
            if started.elapsed() >= grace.saturating_add(LONGEST_KILLING) {
                leftovers.alive = left.iter().map(Process::to_leftover).collect();
                break;
            }
            // A stopped process cannot fork while all are killed.
            signal(&left, Signal::STOP);
            signal(&marked(name, value), Signal::KILL);
        }
        leftovers
    }

    fn marked(name: &str, value: &str) -> Vec<Process> {
        let mark = format!("{name}={value}");
        let own = geteuid().as_raw();
        let table = ProcessTable::read();
        let others = table.except_ancestors_of(std::process::id());
        others
            .filter(|process| belongs_to(process.pid, own) && has_variable(process.pid, &mark))
            .cloned()
            .collect()
    }

    fn signal(processes: &[Process], signal: Signal) {
        for process in processes {
            // A process that has ended needs no signal.
            let _ = process.signal(signal);
        }
    }

    fn belongs_to(pid: u32, user: u32) -> bool {
        std::fs::metadata(format!("/proc/{pid}")).is_ok_and(|folder| folder.uid() == user)
    }

    fn has_variable(pid: u32, mark: &str) -> bool {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::time::Duration;

    use crate::{Leftover, Leftovers};

    pub fn find(_name: &str, _value: &str) -> Vec<Leftover> {
        Vec::new()
    }

    pub fn end(_name: &str, _value: &str, _grace: Duration) -> Leftovers {
        Leftovers::default()
    }
}
