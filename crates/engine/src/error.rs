//! Errors that keep a run from starting or continuing, each with its message, hint and exit code.

use bounded_read::FileError;
use events::{KnownFailure, RunEnd};
use project::{LockError, MarkerError};
use supervise::{Leftover, Leftovers};
use vcs::VcsError;

use crate::state_file::StateError;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{what}")]
    Precondition { what: String, hint: Option<String> },
    #[error("the run was stopped while {during}")]
    Stopped { during: String, end: RunEnd },
    #[error("Implementation plan not found. Run 'ralph-loop plan' first.")]
    PlanMissing { path: String },
    #[error("{commands} fail without the work of this run, and every check has to pass first")]
    BaseFails { commands: String },
    #[error("{what}")]
    Scm { what: String },
    #[error("the agent gave no commit message{}{why}", if why.is_empty() { "" } else { ": " })]
    NoCommitMessage { why: String },
    #[error(
        "{of} left {} that could not be ended: {}",
        if processes.len() == 1 { "a process" } else { "processes" },
        names(processes)
    )]
    StillRunning { of: String, processes: Vec<Leftover> },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Marker(#[from] MarkerError),
    #[error("cannot write {path}: {error}")]
    Disk { path: String, error: std::io::Error },
    #[error("cannot record events: {0}")]
    Observer(std::io::Error),
    #[error(transparent)]
    Git(#[from] VcsError),
    #[error("{path} cannot be read: {error}")]
    TaskList { path: String, error: FileError },
    #[error("{path} is not a valid task list:\n{}", problems.join("\n"))]
    InvalidTaskList { path: String, problems: Vec<String> },
}

impl RunError {
    pub(crate) fn precondition(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Precondition { what: what.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn base_fails(failures: &[KnownFailure]) -> Self {
        let commands = failures.iter().map(|failed| format!("`{}`", failed.command));
        Self::BaseFails { commands: commands.collect::<Vec<_>>().join(", ") }
    }

    /// For `map_err` of a write to `path`.
    pub(crate) fn disk(path: impl ToString) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::Disk { path: path.to_string(), error }
    }

    /// A process that still runs could change what is judged next.
    pub(crate) fn refuse_survivors(of: &str, leftovers: &Leftovers) -> Result<(), Self> {
        if leftovers.alive.is_empty() {
            return Ok(());
        }
        Err(Self::StillRunning { of: of.to_owned(), processes: leftovers.alive.clone() })
    }

    /// How a run ends because of this error.
    pub(crate) fn end(&self) -> RunEnd {
        match self {
            _ if self.is_about_space() => RunEnd::DiskFailed,
            Self::Git(_) | Self::Scm { .. } => RunEnd::GitFailed,
            Self::NoCommitMessage { .. } => RunEnd::AgentFailed,
            Self::StillRunning { .. } => RunEnd::ProcessesLeft,
            Self::Stopped { end, .. } => *end,
            Self::PlanMissing { .. } => RunEnd::PlanMissing,
            Self::BaseFails { .. } => RunEnd::BaseFails,
            Self::Precondition { .. } | Self::TaskList { .. } | Self::InvalidTaskList { .. } => {
                RunEnd::Blocked
            }
            Self::Lock(_)
            | Self::State(_)
            | Self::Marker(_)
            | Self::Disk { .. }
            | Self::Observer(_) => RunEnd::DiskFailed,
        }
    }

    /// For a run that did not start.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Git(_) if !self.is_about_space() => RunEnd::GitFailed.exit_code(),
            Self::StillRunning { .. } => RunEnd::ProcessesLeft.exit_code(),
            Self::Stopped { end, .. } => end.exit_code(),
            _ => 2,
        }
    }

    /// Whether git failed because the disk is full; the repository is fine.
    fn is_about_space(&self) -> bool {
        let is_git = matches!(self, Self::Git(_) | Self::Scm { .. });
        is_git
            && mentions(
                self,
                &[
                    "No space left on device",
                    "Out of diskspace",
                    "Disk quota exceeded",
                    "File too large",
                ],
            )
    }

    fn is_about_permissions(&self) -> bool {
        let denied = std::io::ErrorKind::PermissionDenied;
        match self {
            Self::Disk { error, .. } | Self::Observer(error) => error.kind() == denied,
            Self::State(StateError::Unwritable { error, .. }) => error.kind() == denied,
            Self::Git(error) => mentions(error, &["Permission denied", "Operation not permitted"]),
            _ => false,
        }
    }

    pub fn hint(&self) -> Option<String> {
        Some(match self {
            _ if self.is_about_space() => "free some disk space".into(),
            Self::Precondition { hint, .. } => return hint.clone(),
            Self::PlanMissing { path } => {
                format!("expected {path}; planFile in .ralph/settings.json sets another name")
            }
            Self::BaseFails { .. } => {
                "make them pass and commit, or start without --require-green-base: such failures are then not \
                 held against a story"
                    .into()
            }
            Self::Scm { .. } => {
                "run the git command by hand, then the same ralph-loop command: the agent's work is kept".into()
            }
            Self::NoCommitMessage { .. } => {
                "commit by hand and run the same command again; without scm in the settings, the \
                 agent commits itself"
                    .into()
            }
            Self::StillRunning { processes, .. } => {
                let pids: Vec<String> = processes.iter().map(|one| one.pid.to_string()).collect();
                format!(
                    "end them with `kill -9 {}` (with sudo if they belong to another user), then run the \
                     same command again to resume",
                    pids.join(" ")
                )
            }
            Self::Lock(LockError::Held { .. }) => {
                "wait for that run, stop it with Ctrl-C, or see its progress with `ralph-loop status`. \
                 To work on two features at once, use two git worktrees"
                    .into()
            }
            _ if self.is_about_permissions() => {
                "restore your permissions: `chmod -R u+rwX .` in the project, \
                 `sudo chattr -i` on an immutable file"
                    .into()
            }
            Self::State(StateError::Invalid { .. }) => {
                "check with `git log` that the task list is right, then start over with `ralph-loop run \
                 --fresh`: it resets the counters and the last failure and keeps your work"
                    .into()
            }
            Self::Lock(LockError::Io { .. })
            | Self::Disk { .. }
            | Self::Marker(_)
            | Self::State(_)
            | Self::Observer(_) => {
                "check that the folder is writable and that the disk has free space".into()
            }
            Self::Git(error) => return git_hint(error).map(str::to_owned),
            Self::TaskList { error: FileError::Absent, .. } => {
                "create one with `ralph-loop init`".into()
            }
            Self::InvalidTaskList { .. } => {
                "`ralph-loop validate` shows how to fix each problem; `git log -p` shows the changes of the file"
                    .into()
            }
            Self::TaskList { .. } | Self::Stopped { .. } => return None,
        })
    }
}

