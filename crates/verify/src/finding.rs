//! One problem in the result of an iteration, as data and as a line of text.

use std::fmt;

use bounded_read::FileError;
use project::{ProtectedChange, Tampering};
use sanitize::plain;
use tasks::{BrokenInvariant, Problem, ReviewVerdict, Violation};
use vcs::DirtyPath;

use crate::{MessageVerdict, Section};

#[derive(Debug)]
pub enum Finding {
    Tampered(Tampering),
    NoTaskList(FileError),
    Schema(Problem),
    Invariant(BrokenInvariant),
    Transition(Violation),
    /// The task list and the reviewer give different verdicts.
    NoVerdict {
        list: Option<ReviewVerdict>,
        message: MessageVerdict,
    },
    Protected(ProtectedChange),
    /// A review changed what it was to judge: committed since the checkpoint, left dirty, or both.
    OutsideReview {
        path: String,
    },
    /// The repository itself was changed in a way that affects what is committed or checked.
    Repository(RepositoryChange),
    /// Left in the work tree, and neither the user's nor the program's.
    Uncommitted(DirtyPath),
}

/// Names are those of the project or of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RepositoryChange {
    /// A setting of git or a file in `.git`.
    ControlFile { name: String },
    /// A `.gitattributes` that makes git convert files.
    Conversion { path: String },
    /// A file that git does not compare; `flag` is git's name for that.
    HiddenFile { path: String, flag: &'static str },
    /// A file in a submodule that differs from the submodule's commit.
    SubmoduleFile { path: String },
    /// An object that is missing, does not match its name, or has too many paths to visit.
    BadObject { name: String },
    /// The run's branch, turned into a symbolic reference.
    SymbolicBranch { branch: String, target: String },
}

impl Finding {
    pub fn section(&self) -> Section {
        match self {
            Self::Tampered(_) => Section::Marker,
            Self::NoTaskList(_) | Self::Schema(_) => Section::TaskList,
            Self::Invariant(_) => Section::EndState,
            Self::Transition(_) => Section::Changes,
            Self::NoVerdict { .. } => Section::Verdict,
            Self::Protected(_) => Section::ProtectedFiles,
            Self::OutsideReview { .. } => Section::OutsideReview,
            Self::Repository(_) => Section::Repository,
            Self::Uncommitted(_) => Section::Uncommitted,
        }
    }
}

/// One line; names and messages of other programs are sanitized.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tampered(tampering) => f.write_str(&tampered(tampering)),
            Self::NoTaskList(error) => f.write_str(&no_task_list(error)),
            Self::Schema(problem) => problem.fmt(f),
            Self::Invariant(broken) => broken.fmt(f),
            Self::Transition(violation) => violation.fmt(f),
            Self::NoVerdict { list, message } => {
                let of_list = verdict_text("the task list", *list);
                match message.known() {
                    None => f.write_str(&of_list),
                    Some(verdict) => {
                        write!(f, "{of_list}, {}", verdict_text("the final message", verdict))
                    }
                }
            }
            Self::Protected(change) => f.write_str(&protected(change)),
            Self::OutsideReview { path } => f.write_str(&plain(path)),
            Self::Repository(change) => f.write_str(&repository(change)),
            Self::Uncommitted(dirty) => write!(f, "{}: {}", dirty.kind, plain(&dirty.path)),
        }
    }
}

fn repository(change: &RepositoryChange) -> String {
    match change {
        RepositoryChange::ControlFile { name } if name.starts_with(".git") => {
            format!("{}: changed", plain(name))
        }
        RepositoryChange::ControlFile { name } => format!("git setting {}: changed", plain(name)),
        RepositoryChange::Conversion { path } => {
            format!("{}: changes how git converts files", plain(path))
        }
        RepositoryChange::HiddenFile { path, flag } => {
            format!("{}: hidden from git ({flag})", plain(path))
        }
        RepositoryChange::SubmoduleFile { path } => {
            format!("{}: differs from the commit of its submodule", plain(path))
        }
        RepositoryChange::SymbolicBranch { branch, target } => {
            let (branch, target) = (plain(branch), plain(target));
            format!("branch {branch}: made a symbolic reference to {target}")
        }
        RepositoryChange::BadObject { name } => {
            format!(
                "git object {}: it is missing, its content does not match its name, or it has too many paths",
                plain(name)
            )
        }
    }
}

fn verdict_text(what: &str, verdict: Option<ReviewVerdict>) -> String {
    match verdict {
        Some(verdict) => format!("{what} says {verdict}"),
        None => format!("{what} gives no verdict"),
    }
}

fn tampered(tampering: &Tampering) -> String {
    match tampering {
        Tampering::Removed => "it was removed".into(),
        Tampering::Unreadable { why } => format!("it is unreadable: {}", plain(why)),
        Tampering::Altered { written, found } => {
            format!("its sha256 is {}…, the runner wrote {}…", found.short(), written.short())
        }
    }
}

fn no_task_list(error: &FileError) -> String {
    match error {
        FileError::Absent => {
            "it is missing. Restore it with git; the loop cannot continue without it".into()
        }
        FileError::TooLarge { bytes, limit } => {
            format!("it has {bytes} bytes; the limit is {limit}. Move long texts into other files")
        }
        other => format!("it cannot be read: {other}. Put a regular file in its place"),
    }
}

fn protected(change: &ProtectedChange) -> String {
    let path = plain(change.path());
    match change {
        ProtectedChange::Altered { old, new, .. } => {
            format!("{path}: changed (sha256 {}… → {}…)", old.short(), new.short())
        }
        ProtectedChange::Created { .. } => {
            format!("{path}: created, but it must not exist. Delete it")
        }
        ProtectedChange::Removed { .. } => format!("{path}: removed"),
        ProtectedChange::Replaced { why, .. } => format!("{path}: replaced, {}", plain(why)),
    }
}
