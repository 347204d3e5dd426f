//! A child process that runs until it is dropped, and its output lines. The only place where these
//! tests start one.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Many times the start-up time, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Child {
    child: process::Child,
    /// Lines of stdout and stderr.
    lines: Receiver<String>,
}

impl Child {
    /// It gets only this environment.
    pub(crate) fn start(
        program: &Path,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        let mut child = command(program)
            .args(args)
            .envs(environment)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let (send, lines) = channel();
        read_along(child.stdout.take().unwrap(), send.clone());
        read_along(child.stderr.take().unwrap(), send);
        Self { child, lines }
    }

    /// The first result of `choose` on the next lines.
    pub(crate) fn find<T>(&self, mut choose: impl FnMut(&str) -> Option<T>) -> T {
        let deadline = Instant::now() + TIME_LIMIT;
        let mut said = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => match choose(&line) {
                    Some(found) => return found,
                    None => said.push(line),
                },
                Err(error) => panic!("{error}; it said:\n{}", said.join("\n")),
            }
        }
    }
}

impl Drop for Child {
    /// The child has not been waited for, so its process id and group are still its own.
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn read_along(pipe: impl Read + Send + 'static, send: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            // The receiver may be dropped, but the child must not block on a full pipe.
            let _ = send.send(line);
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "the one place where these tests start a program")]
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}
