//! Runs one git process with a deadline and an output limit.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bounded_read::{StreamError, each_chunk, is_readable_within};

use crate::git_call::GitCall;
use crate::stamp::mode;
use crate::{Result, VcsError, WorkTree};

/// Enough for the names of a few hundred thousand files.
pub(crate) const LARGEST_OUTPUT: usize = 64 * 1024 * 1024;

const LONGEST_STDERR: u64 = 4096;

/// Poll interval for a git that closed its output and still runs.
const PACE: Duration = Duration::from_micros(100);

/// After this time without output, git may be blocked on a pipe.
const STALL: Duration = Duration::from_secs(3);

/// Time for a terminating git to remove its locks.
const PARTING: Duration = Duration::from_secs(2);

/// Whether git only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The result of a finished git.
#[derive(Debug)]
pub(crate) struct GitOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    /// Standard error; empty if git succeeded.
    pub(crate) stderr: String,
    /// Whether git was blocked on pipes, which it then read as empty.
    pub(crate) was_blocked: bool,
}

impl GitOutput {
    pub(crate) fn check(&self, command: &'static str) -> Result<()> {
        if self.status.success() { Ok(()) } else { Err(self.failure(command)) }
    }

    pub(crate) fn failure(&self, command: &'static str) -> VcsError {
        let message =
            self.error_lines().next().map_or_else(|| self.status.to_string(), str::to_owned);
        VcsError::Failed { command, message }
    }

    /// The lines of standard error without hints, which come before the error.
    pub(crate) fn error_lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.stderr.lines();
        lines.filter(|line| !line.is_empty() && !line.starts_with("hint:"))
    }
}

#[derive(Debug)]
pub(crate) struct RunningGit {
    child: Child,
    command: &'static str,
    /// A file, because an unread pipe would block git.
    stderr_file: Option<File>,
    started: Instant,
    access: Access,
    /// Of the output that `answer` keeps.
    limit: usize,
    /// Where it may be blocked on pipes.
    tree: Option<WorkTree>,
}

impl RunningGit {
    pub(crate) fn spawn(call: GitCall) -> Result<Self> {
        let GitCall { command, mut git, access, limit, tree, .. } = call;
        log::debug!("starting git {command}");
        let stderr_file = tempfile::tempfile().ok();
        let stderr = stderr_file.as_ref().and_then(|file| file.try_clone().ok());
        git.stderr(stderr.map_or_else(Stdio::null, Stdio::from));
        let child = git.spawn().map_err(VcsError::NotStarted)?;
        Ok(Self { child, command, stderr_file, started: Instant::now(), access, limit, tree })
    }

    /// Standard output, if git succeeds before the deadline.
    pub(crate) fn output(self, deadline: Instant) -> Result<Vec<u8>> {
        let command = self.command;
        let answer = self.answer(deadline)?;
        answer.check(command)?;
        Ok(answer.stdout)
    }

    /// The result of git, successful or not.
    pub(crate) fn answer(self, deadline: Instant) -> Result<GitOutput> {
        let (limit, mut stdout) = (self.limit, Vec::new());
        let answer = self.stream(deadline, |chunk| {
            stdout.extend_from_slice(chunk);
            if stdout.len() > limit { Err(StreamError::TooLarge { limit }) } else { Ok(()) }
        })?;
        Ok(GitOutput { stdout, ..answer })
    }

    /// Whether git prints nothing for this long.
    fn is_silent_for(&self, patience: Duration) -> bool {
        self.child.stdout.as_ref().is_some_and(|stdout| !is_readable_within(stdout, patience))
    }

    /// Passes all output to `take` and returns the result.
    pub(crate) fn stream(
        mut self,
        deadline: Instant,
        take: impl FnMut(&[u8]) -> Result<(), StreamError>,
    ) -> Result<GitOutput> {
        let command = self.command;
        let no_answer = |error| VcsError::NoAnswer { command, error };
        let was_blocked = match &self.tree {
            Some(tree) if self.is_silent_for(STALL) => tree.remove_pipes()?,
            _ => false,
        };
        let patience = deadline.saturating_duration_since(Instant::now());
        if let Some(stdout) = self.child.stdout.take() {
            each_chunk(stdout, patience, take).map_err(no_answer)?;
        }
        let status = self.end(deadline).map_err(no_answer)?;
        let stderr = self.read_stderr().unwrap_or_default();
        Ok(GitOutput { status, stdout: Vec::new(), stderr, was_blocked })
    }

