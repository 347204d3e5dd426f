//! The result of `archive`, and its text.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::scaffold::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveReport {
    /// Relative to the project root.
    pub folder: PathBuf,
    /// "3 of 5 stories done", or why that is unknown.
    pub result: String,
    /// The archived memory of iterations, relative to the project root; `None` if there was none.
    pub memory: Option<PathBuf>,
    /// The branch of the archived task list, if readable.
    pub branch: Option<String>,
    /// Shell commands that merge that branch.
    pub merge_command: Option<String>,
    pub commit: CommitOutcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    Committed { paths: Vec<String> },
    NoRepository,
    Failed { why: String },
}

impl fmt::Display for ArchiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Archived in {}/ ({}).", slashed(&self.folder), one_line(&self.result))?;
        if let Some(memory) = &self.memory {
            writeln!(f, "The memory of its iterations is in {}/.", slashed(memory))?;
        }
        match &self.commit {
            CommitOutcome::Committed { paths } => writeln!(f, "Committed {} files.", paths.len())?,
            CommitOutcome::NoRepository => {
                writeln!(f, "Not committed: not a git repository.")?;
            }
            CommitOutcome::Failed { why } => writeln!(f, "Not committed: {}", one_line(why))?,
        }
        writeln!(f, "The ralph folder is reset; prompt.md is unchanged.")?;
        match &self.merge_command {
            Some(command) => writeln!(f, "Merge the work: {}", one_line(command)),
            None => Ok(()),
        }
    }
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}