fn git_hint(error: &VcsError) -> Option<&'static str> {
    match error {
        VcsError::OutsideSettingChanged { .. } => Some(
            "it decides what git sees or runs, and an agent may have set it: check it with `git config --global \
             --list --show-origin`, correct it, and confirm it with --trust-settings",
        ),
        error if error.is_lock_error() => Some(
            "another git process is running, or one was killed: if none is running, remove the lock \
             and start again",
        ),
        VcsError::BranchRefused { message, .. } if message.contains("used by worktree") => {
            Some("run `git switch --detach` in that folder first")
        }
        VcsError::BranchRefused { message, .. } if message.contains("exists; cannot create") => {
            Some(
                "rename the existing branch (`git branch -m <branch> <new name>`), or set another branchName \
             in the task list",
            )
        }
        _ => None,
    }
}

fn mentions(error: &impl ToString, words: &[&str]) -> bool {
    let message = error.to_string();
    words.iter().any(|words| message.contains(words))
}

/// Sanitized, because a process chooses its own name.
fn names(processes: &[Leftover]) -> String {
    let names: Vec<String> = processes.iter().map(ToString::to_string).collect();
    sanitize::plain(&names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_failure_of_git() {
        let failed = |message: &str| {
            RunError::Git(VcsError::Failed { command: "commit", message: message.to_owned() })
        };
        for message in [
            "fatal: unable to write new_index file: No space left on device",
            "fatal: sha1 file '.git/index.lock' write error. Out of diskspace",
            "fatal: cannot store: Disk quota exceeded",
            "error: unable to write file: File too large",
        ] {
            let scm = RunError::Scm { what: format!("`git commit` failed: {message}") };
            for error in [failed(message), scm] {
                assert_eq!(error.end(), RunEnd::DiskFailed, "{message}");
                assert_eq!(error.exit_code(), 2, "{message}");
                assert_eq!(error.hint().as_deref(), Some("free some disk space"));
            }
        }
        let broken = failed("fatal: bad object HEAD");
        assert_eq!((broken.end(), broken.exit_code()), (RunEnd::GitFailed, 5));
    }

    #[test]
    fn remaining_processes_are_named_with_a_hint() {
        let process = |pid, name: &str| Leftover { pid, name: name.to_owned() };
        let mut leftovers = Leftovers::default();
        assert!(RunError::refuse_survivors("the session", &leftovers).is_ok());
        leftovers.ended.push(process(6, "sleep"));
        assert!(RunError::refuse_survivors("the session", &leftovers).is_ok());
        leftovers.alive = vec![process(7, "dd\u{1b}[2J"), process(8, "sh")];
        let error = RunError::refuse_survivors("the session", &leftovers).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the session left processes that could not be ended: dd\u{fffd}[2J (pid 7), sh (pid 8)"
        );
        assert!(error.hint().unwrap().contains("`kill -9 7 8`"));
        assert_eq!((error.end(), error.exit_code()), (RunEnd::ProcessesLeft, 4));
        leftovers.alive.pop();
        let error = RunError::refuse_survivors("the session", &leftovers).unwrap_err();
        assert!(error.to_string().starts_with("the session left a process that could not be"));
    }
}
