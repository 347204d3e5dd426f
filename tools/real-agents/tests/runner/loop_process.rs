//! A running `ralph-loop` with a time limit.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use crate::run_output::RunOutput;

pub(crate) struct LoopProcess {
    child: Child,
    /// Lines of its standard output.
    lines: Receiver<String>,
    stderr: NamedTempFile,
    output: RunOutput,
}

impl LoopProcess {
    pub(crate) fn start(
        program: &Path,
        args: &[&str],
        environment: Vec<(OsString, OsString)>,
        folder: &Path,
    ) -> Self {
        let stderr = NamedTempFile::new().unwrap();
        let mut child = command(program)
            .args(args)
            .envs(environment)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(stderr.reopen().unwrap())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines, stderr, output: RunOutput::default() }
    }

    #[cfg(unix)]
    pub(crate) fn pid(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// Reads until an event of this type.
    #[cfg(unix)]
    pub(crate) fn read_until(&mut self, kind: &str, limit: Duration) {
        let deadline = Instant::now() + limit;
        while self.output.all(kind).is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.output.line(&line),
                Err(error) => panic!("no {kind}: {error}; {}", self.so_far()),
            }
        }
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self, limit: Duration) -> RunOutput {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.output.line(&line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("still running; {}", self.so_far()),
            }
        }
        self.output.exit_code = self.child.wait().unwrap().code();
        self.so_far()
    }

    fn so_far(&mut self) -> RunOutput {
        let stderr = File::open(self.stderr.path()).and_then(std::io::read_to_string).unwrap();
        RunOutput { stderr, ..std::mem::take(&mut self.output) }
    }
}

impl Drop for LoopProcess {
    /// Killing the runner also ends its agent.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where these tests start ralph-loop")]
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}