    fn end(&mut self, deadline: Instant) -> Result<ExitStatus, StreamError> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                return Err(StreamError::TimedOut(self.started.elapsed()));
            }
            std::thread::sleep(PACE);
        }
    }

    fn read_stderr(&mut self) -> Option<String> {
        let file = self.stderr_file.as_mut()?;
        file.seek(SeekFrom::Start(0)).ok()?;
        let mut bytes = Vec::new();
        file.take(LONGEST_STDERR).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Drop for RunningGit {
    /// Ends a git whose result is not needed and reaps it. Has no effect after it was waited for.
    fn drop(&mut self) {
        if self.access == Access::Write && matches!(self.child.try_wait(), Ok(None)) {
            // A killed git would leave its index lock behind.
            ask_to_end(&self.child);
            let _ = self.end(Instant::now() + PARTING);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn ask_to_end(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// Windows cannot ask a process without a window to end.
#[cfg(not(unix))]
fn ask_to_end(_child: &Child) {}

/// Variables with which an outer git redirects its children, or that change the meaning of paths.
const POINTERS: &str = "
    GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
    GIT_COMMON_DIR GIT_NAMESPACE GIT_PREFIX
    GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS
";

/// Resolved once: PATH may contain a folder of the project, where an agent could place a program
/// later.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let name = format!("git{}", std::env::consts::EXE_SUFFIX);
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
        let mut programs = folders.map(|folder| folder.join(&name));
        programs.find(|file| is_program(file)).unwrap_or_else(|| PathBuf::from("git"))
    };
    PROGRAM.get_or_init(find)
}

fn is_program(file: &Path) -> bool {
    let is_executable = |found: Metadata| !cfg!(unix) || mode(&found) & 0o111 != 0;
    file.is_file() && file.metadata().is_ok_and(is_executable)
}

/// Settings that name a program, or make git trust data that an agent can write. Every git call of
/// the runner overrides them, but [`git_to_remote`] has those of `CONNECTION`. The last one prevents
/// a hint about the graft file before every error.
const INERT: &str = "
    core.hooksPath=/dev/null core.fsmonitor=false core.untrackedCache=false core.trustctime=true
    core.checkStat=default core.ignoreStat=false core.commitGraph=false core.sshCommand=false
    core.gitProxy=false core.askPass= core.editor=false core.pager=cat
    core.alternateRefsCommand=false credential.helper= sequence.editor=false diff.external=
    log.showSignature=false submodule.recurse=false status.submoduleSummary=false gc.auto=0
    maintenance.auto=false advice.graftFileDeprecated=false
";

/// How git reaches a server, and signs in.
const CONNECTION: [&str; 4] =
    ["core.sshCommand=", "core.gitProxy=", "core.askPass=", "credential.helper="];

/// Every git call starts here: no program of a setting runs and nothing prompts.
pub(crate) fn git(folder: &Path) -> Command {
    started_with(folder, INERT.split_whitespace())
}

/// For a repository without settings that an agent could have written: programs that sign in run.
pub(crate) fn git_to_remote(folder: &Path) -> Command {
    let is_connection = |setting: &&str| CONNECTION.iter().any(|name| setting.starts_with(name));
    started_with(folder, INERT.split_whitespace().filter(|setting| !is_connection(setting)))
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts git")]
fn started_with<'s>(folder: &Path, settings: impl Iterator<Item = &'s str>) -> Command {
    let mut command = Command::new(program());
    // A session inside a git hook inherits these.
    for name in POINTERS.split_whitespace() {
        command.env_remove(name);
    }
    // Ctrl-C ends the runner, which lets its git finish: a half-done operation would be an error.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
        .current_dir(folder)
        .args(settings.flat_map(|setting| ["-c", setting]))
        // Reading must not take the index lock.
        .env("GIT_OPTIONAL_LOCKS", "0")
        // Ignore replacement objects, which an agent could create.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null")
        // Never fetch missing objects: a setting could name the remote and the program. Before git
        // 2.45 only the second option works.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn failure(stderr: &str) -> String {
        let (status, stdout) = (ExitStatus::from_raw(1 << 8), Vec::new());
        let stderr = stderr.to_owned();
        GitOutput { status, stdout, stderr, was_blocked: false }.failure("x").to_string()
    }

    #[test]
    fn hints_are_not_part_of_the_error() {
        let hints = "hint: Support for this is deprecated\nhint:\n\n";
        assert_eq!(failure(&format!("{hints}fatal: no\nmore")), "git x failed: fatal: no");
        assert_eq!(failure(hints), "git x failed: exit status: 1");
    }
}
