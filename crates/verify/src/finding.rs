//! One problem in the result of an iteration, as data and as a line of text.

use bounded_read::FileError;
use project::{ProtectedChange, Tampering};
use sanitize::plain;
use tasks::{BrokenInvariant, Problem, ReviewVerdict, Violation};
use vcs::DirtyPath;

use crate::{MessageVerdict, Section};

/// Printed on one line; names and messages of other programs are sanitized.
#[derive(Debug, derive_more::Display)]
pub enum Finding {
    #[display("{}", tampered(_0))]
    Tampered(Tampering),
    #[display("{}", no_task_list(_0))]
    NoTaskList(FileError),
    Schema(Problem),
    Invariant(BrokenInvariant),
    Transition(Violation),
    /// The task list and the reviewer give different verdicts.
    #[display("{}", no_verdict(*list, *message))]
    NoVerdict {
        list: Option<ReviewVerdict>,
        message: MessageVerdict,
    },
    #[display("{}", protected(_0))]
    Protected(ProtectedChange),
    /// A review changed what it was to judge: committed since the checkpoint, left dirty, or both.
    #[display("{}", plain(path))]
    OutsideReview {
        path: String,
    },
    /// A specify iteration changed something other than tests.
    #[display("{}", plain(path))]
    OutsideTests {
        path: String,
    },
    /// The repository itself was changed in a way that affects what is committed or checked.
    Repository(RepositoryChange),
    /// Left in the work tree, and neither the user's nor the program's.
    #[display("{}: {}", _0.kind, plain(&_0.path))]
    Uncommitted(DirtyPath),
}

/// Names are those of the project or of git.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum RepositoryChange {
    /// A setting of git or a file in `.git`.
    #[display("{}{}: changed", if name.starts_with(".git") { "" } else { "git setting " }, plain(name))]
    ControlFile { name: String },
    /// A `.gitattributes` that makes git convert files.
    #[display("{}: changes how git converts files", plain(path))]
    Conversion { path: String },
    /// A file that git does not compare; `flag` is git's name for that.
    #[display("{}: hidden from git ({flag})", plain(path))]
    HiddenFile { path: String, flag: &'static str },
    /// A file in a submodule that differs from the submodule's commit.
    #[display("{}: differs from the commit of its submodule", plain(path))]
    SubmoduleFile { path: String },
    /// An object that is missing, does not match its name, or has too many paths to visit.
    #[display(
        "git object {}: it is missing, its content does not match its name, or it has too many paths",
        plain(name)
    )]
    BadObject { name: String },
    /// The run's branch, turned into a symbolic reference.
    #[display("branch {}: made a symbolic reference to {}", plain(branch), plain(target))]
    SymbolicBranch { branch: String, target: String },
    /// One of the others, reported by a worker on another machine.
    #[display("{}", plain(text))]
    Reported { text: String },
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
            Self::OutsideTests { .. } => Section::OutsideTests,
            Self::Repository(_) => Section::Repository,
            Self::Uncommitted(_) => Section::Uncommitted,
        }
    }
}

fn no_verdict(list: Option<ReviewVerdict>, message: MessageVerdict) -> String {
    let of_list = verdict_text("the task list", list);
    match message.known() {
        None => of_list,
        Some(verdict) => format!("{of_list}, {}", verdict_text("the final message", verdict)),
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
