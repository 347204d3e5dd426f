//! One child process with a time limit and captured output.
//!
//! It works for every agent.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::harness_error::HarnessError;

/// Agents run each command in a session of its own. After SIGTERM, Claude Code ends those within
/// about 1.5 s; after SIGKILL it leaves them running.
const GRACE: Duration = Duration::from_secs(5);

/// Time to read the pipes after the child ended. A grandchild may hold them open.
const DRAIN: Duration = Duration::from_secs(2);

/// Poll interval: the standard library cannot wait with a timeout.
const PACE: Duration = Duration::from_millis(20);

/// A child to start. It gets only this environment; of two values the later one counts.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) folder: PathBuf,
    pub(crate) input: Vec<u8>,
    pub(crate) time_limit: Duration,
}

/// A child that ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) output: Output,
    /// Whether it ended by itself.
    pub(crate) in_time: bool,
}

/// Exit status and output of a child.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Output of a child as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Starts the child and returns when it ended, at the latest a few seconds after its limit.
pub(crate) fn run(launch: Launch) -> Result<Ended, HarnessError> {
    let program = launch.program.clone();
    watch(launch).map_err(|source| HarnessError::Start { program, source })
}

fn watch(launch: Launch) -> io::Result<Ended> {
    let deadline = Instant::now() + launch.time_limit;
    let mut child = command(&launch.program)
        .args(launch.args)
        .envs(launch.environment)
        .current_dir(launch.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        let input = launch.input;
        // The child may ignore its input.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let stdout = PipeReader::open(child.stdout.take());
    let stderr = PipeReader::open(child.stderr.take());

    let exited = wait_until(&mut child, deadline)?;
    let status = match exited {
        Some(status) => status,
        None => end(&mut child)?,
    };
    let drained = Instant::now() + DRAIN;
    Ok(Ended {
        output: Output {
            exit_code: status.code(),
            stdout: stdout.take(drained),
            stderr: stderr.take(drained),
        },
        in_time: exited.is_some(),
    })
}

/// Ends only the child: with SIGTERM, then SIGKILL.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    ask_to_end(child);
    if let Some(status) = wait_until(child, Instant::now() + GRACE)? {
        return Ok(status);
    }
    child.kill()?;
    child.wait()
}

/// The child has not been waited for, so its process id is still its own.
#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
}

/// Windows has no SIGTERM for a program without a window.
#[cfg(windows)]
fn ask_to_end(_child: &Child) {}

/// Waits for the exit; `None` if the deadline comes first.
fn wait_until(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        std::thread::sleep(left.min(PACE));
    }
}

/// A program in an empty environment.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a real agent")]
pub(crate) fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// Reads a pipe on a thread of its own, so that the child never waits for a reader.
#[derive(Debug)]
struct PipeReader {
    seen: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl PipeReader {
    fn open(pipe: Option<impl Read + Send + 'static>) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (end, closed) = channel();
        let sink = Arc::clone(&seen);
        std::thread::spawn(move || {
            if let Some(mut pipe) = pipe {
                pour(&mut pipe, &sink);
            }
            drop(end);
        });
        Self { seen, closed }
    }

    /// All output, or the output until the deadline if a process still holds the pipe open.
    fn take(self, deadline: Instant) -> Vec<u8> {
        let left = deadline.saturating_duration_since(Instant::now());
        // Nothing is sent: the wait ends when the sender is dropped or the time is up.
        let _ = self.closed.recv_timeout(left);
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn pour(pipe: &mut impl Read, sink: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 16 * 1024];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(count) => sink
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// These tests run a shell.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], time_limit: Duration) -> Ended {
        run(Launch {
            program: "/bin/sh".into(),
            args: ["-c", script].map(OsString::from).into(),
            environment: vec![("GREETING".into(), "hello".into())],
            folder: "/".into(),
            input: input.to_vec(),
            time_limit,
        })
        .unwrap()
    }

    #[test]
    fn large_input_and_output_do_not_lock_up() {
        let input = vec![b'x'; 1 << 20];
        let ended = shell("cat; echo done >&2; exit 3", &input, GRACE);
        assert!(ended.in_time);
        assert_eq!(ended.output.exit_code, Some(3));
        assert!(ended.output.stdout == input, "the output is not the input");
        assert_eq!(ended.output.stderr, b"done\n");
    }

    #[test]
    fn the_environment_is_only_what_was_given() {
        let ended = shell("echo \"$GREETING $HOME\"", b"", GRACE);
        assert_eq!(ended.output.stdout, b"hello \n");
    }

    #[test]
    fn a_child_can_print_after_sigterm() {
        let script = "trap 'echo bye; exit 0' TERM; echo hi; while :; do /bin/sleep 0.05; done";
        // Enough for a shell to start on a busy machine.
        let ended = shell(script, b"", Duration::from_secs(2));
        assert!(!ended.in_time);
        assert_eq!(ended.output.stdout, b"hi\nbye\n");
    }

    #[test]
    fn a_pipe_held_by_a_grandchild_does_not_block_the_harness() {
        let started = Instant::now();
        let ended = shell("echo early; PATH=/usr/bin:/bin sleep 60 & exit 0", b"", GRACE);
        assert!(ended.in_time);
        assert_eq!(ended.output.stdout, b"early\n");
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(Launch {
            program: "/no/such/claude".into(),
            args: Vec::new(),
            environment: Vec::new(),
            folder: "/".into(),
            input: Vec::new(),
            time_limit: GRACE,
        })
        .unwrap_err();
        assert!(error.to_string().contains("/no/such/claude"), "{error}");
    }
}
