//! What `archive` did, as data that reads well.

use std::fmt;
use std::path::PathBuf;

use crate::scaffold::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveReport {
    /// From the project root.
    pub folder: PathBuf,
    /// "3 of 5 stories done", or why that is not known.
    pub standing: String,
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
        let folder = self.folder.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        writeln!(f, "Archived in {folder}/ ({}).", one_line(&self.standing))?;
        match &self.commit {
            CommitOutcome::Committed { paths } => writeln!(f, "Committed {} files.", paths.len())?,
            CommitOutcome::NoRepository => {
                writeln!(f, "Not committed: this is not a git repository.")?;
            }
            CommitOutcome::Failed { why } => writeln!(f, "Not committed: {}", one_line(why))?,
        }
        writeln!(f, "The ralph folder starts anew; prompt.md is as you made it.")
    }
}
