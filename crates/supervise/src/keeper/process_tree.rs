//! Supervises a child and all its descendants until all have ended.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};

use crate::ended::LONGEST_KILLING;
use crate::{Exit, Leftover, Leftovers, PoliteSignal, Recipient};

use super::{KeeperArgs, Report, tree};

/// Helper processes often exit when they notice the end of the child.
const SETTLING: Duration = Duration::from_millis(100);

/// For the others, after a polite signal.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);

/// For a child of a dead runner: enough to clean up.
const ORPHAN_GRACE: Duration = Duration::from_millis(1500);

/// Between two kill rounds; a round may miss processes started during it.
const ROUND: Duration = Duration::from_millis(20);

/// Limit for reaping before signals are read again: processes can end faster than they are reaped.
const LONGEST_REAPING: Duration = Duration::from_secs(1);

/// Signals that the keeper receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    ProcessEnded,
    /// Polite the first time, forced the second time.
    End,
    Kill,
    /// May arrive several times: a process dies thread by thread.
    RunnerDied,
}

#[derive(Debug)]
pub(super) struct ProcessTree {
    child: Pid,
    exit: Option<Exit>,
    asked_to_end: bool,
    runner_died: bool,
    leftovers: Leftovers,
    notices: Receiver<Notice>,
    /// Processes may have ended without a further signal.
    more_to_reap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Politely,
    ByForce,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeState {
    Empty,
    NotEmpty,
}

impl ProcessTree {
    pub(super) fn new(child: Pid, notices: Receiver<Notice>) -> Self {
        Self {
            child,
            exit: None,
            asked_to_end: false,
            runner_died: false,
            leftovers: Leftovers::default(),
            notices,
            more_to_reap: false,
        }
    }

    /// Returns when all processes have ended, or the rest cannot be ended. Returns a report if the
    /// runner still runs.
    pub(super) fn keep(mut self, args: &KeeperArgs) -> Option<Report> {
        if self.await_child(args) == Manner::Politely {
            self.ask_the_rest();
        }
        self.kill_the_rest();
        let Self { exit, asked_to_end, leftovers, .. } = self;
        (!self.runner_died).then_some(Report::Ended { exit, asked_to_end, leftovers })
    }

    /// Waits until the child has ended or must be killed. The result decides how the rest is
    /// treated.
    fn await_child(&mut self, args: &KeeperArgs) -> Manner {
        let mut patience: Option<Instant> = None;
        loop {
            self.reap();
            if self.exit.is_some() {
                return Manner::Politely;
            }
            let grace = match (self.next_notice(patience), self.asked_to_end) {
                (Some(Notice::ProcessEnded), _) => continue,
                (Some(Notice::RunnerDied), _) => args.grace.min(ORPHAN_GRACE),
                (Some(Notice::End), false) => args.grace,
                (Some(Notice::End | Notice::Kill) | None, _) => {
                    self.asked_to_end = true;
                    return Manner::ByForce;
                }
            };
            self.ask_child(args);
            let given = Instant::now().checked_add(grace);
            patience = [patience, given].into_iter().flatten().min();
        }
    }

    fn ask_child(&mut self, args: &KeeperArgs) {
        if !self.asked_to_end {
            self.asked_to_end = true;
            let signal = signal(args.polite);
            if args.recipient == Recipient::Child || !tree::signal_in_sandbox(self.child, signal) {
                // It was not reaped, so its pid is still valid.
                let _ = kill_process(self.child, signal);
            }
        }
    }

    fn ask_the_rest(&mut self) {
        if self.await_end(SETTLING) == Some(TreeState::NotEmpty) {
            self.record(tree::signal_all(self.child, Signal::TERM));
            self.await_end(LEFTOVER_GRACE);
        }
    }

    fn kill_the_rest(&mut self) {
        let deadline = Instant::now() + LONGEST_KILLING;
        while self.reap() == TreeState::NotEmpty {
            if Instant::now() >= deadline {
                let alive = tree::still_alive(self.child);
                if self.reap() == TreeState::NotEmpty {
                    self.leftovers.alive = alive;
                }
                return;
            }
            self.record(tree::kill_all(self.child));
            self.await_end(ROUND);
        }
    }

    /// The state of the tree after at most `patience`; `None` if no waiting time is left.
    fn await_end(&mut self, patience: Duration) -> Option<TreeState> {
        let deadline = Instant::now() + patience;
        loop {
            if self.reap() == TreeState::Empty {
                return Some(TreeState::Empty);
            }
            match self.next_notice(Some(deadline)) {
                Some(Notice::ProcessEnded | Notice::RunnerDied) => {}
                Some(Notice::End | Notice::Kill) => return None,
                None => return Some(TreeState::NotEmpty),
            }
        }
    }

    /// `None` if the deadline comes first.
    fn next_notice(&mut self, deadline: Option<Instant>) -> Option<Notice> {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        // Checked before notices, which may never stop.
        if left == Some(Duration::ZERO) {
            return None;
        }
        let notice = match left {
            _ if self.more_to_reap => Some(self.notices.try_recv().unwrap_or(Notice::ProcessEnded)),
            Some(left) => self.notices.recv_timeout(left).ok(),
            None => self.notices.recv().ok(),
        };
        if notice == Some(Notice::RunnerDied) {
            self.runner_died = true;
        }
        notice
    }

    /// Reaps ended processes, so that no zombies remain.
    fn reap(&mut self) -> TreeState {
        self.more_to_reap = false;
        let until = Instant::now() + LONGEST_REAPING;
        while Instant::now() < until {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => self.exit = exit(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return TreeState::NotEmpty,
                Err(_) if tree::reaches_beyond_children(self.child) => return TreeState::NotEmpty,
                Err(_) => return TreeState::Empty,
            }
        }
        self.more_to_reap = true;
        TreeState::NotEmpty
    }

    /// The child itself is no leftover.
    fn record(&mut self, found: Vec<Leftover>) {
        let child = self.exit.is_none().then(|| Pid::as_raw(Some(self.child)).unsigned_abs());
        self.leftovers.record(found.into_iter().filter(|found| Some(found.pid) != child));
    }
}

fn signal(polite: PoliteSignal) -> Signal {
    match polite {
        PoliteSignal::Interrupt => Signal::INT,
        PoliteSignal::Terminate => Signal::TERM,
    }
}

fn exit(status: WaitStatus) -> Option<Exit> {
    let code = status.exit_status().map(Exit::Code);
    code.or_else(|| status.terminating_signal().map(Exit::Signal))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn endless_notices_do_not_delay_a_deadline() {
        let (sender, notices) = channel();
        for _ in 0..2 {
            sender.send(Notice::ProcessEnded).unwrap();
        }
        let mut process_tree = ProcessTree::new(rustix::process::getpid(), notices);
        assert_eq!(process_tree.next_notice(Some(Instant::now())), None);
        assert_eq!(process_tree.next_notice(None), Some(Notice::ProcessEnded));
        process_tree.more_to_reap = true;
        assert_eq!(process_tree.next_notice(None), Some(Notice::ProcessEnded), "the second one");
        assert_eq!(process_tree.next_notice(None), Some(Notice::ProcessEnded), "and on");
        sender.send(Notice::Kill).unwrap();
        assert_eq!(
            process_tree.next_notice(None),
            Some(Notice::Kill),
            "signals come before ended processes"
        );
    }
}
