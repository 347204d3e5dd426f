//! Linux: the state of processes in `/proc`, signals that reach only one process, and a snapshot of all with their
//! parents.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use crate::Leftover;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) name: String,
    pub(crate) state: ProcessState,
    /// In ticks since boot. With the pid it identifies a process.
    pub(crate) started: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessState {
    Running,
    /// Executes nothing until it is continued.
    Stopped,
    /// Uninterruptible, or its first thread has ended before the others.
    Unclear,
    /// A zombie.
    Ended,
}

impl Process {
    pub(crate) fn read(pid: u32) -> Option<Self> {
        // The line is much shorter and is read at once.
        let mut line = [0; 1024];
        let length = File::open(format!("/proc/{pid}/stat")).ok()?.read(&mut line).ok()?;
        parse(&line[..length])
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.state != ProcessState::Ended
    }

    /// A child of this process keeps its pid until it is reaped. Any other pid could be reused, so
    /// the process is read again through a pidfd. It must still have its parent, or be a child of
    /// this process as an orphan.
    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        let own = std::process::id();
        let pid = self.pid().ok_or(io::ErrorKind::NotFound)?;
        if self.parent == own {
            return Ok(kill_process(pid, signal)?);
        }
        let handle = pidfd_open(pid, PidfdFlags::empty());
        let now = Self::read(self.pid).ok_or(io::ErrorKind::NotFound)?;
        if now.started != self.started || ![self.parent, own].contains(&now.parent) {
            return Err(io::ErrorKind::NotFound.into());
        }
        match handle {
            Ok(handle) => Ok(pidfd_send_signal(handle, signal)?),
            // Before Linux 5.3 there are no pidfds.
            Err(rustix::io::Errno::NOSYS) => Ok(kill_process(pid, signal)?),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn pid(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.pid).ok()?)
    }

    pub(crate) fn to_leftover(&self) -> Leftover {
        Leftover { pid: self.pid, name: self.name.clone() }
    }
}

pub(crate) fn parse(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    // The second field is the program name in parentheses, which may itself contain blanks and
    // parentheses.
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let mut fields = tail.split_ascii_whitespace();
    let (letter, parent) = (fields.next()?, fields.next()?.parse().ok()?);
    let threads: u64 = fields.nth(15)?.parse().ok()?;
    let state = match letter {
        "Z" | "X" if threads < 2 => ProcessState::Ended,
        "Z" | "X" | "D" => ProcessState::Unclear,
        "T" | "t" => ProcessState::Stopped,
        _ => ProcessState::Running,
    };
    Some(Process {
        pid: pid.parse().ok()?,
        parent,
        name: name.to_owned(),
        state,
        started: fields.nth(1)?.parse().ok()?,
    })
}

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

    fn stat(name: &str, state: &str, threads: u64) -> Vec<u8> {
        let zeros = "0 ".repeat(15);
        format!("7 ({name}) {state} 3 {zeros}{threads} 0 4711 0 0").into_bytes()
    }

    #[test]
    fn a_process_is_read_whatever_its_name() {
        for name in ["sh", "a b", "x) S 1 (y", ")", "tmux: server"] {
            let process = parse(&stat(name, "S", 1)).unwrap();
            assert_eq!((process.pid, process.parent, process.name.as_str()), (7, 3, name));
            assert_eq!((process.state, process.started), (ProcessState::Running, 4711));
        }
        let broken = ["", "7", "7 (sh)", "7 (sh) S", "x (sh) S 3", "7 (sh) S x", "7 (sh) S 3 0 0"];
        for broken in broken {
            assert_eq!(parse(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn a_process_ends_with_its_last_thread() {
        let state = |letter, threads| parse(&stat("sh", letter, threads)).unwrap().state;
        assert_eq!(state("Z", 1), ProcessState::Ended);
        assert_eq!(state("X", 0), ProcessState::Ended);
        assert_eq!(state("Z", 2), ProcessState::Unclear);
        assert_eq!(state("D", 1), ProcessState::Unclear);
        assert_eq!(state("T", 3), ProcessState::Stopped);
        assert_eq!(state("t", 1), ProcessState::Stopped);
        assert_eq!(state("R", 1), ProcessState::Running);
    }

    #[test]
    fn a_reused_pid_gets_no_signal() {
        let own = Process::read(std::process::id()).unwrap();
        assert!(own.is_alive());
        let earlier = Process { started: own.started + 1, ..own.clone() };
        assert_eq!(earlier.signal(Signal::KILL).unwrap_err().kind(), io::ErrorKind::NotFound);
        let adopted = Process { parent: own.parent + 1, ..own };
        assert_eq!(adopted.signal(Signal::KILL).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

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
