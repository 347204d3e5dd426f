//! Why a run could not begin or go on. The words and the way out are here, the exit code follows
//! from the kind.

use bounded_read::FileError;
use project::{LockError, MarkerError};
use vcs::VcsError;

use crate::RunEnd;
use crate::state_file::StateError;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{what}")]
    Precondition { what: String, hint: Option<String> },
    /// By whoever may end a run, before it could begin or go on.
    #[error("the run was stopped while {during}")]
    Stopped { during: String, end: RunEnd },
    #[error("Implementation plan not found. Run 'ralph-loop plan' first.")]
    PlanMissing { path: String },
    #[error("{what}")]
    Scm { what: String },
    #[error("the agent gave no commit message{}{why}", if why.is_empty() { "" } else { ": " })]
    NoCommitMessage { why: String },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    State(#[from] StateError),
    #[error(transparent)]
    Marker(#[from] MarkerError),
    #[error("cannot write {path}: {error}")]
    Disk { path: String, error: std::io::Error },
    #[error("cannot tell what happens: {0}")]
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

    /// How a run ends that meets this error on its way.
    pub(crate) fn end(&self) -> RunEnd {
        match self {
            Self::Git(_) | Self::Scm { .. } => RunEnd::GitFailed,
            Self::NoCommitMessage { .. } => RunEnd::AgentFailed,
            Self::Stopped { end, .. } => *end,
            Self::PlanMissing { .. } => RunEnd::PlanMissing,
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

    /// Of a run that could not begin.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Git(_) => RunEnd::GitFailed.exit_code(),
            Self::Stopped { end, .. } => end.exit_code(),
            _ => 2,
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Precondition { hint, .. } => hint.clone(),
            Self::PlanMissing { path } => Some(format!(
                "{path} is looked for; another name is set by planFile in .ralph/settings.json"
            )),
            Self::Scm { .. } => Some(
                "try it by hand; what the agent did is there, and the same command goes on".into(),
            ),
            Self::NoCommitMessage { .. } => Some(
                "commit by hand and run the same command again; without scm in the settings the \
                 agent commits itself"
                    .into(),
            ),
            Self::Lock(LockError::Held { .. }) => Some(
                "wait for it, stop it with Ctrl-C, or see what it does with `ralph-loop status`. \
                 For two features at once use two git worktrees"
                    .into(),
            ),
            Self::Lock(LockError::Io { .. }) | Self::Disk { .. } | Self::Marker(_) => {
                Some("is the folder writable, and is there space on the disk?".into())
            }
            Self::State(StateError::Nonsense { .. }) => Some(
                "start anew with `ralph-loop run --fresh`: counters and the last failure are \
                 forgotten, your work is not"
                    .into(),
            ),
            Self::State(_) | Self::Observer(_) => {
                Some("is the folder writable, and is there space on the disk?".into())
            }
            Self::Git(error) if error.is_about_a_lock() => Some(
                "another git works here, or one was killed: if none is running, remove the lock \
                 and start again"
                    .into(),
            ),
            Self::Git(VcsError::BranchRefused { complaint, .. })
                if complaint.contains("used by worktree") =>
            {
                Some("leave it there first: `git switch --detach` in that folder".into())
            }
            Self::Git(VcsError::BranchRefused { complaint, .. })
                if complaint.contains("exists; cannot create") =>
            {
                Some(
                    "rename the branch that is in the way (`git branch -m <it> <another name>`), \
                     or put another branchName into the task list"
                        .into(),
                )
            }
            Self::Git(error) if error.to_string().contains("No space left on device") => {
                Some("is there space on the disk?".into())
            }
            Self::TaskList { error: FileError::Absent, .. } => {
                Some("`ralph-loop init` makes one to start from".into())
            }
            Self::InvalidTaskList { .. } => {
                Some("`ralph-loop validate` says how to mend each; `git log -p` on the file shows how they came \
                      about".into())
            }
            _ => None,
        }
    }
}
