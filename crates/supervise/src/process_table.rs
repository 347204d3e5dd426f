//! Linux: who is whose child, read from `/proc` at one moment.

use std::collections::HashMap;

use rustix::process::Pid;

use crate::Leftover;

#[derive(Debug, Default)]
pub(crate) struct ProcessTable {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    pid: u32,
    parent: u32,
    name: String,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Alive,
    Ended,
}

impl ProcessTable {
    /// Without those that ended meanwhile.
    pub(crate) fn read() -> Self {
        let Ok(folder) = std::fs::read_dir("/proc") else { return Self::default() };
        let pids = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        Self { entries: pids.filter_map(entry).collect() }
    }

    /// All that live below `root`, parents before their children.
    pub(crate) fn below(&self, root: u32) -> Vec<Leftover> {
        let mut children: HashMap<u32, Vec<&Entry>> = HashMap::new();
        for entry in &self.entries {
            children.entry(entry.parent).or_default().push(entry);
        }
        let mut below = Vec::new();
        let mut parents = vec![root];
        while let Some(parent) = parents.pop() {
            // Each is taken out once, so that a table read while numbers change hands has no cycle.
            for entry in children.remove(&parent).unwrap_or_default() {
                parents.push(entry.pid);
                if entry.state == State::Alive {
                    below.push(entry.process());
                }
            }
        }
        below
    }

    /// All that live, but `pid` and its parents up to the first.
    pub(crate) fn apart_from_line_of(&self, pid: u32) -> impl Iterator<Item = Leftover> {
        let parents: HashMap<u32, u32> =
            self.entries.iter().map(|entry| (entry.pid, entry.parent)).collect();
        let mut line = Vec::new();
        let mut next = Some(pid);
        while let Some(pid) = next.filter(|pid| !line.contains(pid)) {
            line.push(pid);
            next = parents.get(&pid).copied();
        }
        let living = self.entries.iter().filter(|entry| entry.state == State::Alive);
        living.filter(move |entry| !line.contains(&entry.pid)).map(Entry::process)
    }
}

/// For a signal.
pub(crate) fn pid_of(process: &Leftover) -> Option<Pid> {
    Pid::from_raw(i32::try_from(process.pid).ok()?)
}

impl Entry {
    fn process(&self) -> Leftover {
        Leftover { pid: self.pid, name: self.name.clone() }
    }
}

fn entry(pid: u32) -> Option<Entry> {
    parse(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(stat: &[u8]) -> Option<Entry> {
    let stat = String::from_utf8_lossy(stat);
    // The second field is the program's name in brackets and may itself hold blanks and brackets.
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let mut fields = tail.split_whitespace();
    let state = match fields.next()? {
        "Z" | "X" => State::Ended,
        _ => State::Alive,
    };
    let parent = fields.next()?.parse().ok()?;
    Some(Entry { pid: pid.parse().ok()?, parent, name: name.to_owned(), state })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(stats: &[&str]) -> ProcessTable {
        ProcessTable { entries: stats.iter().map(|stat| parse(stat.as_bytes()).unwrap()).collect() }
    }

    fn pids(processes: impl IntoIterator<Item = Leftover>) -> Vec<u32> {
        let mut pids: Vec<u32> = processes.into_iter().map(|process| process.pid).collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn an_entry_is_read_whatever_its_name() {
        for name in ["sh", "a b", "x) S 1 (y", ")", "tmux: server"] {
            let entry = parse(format!("7 ({name}) S 3 7 7 0 -1").as_bytes()).unwrap();
            assert_eq!((entry.pid, entry.parent, entry.name.as_str()), (7, 3, name));
            assert_eq!(entry.state, State::Alive);
        }
        assert_eq!(parse(b"7 (\xff) Z 3 7").unwrap().state, State::Ended);
        for broken in ["", "7", "7 (sh)", "7 (sh) S", "x (sh) S 3", "7 (sh) S x"] {
            assert_eq!(parse(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn below_are_children_of_children_but_not_the_dead() {
        let table = table(&[
            "1 (init) S 0",
            "5 (keeper) S 1",
            "6 (child) S 5",
            "7 (dead) Z 6",
            "8 (of the dead) S 7",
            "9 (other) S 1",
        ]);
        assert_eq!(pids(table.below(5)), [6, 8]);
        assert_eq!(pids(table.below(9)), [0_u32; 0]);
    }

    #[test]
    fn a_cycle_comes_to_an_end() {
        let table = table(&["5 (a) S 6", "6 (b) S 5"]);
        assert_eq!(pids(table.below(5)), [5, 6]);
        assert_eq!(pids(table.apart_from_line_of(5)), [0_u32; 0]);
    }

    #[test]
    fn the_line_of_a_process_is_itself_and_its_parents() {
        let table = table(&["1 (init) S 0", "5 (a) S 1", "6 (b) S 5", "7 (c) S 6", "8 (d) Z 1"]);
        assert_eq!(pids(table.apart_from_line_of(6)), [7]);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = std::process::id();
        let table = ProcessTable::read();
        assert!(table.entries.iter().any(|entry| entry.pid == own && entry.state == State::Alive));
    }
}
