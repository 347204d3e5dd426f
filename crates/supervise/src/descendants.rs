//! Linux: finds all descendants of this process, in any session or process group. This process must
//! be a subreaper, so that every orphan becomes its child.
//!
//! A process that forks and exits can outrun a search. So all processes are stopped first, until
//! none runs, and then killed: a stopped process cannot fork.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::Leftover;
use crate::process::{Process, ProcessState, ProcessTable};

/// Time limit to stop all. Processes that continue each other never stop completely.
const STOPPING: Duration = Duration::from_secs(4);

/// Time limit to kill all.
const KILLING: Duration = Duration::from_secs(2);

/// Searches of the newest pids between two complete searches.
const CHASES: u32 = 100;

/// Searches without a new process that end a chase.
const QUIET_SEARCHES: u32 = 20;

/// Number of pids per search of the newest.
const NEWEST: u32 = 16;

/// Parents followed upwards in a chase; the complete search has no limit.
const MOST_ANCESTORS: usize = 8;

pub(crate) struct Descendants<'s> {
    own: u32,
    /// Children of this process that are spared with all their descendants.
    is_spared: &'s dyn Fn(&Process) -> bool,
}

impl<'s> Descendants<'s> {
    pub(crate) fn without(is_spared: &'s dyn Fn(&Process) -> bool) -> Self {
        Self { own: std::process::id(), is_spared }
    }

    /// Returns those that could be signalled.
    pub(crate) fn signal(&self, signal: Signal) -> Vec<Leftover> {
        let living = self.living().into_iter();
        living.filter(|one| one.signal(signal).is_ok()).map(|one| one.to_leftover()).collect()
    }

    /// Returns those that could be signalled, some of them twice. Call it again for processes
    /// started meanwhile.
    pub(crate) fn kill(&self) -> Vec<Leftover> {
        let mut killed = self.sweep(Signal::STOP, STOPPING);
        killed.extend(self.sweep(Signal::KILL, KILLING));
        killed
    }

    pub(crate) fn living(&self) -> Vec<Process> {
        self.below(&ProcessTable::read())
    }

    /// Zombie children of this process.
    pub(crate) fn ended_children(&self) -> Vec<Process> {
        let table = ProcessTable::read();
        let below = table.below(self.own, self.is_spared).into_iter();
        below.filter(|process| process.parent == self.own && !process.is_alive()).cloned().collect()
    }

    /// Signals all until a complete search finds none that still needs the signal.
    fn sweep(&self, signal: Signal, longest: Duration) -> Vec<Leftover> {
        let deadline = Instant::now() + longest;
        let mut unclear = HashSet::new();
        let mut reached: BTreeMap<u32, Leftover> = BTreeMap::new();
        loop {
            let table = ProcessTable::read_with(&mut |process| {
                // It may have been replaced meanwhile.
                if process.parent == self.own && self.is_running(process) {
                    let _ = process.signal(signal);
                }
            });
            let mut is_quiet = true;
            for process in self.below(&table) {
                let is_still = match process.state {
                    ProcessState::Ended => true,
                    ProcessState::Stopped => signal == Signal::STOP,
                    // After the signal, it stops before it runs again.
                    ProcessState::Unclear => !unclear.insert((process.pid, process.started)),
                    ProcessState::Running => false,
                };
                if is_still || process.signal(signal).is_ok() {
                    is_quiet &= is_still;
                    reached.insert(process.pid, process.to_leftover());
                }
                // A process that may not be signalled does not block the others.
            }
            if is_quiet || Instant::now() >= deadline {
                return reached.into_values().collect();
            }
            self.chase(signal);
        }
    }

    /// Signals the newest processes as fast as they appear.
    fn chase(&self, signal: Signal) {
        let (mut searched, mut quiet) = (0, 0);
        for _ in 0..CHASES {
            let Some(newest) = newest_pid() else { return };
            quiet = if newest == searched { quiet + 1 } else { 0 };
            if quiet == QUIET_SEARCHES {
                return;
            }
            let first = if searched < newest { searched + 1 } else { 0 };
            for pid in (first.max(newest.saturating_sub(NEWEST))..=newest).rev() {
                if let Some(process) = Process::read(pid).filter(|process| self.is_running(process))
                {
                    let _ = process.signal(signal);
                }
            }
            searched = newest;
        }
    }

    fn is_running(&self, process: &Process) -> bool {
        process.state == ProcessState::Running && self.is_below(process)
    }

    fn is_below(&self, process: &Process) -> bool {
        let mut next = Some(process.clone());
        for _ in 0..MOST_ANCESTORS {
            match next {
                Some(process) if process.parent == self.own => return !(self.is_spared)(&process),
                Some(process) if process.parent > 1 => next = Process::read(process.parent),
                _ => return false,
            }
        }
        false
    }

    fn below(&self, table: &ProcessTable) -> Vec<Process> {
        let below = table.below(self.own, self.is_spared).into_iter();
        below.filter(|process| process.is_alive()).cloned().collect()
    }
}

/// The last assigned pid.
fn newest_pid() -> Option<u32> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().last()?.parse().ok()
}
