//! A child without a keeper, on systems without signals: only the child itself is killed.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::child_event::Event;
use crate::keeper::{Finished, Report};
use crate::{Exit, Launch, Leftovers, SuperviseError};

/// Poll interval: the standard library cannot wait for a child and kill it from another thread.
const PACE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(crate) struct ChildHandle {
    child: Arc<Mutex<Child>>,
    killed: AtomicBool,
}

impl ChildHandle {
    pub(crate) fn start(launch: &Launch) -> Result<Self, SuperviseError> {
        let program = launch.program.clone();
        match child_command(launch).spawn() {
            Ok(child) => {
                let killed = AtomicBool::new(false);
                Ok(Self { child: Arc::new(Mutex::new(child)), killed })
            }
            Err(source) => Err(SuperviseError::NotStarted { program, source }),
        }
    }

    pub(crate) fn pipes(
        &mut self,
    ) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        let mut child = lock(&self.child);
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    }

    pub(crate) fn announce_end(&self, events: Sender<Event>) {
        let child = Arc::clone(&self.child);
        std::thread::spawn(move || {
            while matches!(lock(&child).try_wait(), Ok(None)) {
                std::thread::sleep(PACE);
            }
            let _ = events.send(Event::Gone);
        });
    }

    pub(crate) fn ask_to_end(&self) {
        self.kill();
    }

    pub(crate) fn kill(&self) {
        let mut child = lock(&self.child);
        // A child that has ended did so by itself.
        let lives = matches!(child.try_wait(), Ok(None));
        if lives && child.kill().is_ok() {
            self.killed.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn kill_keeper_too(&self) {
        self.kill();
    }

    pub(crate) fn finish(self) -> io::Result<Finished> {
        let status = lock(&self.child).wait()?;
        let asked_to_end = self.killed.load(Ordering::Relaxed);
        let exit = status.code().map(Exit::Code);
        let report = Report::Ended { exit, asked_to_end, leftovers: Leftovers::default() };
        Ok(Finished { status, report: Some(report), orphans: Leftovers::default() })
    }
}

impl Drop for ChildHandle {
    /// Both calls are harmless after the child was reaped.
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts a supervised child")]
fn child_command(launch: &Launch) -> Command {
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.args)
        .current_dir(&launch.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    launch.set_environment(&mut command);
    command
}
