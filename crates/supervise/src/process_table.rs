//! Linux: a snapshot of all processes in `/proc` and their parents.

use std::collections::HashMap;

use crate::process::Process;

#[derive(Debug, Default)]
pub(crate) struct ProcessTable {
    processes: Vec<Process>,
}

impl ProcessTable {
    /// Skips those that ended meanwhile.
    pub(crate) fn read() -> Self {
        Self::read_with(&mut |_| {})
    }

    /// Passes on each process as soon as it is read, the highest pid first: its parent still
    /// existed a moment before.
    pub(crate) fn read_with(on_each: &mut dyn FnMut(&Process)) -> Self {
        let Ok(folder) = std::fs::read_dir("/proc") else { return Self::default() };
        let pids = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let mut pids: Vec<u32> = pids.collect();
        pids.sort_unstable_by(|one, other| other.cmp(one));
        let processes = pids.into_iter().filter_map(Process::read).inspect(|found| on_each(found));
        Self { processes: processes.collect() }
    }

    /// All descendants of `root`, ended ones too, parents before children. Excludes spared children
    /// of `root` with their descendants.
    pub(crate) fn below(&self, root: u32, is_spared: &dyn Fn(&Process) -> bool) -> Vec<&Process> {
        let mut children: HashMap<u32, Vec<&Process>> = HashMap::new();
        for process in &self.processes {
            children.entry(process.parent).or_default().push(process);
        }
        let mut below = Vec::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            // Each is removed once, because reused pids could form a cycle.
            for process in children.remove(&parent).unwrap_or_default() {
                if process.pid == root || (parent == root && is_spared(process)) {
                    continue;
                }
                parents.push(process.pid);
                below.push(process);
            }
        }
        below
    }

    /// All living processes except `pid` and its ancestors.
    pub(crate) fn except_ancestors_of(&self, pid: u32) -> impl Iterator<Item = &Process> {
        let parents: HashMap<u32, u32> =
            self.processes.iter().map(|process| (process.pid, process.parent)).collect();
        let mut ancestors = Vec::new();
        let mut next = Some(pid);
        while let Some(pid) = next.filter(|pid| !ancestors.contains(pid)) {
            ancestors.push(pid);
            next = parents.get(&pid).copied();
        }
        let living = self.processes.iter().filter(|process| process.is_alive());
        living.filter(move |process| !ancestors.contains(&process.pid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessState;

    /// Pid, parent, state.
    fn table<const N: usize>(rows: [(u32, u32, ProcessState); N]) -> ProcessTable {
        let processes = rows.map(|(pid, parent, state)| Process {
            pid,
            parent,
            name: "sh".to_owned(),
            state,
            started: 0,
        });
        ProcessTable { processes: processes.into() }
    }

    fn pids<'p>(processes: impl IntoIterator<Item = &'p Process>) -> Vec<u32> {
        let mut pids: Vec<u32> = processes.into_iter().map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    }

    const NOTHING: [u32; 0] = [];

    #[test]
    fn below_includes_descendants_of_ended_processes() {
        let table = table([
            (1, 0, ProcessState::Running),
            (5, 1, ProcessState::Running),
            (6, 5, ProcessState::Running),
            (7, 6, ProcessState::Ended),
            (8, 7, ProcessState::Running),
            (9, 1, ProcessState::Running),
        ]);
        assert_eq!(pids(table.below(5, &|_| false)), [6, 7, 8]);
        assert_eq!(pids(table.below(9, &|_| false)), NOTHING);
    }

    #[test]
    fn all_below_a_spared_child_is_spared() {
        let running = ProcessState::Running;
        let table = table([(6, 5, running), (7, 6, running), (8, 5, running), (9, 8, running)]);
        assert_eq!(pids(table.below(5, &|process| process.pid == 6)), [8, 9]);
        // Only children of the root are checked.
        assert_eq!(pids(table.below(5, &|process| process.pid == 9)), [6, 7, 8, 9]);
    }

    #[test]
    fn a_cycle_terminates() {
        let table = table([(5, 6, ProcessState::Running), (6, 5, ProcessState::Running)]);
        assert_eq!(pids(table.below(5, &|_| false)), [6]);
        assert_eq!(pids(table.except_ancestors_of(5)), NOTHING);
    }

    #[test]
    fn a_process_and_its_ancestors_are_excluded() {
        let running = ProcessState::Running;
        let table = table([
            (1, 0, running),
            (5, 1, running),
            (6, 5, running),
            (7, 6, running),
            (8, 1, ProcessState::Ended),
        ]);
        assert_eq!(pids(table.except_ancestors_of(6)), [7]);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = std::process::id();
        let mut shown = Vec::new();
        let table = ProcessTable::read_with(&mut |process| shown.push(process.pid));
        assert!(table.processes.iter().any(|process| process.pid == own && process.is_alive()));
        assert!(shown.contains(&own));
        assert!(shown.is_sorted_by(|one, other| one > other), "the youngest first: {shown:?}");
    }
}
