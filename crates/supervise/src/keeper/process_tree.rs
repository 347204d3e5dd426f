//! A child and all its descendants, from the start of the first to the end of the last.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};

use crate::ended::LONGEST_KILLING;
use crate::{Exit, Leftover, Leftovers, PoliteSignal, Recipient};

use super::{Orders, Prompting, Report, tree};

/// Helpers often end by themselves when they notice that the child is gone.
const SETTLING: Duration = Duration::from_millis(100);

/// For those that do not, after a polite signal.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);

/// For a child whose answer nobody will read: enough to clean up, and no more.
const ORPHAN_GRACE: Duration = Duration::from_millis(1500);

/// Between two rounds of killing: those started during a round are for the next one.
const ROUND: Duration = Duration::from_millis(20);

/// For processes that have ended, before the keeper looks at its orders again: processes that start each other can
/// end faster than they are waited for.
const LONGEST_REAPING: Duration = Duration::from_secs(1);

/// What a keeper is told by signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    SomebodyEnded,
    /// Politely the first time, by force the second.
    End,
    Kill,
    /// May be told several times: a process dies one thread after the other.
    RunnerDied,
}

#[derive(Debug)]
pub(super) struct ProcessTree {
    child: Pid,
    exit: Option<Exit>,
    prompting: Prompting,
    runner: Runner,
    leftovers: Leftovers,
    notices: Receiver<Notice>,
    ended: Ended,
}

/// The processes that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    AllWaitedFor,
    /// There may be more, and no signal announces them again.
    MoreToWaitFor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Politely,
    ByForce,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Alive,
    Dead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TreeState {
    Empty,
    Inhabited,
}

impl ProcessTree {
    pub(super) fn new(child: Pid, notices: Receiver<Notice>) -> Self {
        Self {
            child,
            exit: None,
            prompting: Prompting::Unprompted,
            runner: Runner::Alive,
            leftovers: Leftovers::default(),
            notices,
            ended: Ended::AllWaitedFor,
        }
    }

    /// Returns when no process is left, or none that can be ended; with a report if the runner is there to
    /// read it.
    pub(super) fn keep(mut self, orders: &Orders) -> Option<Report> {
        if self.await_child(orders) == Manner::Politely {
            self.ask_the_rest();
        }
        self.kill_the_rest();
        let Self { exit, prompting, leftovers, .. } = self;
        (self.runner == Runner::Alive).then_some(Report::Ended { exit, prompting, leftovers })
    }

    /// Until the child is gone or has to be killed; how the rest is to be treated follows from that.
    fn await_child(&mut self, orders: &Orders) -> Manner {
        let mut patience: Option<Instant> = None;
        loop {
            self.reap();
            if self.exit.is_some() {
                return Manner::Politely;
            }
            let grace = match (self.next_notice(patience), self.prompting) {
                (Some(Notice::SomebodyEnded), _) => continue,
                (Some(Notice::RunnerDied), _) => orders.grace.min(ORPHAN_GRACE),
                (Some(Notice::End), Prompting::Unprompted) => orders.grace,
                (Some(Notice::End | Notice::Kill) | None, _) => {
                    self.prompting = Prompting::Prompted;
                    return Manner::ByForce;
                }
            };
            self.ask_child(orders);
            let given = Instant::now().checked_add(grace);
            patience = [patience, given].into_iter().flatten().min();
        }
    }

    fn ask_child(&mut self, orders: &Orders) {
        if self.prompting == Prompting::Unprompted {
            self.prompting = Prompting::Prompted;
            let signal = signal(orders.polite);
            if orders.recipient == Recipient::Child || !tree::signal_in_sandbox(self.child, signal)
            {
                // It has not been waited for, so its number is still its own.
                let _ = kill_process(self.child, signal);
            }
        }
    }

    fn ask_the_rest(&mut self) {
        if self.await_nobody(SETTLING) == Some(TreeState::Inhabited) {
            self.name(tree::signal_everybody(self.child, Signal::TERM));
            self.await_nobody(LEFTOVER_GRACE);
        }
    }

    fn kill_the_rest(&mut self) {
        let deadline = Instant::now() + LONGEST_KILLING;
        while self.reap() == TreeState::Inhabited {
            if Instant::now() >= deadline {
                let alive = tree::still_alive(self.child);
                if self.reap() == TreeState::Inhabited {
                    self.leftovers.alive = alive;
                }
                return;
            }
            self.name(tree::kill_everybody(self.child));
            self.await_nobody(ROUND);
        }
    }

    /// How the house is after at most `patience`; nothing if there is no time to wait any more.
    fn await_nobody(&mut self, patience: Duration) -> Option<TreeState> {
        let deadline = Instant::now() + patience;
        loop {
            if self.reap() == TreeState::Empty {
                return Some(TreeState::Empty);
            }
            match self.next_notice(Some(deadline)) {
                Some(Notice::SomebodyEnded | Notice::RunnerDied) => {}
                Some(Notice::End | Notice::Kill) => return None,
                None => return Some(TreeState::Inhabited),
            }
        }
    }

    /// Nothing if the deadline comes first.
    fn next_notice(&mut self, deadline: Option<Instant>) -> Option<Notice> {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        // Before the notices, which may never be none.
        if left == Some(Duration::ZERO) {
            return None;
        }
        let notice = match (self.ended, left) {
            (Ended::MoreToWaitFor, _) => {
                Some(self.notices.try_recv().unwrap_or(Notice::SomebodyEnded))
            }
            (Ended::AllWaitedFor, Some(left)) => self.notices.recv_timeout(left).ok(),
            (Ended::AllWaitedFor, None) => self.notices.recv().ok(),
        };
        if notice == Some(Notice::RunnerDied) {
            self.runner = Runner::Dead;
        }
        notice
    }

    /// Waits for those that have ended, so that no zombie stays.
    fn reap(&mut self) -> TreeState {
        self.ended = Ended::AllWaitedFor;
        let until = Instant::now() + LONGEST_REAPING;
        while Instant::now() < until {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => self.exit = exit(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return TreeState::Inhabited,
                Err(_) if tree::reaches_beyond_children(self.child) => return TreeState::Inhabited,
                Err(_) => return TreeState::Empty,
            }
        }
        self.ended = Ended::MoreToWaitFor;
        TreeState::Inhabited
    }

    /// The child is no leftover of itself.
    fn name(&mut self, found: Vec<Leftover>) {
        let child = self.exit.is_none().then(|| Pid::as_raw(Some(self.child)).unsigned_abs());
        self.leftovers.name(found.into_iter().filter(|found| Some(found.pid) != child));
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
    fn notices_that_never_end_do_not_hold_up_a_deadline() {
        let (sender, notices) = channel();
        for _ in 0..2 {
            sender.send(Notice::SomebodyEnded).unwrap();
        }
        let mut process_tree = ProcessTree::new(rustix::process::getpid(), notices);
        assert_eq!(process_tree.next_notice(Some(Instant::now())), None);
        assert_eq!(process_tree.next_notice(None), Some(Notice::SomebodyEnded));
        process_tree.ended = Ended::MoreToWaitFor;
        assert_eq!(process_tree.next_notice(None), Some(Notice::SomebodyEnded), "the second one");
        assert_eq!(process_tree.next_notice(None), Some(Notice::SomebodyEnded), "and on");
        sender.send(Notice::Kill).unwrap();
        assert_eq!(process_tree.next_notice(None), Some(Notice::Kill), "orders come first");
    }
}
