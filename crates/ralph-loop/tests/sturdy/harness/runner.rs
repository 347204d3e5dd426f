//! A running `ralph-loop`, followed by its events.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use events::{LoopEvent, Stamped};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::{LIMIT, until};

/// In a process group of its own, like the foreground group of a terminal.
pub(crate) struct Runner {
    child: Child,
    incoming: Receiver<Stamped>,
    seen: Vec<Stamped>,
    stderr: PathBuf,
}

/// A runner that ended, and its output.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) events: Vec<LoopEvent>,
    pub(crate) stderr: String,
}

impl Runner {
    #[track_caller]
    pub(crate) fn start(mut command: Command, stderr: PathBuf) -> Self {
        let complaints = std::fs::File::create(&stderr).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(complaints).process_group(0);
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout);
            let mut line = Vec::new();
            while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
                // Half a line is what a killed runner leaves.
                if let Ok(stamped) = Stamped::from_line(&line) {
                    let _ = sender.send(stamped);
                }
                line.clear();
            }
        });
        Self { child, incoming, seen: Vec::new(), stderr }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The first event, seen or to come, that is wanted.
    #[track_caller]
    pub(crate) fn wait_for(
        &mut self,
        what: &str,
        wanted: impl Fn(&LoopEvent) -> bool,
    ) -> LoopEvent {
        if let Some(seen) = self.seen.iter().find(|stamped| wanted(&stamped.event)) {
            return seen.event.clone();
        }
        loop {
            match self.next() {
                Some(stamped) if wanted(&stamped.event) => return stamped.event,
                Some(_) => {}
                None => panic!(
                    "the run ended without {what}:\n{:#?}\n{}",
                    self.seen,
                    std::fs::read_to_string(&self.stderr).unwrap_or_default()
                ),
            }
        }
    }

    /// The next event; nothing once the runner's output has ended.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Option<Stamped> {
        match self.incoming.recv_timeout(LIMIT) {
            Ok(stamped) => {
                self.seen.push(stamped.clone());
                Some(stamped)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("nothing happens after {:#?}", self.seen.last())
            }
        }
    }

    /// Waits for this text on stderr.
    #[track_caller]
    pub(crate) fn wait_for_text(&self, words: &str) {
        until(&format!("it says {words:?}"), || {
            std::fs::read_to_string(&self.stderr).ok()?.contains(words).then_some(())
        });
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// To the whole foreground group, as a terminal does.
    pub(crate) fn signal_group(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    #[track_caller]
    pub(crate) fn finish(mut self) -> Finished {
        let deadline = Instant::now() + LIMIT;
        while self.next().is_some() {
            assert!(Instant::now() < deadline, "the run does not end: {:#?}", self.seen.last());
        }
        let status = self.child.wait().unwrap();
        let mut stderr = String::new();
        std::fs::File::open(&self.stderr).unwrap().read_to_string(&mut stderr).unwrap();
        let events = self.seen.drain(..).map(|stamped| stamped.event).collect();
        Finished { status, events, stderr }
    }
}

impl Drop for Runner {
    /// A failed test leaves no processes; its keepers end the rest.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Finished {
    #[track_caller]
    pub(crate) fn assert_exit(&self, code: i32) -> &Self {
        assert_eq!(self.status.code(), Some(code), "{}\n{:#?}", self.stderr, self.events.last());
        self
    }

    /// How often an event occurred.
    pub(crate) fn count(&self, wanted: impl Fn(&LoopEvent) -> bool) -> usize {
        self.events.iter().filter(|event| wanted(event)).count()
    }

    #[track_caller]
    pub(crate) fn assert_event(&self, what: &str, wanted: impl Fn(&LoopEvent) -> bool) -> &Self {
        assert!(self.count(wanted) > 0, "no event: {what}\n{:#?}", self.events);
        self
    }
}
