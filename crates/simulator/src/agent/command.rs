//! The processes of the agent: commands of its Bash tool and their children.
//!
//! A command runs in a session of its own, as in Claude Code, so ending the agent's process group
//! does not end it. Safe Rust cannot call `setsid` between fork and exec, so the agent starts
//! itself again, calls `setsid` and becomes the command.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// First argument: become a command.
pub(super) const IN_OWN_SESSION: &str = "--in-own-session";
/// First argument: leave a command running in the background.
pub(super) const AS_DAEMON: &str = "--as-daemon";

const SHELL: &str = if cfg!(windows) { "sh" } else { "/bin/sh" };

#[expect(clippy::disallowed_methods, reason = "the one place where the agent starts a program")]
pub(super) fn program(path: impl AsRef<OsStr>) -> Command {
    Command::new(path)
}

pub(super) fn shell(script: &str) -> Command {
    let mut command = program(SHELL);
    command.args(["-c", script]);
    command
}

/// The agent again, by the name it was called: other programs use the same file.
fn own_program() -> io::Result<Command> {
    let mut command = program(std::env::current_exe()?);
    keep_name(&mut command);
    Ok(command)
}

/// A shell outside of the agent's session.
pub(super) fn shell_in_own_session(script: &str) -> io::Result<Command> {
    let mut command = own_program()?;
    command.args([IN_OWN_SESSION, script]);
    Ok(command)
}

/// A shell that outlives the agent; its process id is written to the file.
pub(super) fn daemon(script: &str, pid_file: &Path) -> io::Result<Command> {
    let mut command = own_program()?;
    command.arg(AS_DAEMON).arg(pid_file).arg(script);
    Ok(command)
}

/// Becomes the command; returns only if that fails.
pub(super) fn become_command(script: &str) -> io::Error {
    start_session();
    exec(shell(script))
}

/// Starts again with these variables, because safe Rust cannot change its own; returns only if that
/// fails.
pub(super) fn restart_with(args: &[String], variables: &[(String, String)]) -> io::Error {
    match own_program() {
        Ok(mut command) => {
            command.args(args).envs(variables.iter().cloned());
            exec(command)
        }
        Err(error) => error,
    }
}

/// Starts the command and does not wait for it.
pub(super) fn start_daemon(script: &str, pid_file: &Path) -> io::Result<()> {
    start_session();
    let mut command = shell(script);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::fs::write(pid_file, child.id().to_string())
}

/// The running command, for signal handlers.
#[derive(Debug, Clone, Default)]
pub(super) struct RunningCommand(Arc<Mutex<Option<Child>>>);

impl RunningCommand {
    /// Runs it to its end and returns exit status and output. Does not wait for processes that it
    /// left in the background.
    pub(super) fn run(&self, mut command: Command) -> io::Result<(ExitStatus, String)> {
        let mut output = tempfile::tempfile()?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
        let mut running = self.lock();
        // Locked until the command is stored: a signal can arrive as soon as it runs.
        *running = Some(command.spawn()?);
        drop(running);
        let status = wait_for(|| {
            let mut running = self.lock();
            let status = running.as_mut().map_or(Ok(None), Child::try_wait)?;
            if status.is_some() {
                *running = None;
            }
            Ok(status)
        })?;
        Ok((status, contents(&mut output)?))
    }

    pub(super) fn is_running(&self) -> bool {
        self.lock().is_some()
    }

    /// Ends its session. It has not been waited for, so its process id is still its own.
    pub(super) fn end(&self) {
        if let Some(child) = self.lock().as_mut() {
            end_group(child);
            let _ = child.kill();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Child>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Polls until there is an answer: often at first, because most commands are quick.
pub(super) fn wait_for<T>(mut poll: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
    let mut interval = Duration::from_micros(200);
    loop {
        if let Some(answer) = poll()? {
            return Ok(answer);
        }
        std::thread::sleep(interval);
        interval = (interval * 2).min(Duration::from_millis(5));
    }
}

/// The contents of the output file.
pub(super) fn contents(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(unix)]
fn keep_name(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    if let Some(name) = std::env::args_os().next() {
        command.arg0(name);
    }
}

/// On Windows a program has the name of its file.
#[cfg(not(unix))]
fn keep_name(_command: &mut Command) {}

#[cfg(unix)]
fn start_session() {
    // Fails only for a group leader, which already has a session.
    let _ = rustix::process::setsid();
}

#[cfg(unix)]
fn exec(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    command.exec()
}

#[cfg(unix)]
fn end_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

/// Windows has no sessions.
#[cfg(not(unix))]
fn start_session() {}

/// Windows cannot exec: wait for the program and exit with its code.
#[cfg(not(unix))]
fn exec(mut command: Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

#[cfg(not(unix))]
fn end_group(_child: &Child) {}
