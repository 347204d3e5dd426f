//! The runner's handle of a child and its keeper.

use std::fs::Permissions;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::mpsc::Sender;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tempfile::TempDir;

use crate::adoption::Adoption;
use crate::child_event::Event;
use crate::keeper::{self, Finished, KeeperArgs, Report};
use crate::{Launch, Leftovers, Stdout, SuperviseError};

/// The runner's ends of the child's three streams.
pub(crate) type Pipes = (Option<ChildStdin>, Option<Box<dyn Read + Send>>, Option<ChildStderr>);

#[derive(Debug)]
pub(crate) struct ChildHandle {
    keeper: Child,
    adoption: Adoption,
    /// The runner's end of standard output, unless that is a pipe.
    socket: Option<UnixStream>,
    waited_for: bool,
    report: PathBuf,
    /// Holds the report; removed on drop.
    _folder: TempDir,
}

impl ChildHandle {
    pub(crate) fn start(launch: &Launch) -> Result<Self, SuperviseError> {
        let program = launch.program.clone();
        let folder = tempfile::Builder::new()
            .prefix("supervise-")
            // Other users must not write a report.
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .map_err(SuperviseError::NoReportFolder)?;
        let report = folder.path().join("report");
        let keeper_args = KeeperArgs {
            runner: std::process::id(),
            polite: launch.polite,
            recipient: launch.recipient,
            grace: launch.limits.grace,
            report: report.clone(),
            program: program.clone().into(),
            args: launch.args.clone(),
        };
        let mut command = keeper_command(launch, &keeper_args);
        let started = output(launch.stdout).and_then(|(socket, stdout)| {
            command.stdout(stdout);
            let (keeper, adoption) = Adoption::start(launch.orphans, || command.spawn())?;
            Ok((keeper, adoption, socket))
        });
        match started {
            Ok((keeper, adoption, socket)) => {
                Ok(Self { keeper, adoption, socket, waited_for: false, report, _folder: folder })
            }
            Err(source) => {
                let keeper = launch.keeper.program.clone();
                Err(SuperviseError::NoKeeper { keeper, program, source })
            }
        }
    }

    pub(crate) fn pipes(&mut self) -> Pipes {
        let pipe = self.keeper.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
        let socket = self.socket.take().map(|socket| Box::new(socket) as Box<dyn Read + Send>);
        (self.keeper.stdin.take(), pipe.or(socket), self.keeper.stderr.take())
    }

    /// Announces the end of the keeper without reaping it, so that its pid stays valid.
    pub(crate) fn announce_end(&self, events: Sender<Event>) {
        let pid = self.pid();
        std::thread::spawn(move || {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while waitid(WaitId::Pid(pid), options).is_err_and(|error| error == Errno::INTR) {}
            let _ = events.send(Event::Gone);
        });
    }

    /// The keeper sends the polite signal, waits for the grace and kills.
    pub(crate) fn ask_to_end(&self) {
        self.signal(Signal::TERM);
    }

    /// A different signal: two pending signals of a kind merge into one.
    pub(crate) fn kill(&self) {
        self.signal(Signal::USR1);
    }

    /// For a keeper that does not respond. Its processes are ended afterwards.
    pub(crate) fn kill_keeper_too(&self) {
        self.signal(Signal::KILL);
    }

    pub(crate) fn finish(mut self) -> io::Result<Finished> {
        let status = self.keeper.wait()?;
        self.waited_for = true;
        // A killed keeper has written no report; ignore any file.
        let report = if status.success() { Report::read(&self.report) } else { None };
        let orphans = match &report {
            Some(_) => Leftovers::default(),
            None => self.adoption.end_orphans(),
        };
        Ok(Finished { status, report, orphans })
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid(), signal);
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.keeper)
    }
}

impl Drop for ChildHandle {
    /// A runner that stops watching its child ends it.
    fn drop(&mut self) {
        if !self.waited_for {
            self.kill();
            let _ = self.keeper.wait();
        }
    }
}

/// The runner's end of a socket, and the child's end of the socket or a pipe.
fn output(stdout: Stdout) -> io::Result<(Option<UnixStream>, Stdio)> {
    match stdout {
        Stdout::Pipe => Ok((None, Stdio::piped())),
        Stdout::Socket => {
            let (ours, theirs) = UnixStream::pair()?;
            Ok((Some(ours), OwnedFd::from(theirs).into()))
        }
    }
}

/// In its own process group: the runner handles keyboard signals.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a keeper")]
fn keeper_command(launch: &Launch, keeper_args: &KeeperArgs) -> Command {
    let mut command = Command::new(&launch.keeper.program);
    command
        .arg(keeper::ARGUMENT)
        .args(keeper_args.to_args())
        .current_dir(&launch.folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    launch.set_environment(&mut command);
    command
}
