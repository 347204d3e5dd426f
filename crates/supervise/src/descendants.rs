//! Linux: the processes below this one, whatever session or group they moved to and however often they
//! forked. This process has to be the sub-reaper of its tree, so that every orphan becomes its child.
//!
//! A process that only starts the next one and exits can outrun a search. So all are stopped first, until
//! none is left that moves, and killed then: a process that is stopped starts no other.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::Leftover;
use crate::process::{Process, State};
use crate::process_table::ProcessTable;

/// For all to be stopped. Those that wake each other are never all stopped.
const STOPPING: Duration = Duration::from_secs(4);

/// For all to be killed.
const KILLING: Duration = Duration::from_secs(2);

/// Searches of the newest processes between two searches of all of them.
const CHASES: u32 = 100;

/// Searches that find no new process before a chase ends.
const QUIET_LOOKS: u32 = 20;

/// Pids that one search of the newest reads.
const NEWEST: u32 = 16;

/// Parents that are followed upwards in a chase; the search of all processes follows every one.
const LINE: usize = 8;

pub(crate) struct Descendants<'s> {
    own: u32,
    /// Children of this process that are left alone with all below them.
    is_spared: &'s dyn Fn(&Process) -> bool,
}

impl<'s> Descendants<'s> {
    pub(crate) fn without(is_spared: &'s dyn Fn(&Process) -> bool) -> Self {
        Self { own: std::process::id(), is_spared }
    }

    /// Those that could be signalled.
    pub(crate) fn signal(&self, signal: Signal) -> Vec<Leftover> {
        let living = self.living().into_iter();
        living.filter(|one| one.signal(signal).is_ok()).map(|one| one.named()).collect()
    }

    /// Those that could be signalled, some of them twice. The next call finds what was started
    /// meanwhile.
    pub(crate) fn kill(&self) -> Vec<Leftover> {
        let mut killed = self.sweep(Signal::STOP, STOPPING);
        killed.extend(self.sweep(Signal::KILL, KILLING));
        killed
    }

    pub(crate) fn living(&self) -> Vec<Process> {
        self.below(&ProcessTable::read())
    }

    /// Children of this process that wait to be waited for.
    pub(crate) fn ended_children(&self) -> Vec<Process> {
        let table = ProcessTable::read();
        let below = table.below(self.own, self.is_spared).into_iter();
        below.filter(|process| process.parent == self.own && !process.is_alive()).cloned().collect()
    }

    /// Signals all until a search of every process finds none that still needs the signal.
    fn sweep(&self, signal: Signal, longest: Duration) -> Vec<Leftover> {
        let deadline = Instant::now() + longest;
        let mut unclear = HashSet::new();
        let mut reached: BTreeMap<u32, Leftover> = BTreeMap::new();
        loop {
            let table = ProcessTable::read_with(&mut |process| {
                // A moment later it may be gone, and the next one be there.
                if process.parent == self.own && self.is_running(process) {
                    let _ = process.signal(signal);
                }
            });
            let mut is_quiet = true;
            for process in self.below(&table) {
                let is_still = match process.state {
                    State::Ended => true,
                    State::Stopped => signal == Signal::STOP,
                    // Once it was signalled, it obeys before it goes on.
                    State::Unclear => !unclear.insert((process.pid, process.started)),
                    State::Running => false,
                };
                if is_still || process.signal(signal).is_ok() {
                    is_quiet &= is_still;
                    reached.insert(process.pid, process.named());
                }
                // One that may not be signalled does not keep the others alive.
            }
            if is_quiet || Instant::now() >= deadline {
                return reached.into_values().collect();
            }
            self.chase(signal);
        }
    }

    /// Signals the processes that were started last, as fast as they are started.
    fn chase(&self, signal: Signal) {
        let (mut looked, mut quiet) = (0, 0);
        for _ in 0..CHASES {
            let Some(newest) = newest_pid() else { return };
            quiet = if newest == looked { quiet + 1 } else { 0 };
            if quiet == QUIET_LOOKS {
                return;
            }
            let first = if looked < newest { looked + 1 } else { 0 };
            for pid in (first.max(newest.saturating_sub(NEWEST))..=newest).rev() {
                if let Some(process) = Process::read(pid).filter(|process| self.is_running(process))
                {
                    let _ = process.signal(signal);
                }
            }
            looked = newest;
        }
    }

    fn is_running(&self, process: &Process) -> bool {
        process.state == State::Running && self.is_below(process)
    }

    fn is_below(&self, process: &Process) -> bool {
        let mut next = Some(process.clone());
        for _ in 0..LINE {
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

/// The pid that was given last.
fn newest_pid() -> Option<u32> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().last()?.parse().ok()
}
