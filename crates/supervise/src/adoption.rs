//! Ends the orphans of a killed keeper. This process is a subreaper while a child runs, so orphans
//! become its children.
//!
//! Other children stay: running keepers and processes started before the child. Linux only;
//! elsewhere nothing is found.

pub(crate) use system::Adoption;

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::process::Child;
    use std::sync::{Mutex, MutexGuard, PoisonError};
    use std::time::{Duration, Instant};

    use rustix::process::{WaitOptions, getpid, set_child_subreaper, waitpid};

    use crate::descendants::Descendants;
    use crate::ended::LONGEST_KILLING;
    use crate::process::Process;
    use crate::{Leftovers, Orphans};

    /// One search can miss a process that forks and exits, so several must find nothing.
    const EMPTY_SEARCHES: u32 = 3;

    /// Time for killed processes to end.
    const ROUND: Duration = Duration::from_millis(5);

    static KEEPERS: Mutex<Keepers> = Mutex::new(Keepers { pids: BTreeSet::new(), adopting: 0 });

    struct Keepers {
        pids: BTreeSet<u32>,
        /// The number of keepers whose orphans become children of this process.
        adopting: usize,
    }

    /// A running keeper, known to every search for orphans.
    #[derive(Debug)]
    pub(crate) struct Adoption {
        keeper: u32,
        orphans: Orphans,
        /// The start time of the keeper, in ticks.
        since: Option<u64>,
    }

    impl Adoption {
        /// Starts a keeper; `orphans` says how to treat its orphans.
        pub(crate) fn start<E>(
            orphans: Orphans,
            spawn: impl FnOnce() -> Result<Child, E>,
        ) -> Result<(Child, Self), E> {
            // Held until the keeper is registered: a search for orphans would find it otherwise.
            let mut keepers = lock();
            if orphans == Orphans::End && keepers.adopting == 0 {
                // Supported since Linux 3.4.
                let _ = set_child_subreaper(Some(getpid()));
            }
            let spawned = spawn();
            if let Ok(keeper) = &spawned {
                keepers.pids.insert(keeper.id());
            }
            keepers.adopting += usize::from(orphans == Orphans::End);
            // From here on, drop reverts everything.
            let keeper = spawned.as_ref().map_or(0, Child::id);
            let since = Process::read(keeper).map(|process| process.started);
            let adoption = Self { keeper, orphans, since };
            drop(keepers);
            Ok((spawned?, adoption))
        }

        /// Called after the keeper has ended.
        pub(crate) fn end_orphans(&self) -> Leftovers {
            let mut leftovers = Leftovers::default();
            let Some(since) = self.since.filter(|_| self.orphans == Orphans::End) else {
                return leftovers;
            };
            let is_spared = |child: &Process| child.started < since || is_keeper(child.pid);
            let orphans = Descendants::without(&is_spared);
            let deadline = Instant::now() + LONGEST_KILLING;
            let mut empty_searches = 0;
            while empty_searches < EMPTY_SEARCHES {
                let ended = orphans.ended_children();
                for pid in ended.iter().filter_map(Process::pid) {
                    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
                }
                let living = orphans.living();
                if ended.is_empty() && living.is_empty() {
                    empty_searches += 1;
                    continue;
                }
                empty_searches = 0;
                if Instant::now() >= deadline {
                    leftovers.alive = living.iter().map(Process::to_leftover).collect();
                    break;
                }
                leftovers.record(orphans.kill());
                std::thread::sleep(ROUND);
            }
            leftovers
        }
    }

    impl Drop for Adoption {
        fn drop(&mut self) {
            let mut keepers = lock();
            keepers.pids.remove(&self.keeper);
            if self.orphans == Orphans::End {
                keepers.adopting -= 1;
                if keepers.adopting == 0 {
                    // Processes that git leaves running between sessions stay independent of this
                    // process.
                    let _ = set_child_subreaper(None);
                }
            }
        }
    }

    fn lock() -> MutexGuard<'static, Keepers> {
        KEEPERS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_keeper(pid: u32) -> bool {
        lock().pids.contains(&pid)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::Child;

    use crate::{Leftovers, Orphans};

    #[derive(Debug)]
    pub(crate) struct Adoption;

    impl Adoption {
        pub(crate) fn start<E>(
            _orphans: Orphans,
            spawn: impl FnOnce() -> Result<Child, E>,
        ) -> Result<(Child, Self), E> {
            Ok((spawn()?, Self))
        }

        pub(crate) fn end_orphans(&self) -> Leftovers {
            Leftovers::default()
        }
    }
}
