//! Errors of `init`.

use std::io;
use std::path::PathBuf;

use project::LockError;

use super::from_plan::PlanProblem;

#[derive(Debug, thiserror::Error)]
pub enum InitError {
    #[error("{} is not a folder", .path.display())]
    NoFolder { path: PathBuf },
    #[error("{name:?} contains no letter or digit for a branch name")]
    Name { name: String },
    #[error("cannot import {}:{}", .path.display(), listed(.problems))]
    Plan { path: PathBuf, problems: Vec<PlanProblem> },
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("cannot create the folder {}: {error}", .path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("{} is a dangling symbolic link", .path.display())]
    DanglingLink { path: PathBuf },
    #[error("cannot read {}: {error}", .path.display())]
    Unreadable { path: PathBuf, error: bounded_read::FileError },
    #[error("cannot write {}: {error}", .path.display())]
    Unwritable { path: PathBuf, error: io::Error },
}

/// One line per problem, up to a limit.
fn listed(problems: &[PlanProblem]) -> String {
    const SHOWN: usize = 100;
    let shown = problems.iter().take(SHOWN).map(|problem| format!("\n  {problem}"));
    let more = match problems.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n  and {more} more problems"),
    };
    shown.chain([more]).collect()
}
