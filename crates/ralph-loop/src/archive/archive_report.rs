//! What `archive` did, as data that reads well.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::scaffold::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveReport {
    /// From the project root.
    pub folder: PathBuf,
    /// "3 of 5 stories done", or why that is not known.
    pub standing: String,
    /// Where what iterations left for one another is now, from the project root; None if there was none.
    pub memory: Option<PathBuf>,
    /// Of the task list that was put away, where it could be read.
    pub branch: Option<String>,
    /// For a shell: takes the work of that branch over.
    pub take_over: Option<String>,
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
        writeln!(f, "Archived in {}/ ({}).", slashed(&self.folder), one_line(&self.standing))?;
        if let Some(memory) = &self.memory {
            writeln!(f, "What its iterations left for one another is in {}/.", slashed(memory))?;
        }
        match &self.commit {
            CommitOutcome::Committed { paths } => writeln!(f, "Committed {} files.", paths.len())?,
            CommitOutcome::NoRepository => {
                writeln!(f, "Not committed: this is not a git repository.")?;
            }
            CommitOutcome::Failed { why } => writeln!(f, "Not committed: {}", one_line(why))?,
        }
        writeln!(f, "The ralph folder starts anew; prompt.md is as you made it.")?;
        match &self.take_over {
            Some(command) => writeln!(f, "Take the work over: {}", one_line(command)),
            None => Ok(()),
        }
    }
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}
