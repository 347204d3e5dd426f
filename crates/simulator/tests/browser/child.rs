//! A program that runs until it is dropped, and the lines it says. The one place where these tests start one.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Many times what any of them needs to get going, also on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Child {
    child: process::Child,
    /// Of both its outputs.
    lines: Receiver<String>,
}

impl Child {
    /// The environment is all it gets.
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

    /// The next line of which `choose` makes something.
    pub(crate) fn find<T>(&self, choose: impl Fn(&str) -> Option<T>) -> T {
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
    /// The child has not been waited for, so its number is still its own, and that of its group.
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn read_along(pipe: impl Read + Send + 'static, send: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            // Nobody may be listening any more, but a program must not wait for a reader.
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
