//! What a process uses, as Linux counts it. Without the processes that it starts, unless they are named.

use std::fs;
use std::io;
use std::time::Duration;

/// `USER_HZ`, which is the same on every processor that Linux supports.
const TICKS_PER_SECOND: u64 = 100;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ProcessUsage {
    pub(crate) cpu: Duration,
    /// Of the programs that it started and that have ended, with theirs.
    pub(crate) cpu_of_programs: Duration,
    /// Resident memory, at most so far.
    pub(crate) peak_kib: u64,
    pub(crate) threads: u64,
    pub(crate) open_files: u64,
}

impl ProcessUsage {
    pub(crate) fn read(pid: u32) -> io::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let usage = Self::parse(&stat, &status).ok_or(io::ErrorKind::InvalidData)?;
        let open_files = fs::read_dir(format!("/proc/{pid}/fd"))?.count() as u64;
        Ok(Self { open_files, ..usage })
    }

    fn parse(stat: &str, status: &str) -> Option<Self> {
        // The name in parentheses may contain blanks; the times are fields 14 to 17.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let ticks = |field: usize| -> Option<u64> { fields.get(field - 3)?.parse().ok() };
        let time = |ticks: u64| Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND);
        let of_status = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_ascii_whitespace().next()?.parse().ok()
        };
        Some(Self {
            cpu: time(ticks(14)? + ticks(15)?),
            cpu_of_programs: time(ticks(16)? + ticks(17)?),
            // A process that has just ended has none.
            peak_kib: of_status("VmHWM:")?,
            threads: of_status("Threads:")?,
            open_files: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_read_whatever_the_name_of_the_program() {
        let stat = "7 (a) S (b) S 1 7 7 0 -1 4194304 95 12 0 0 120 30 50 5 20 0 9 0 100 1 1";
        let status = "Name:\tx\nVmHWM:\t    9148 kB\nThreads:\t9\n";
        let usage = ProcessUsage::parse(stat, status).unwrap();
        let expected = ProcessUsage {
            cpu: Duration::from_millis(1500),
            cpu_of_programs: Duration::from_millis(550),
            peak_kib: 9148,
            threads: 9,
            open_files: 0,
        };
        assert_eq!(usage, expected);
        assert_eq!(ProcessUsage::parse(stat, "Name:\tx\n"), None);
    }
}
