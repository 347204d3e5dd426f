//! The result of `archive`, and its text.

use std::fmt;

use crate::scaffold::one_line;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArchiveReport {
    /// Relative to the project root.
    pub(super) folder: String,
    /// "3 of 5 stories done", or why that is unknown.
    pub(super) result: String,
    /// The archived memory of iterations, relative to the project root; `None` if there was none.
    pub(super) memory: Option<String>,
    /// Shell commands that merge the branch of the archived list.
    pub(super) merge_command: Option<String>,
    /// The committed paths or why git failed; `None` without a repository.
    pub(crate) commit: Option<Result<Vec<String>, String>>,
}

impl fmt::Display for ArchiveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Archived in {}/ ({}).", self.folder, one_line(&self.result))?;
        if let Some(memory) = &self.memory {
            writeln!(f, "The memory of its iterations is in {memory}/.")?;
        }
        match &self.commit {
            Some(Ok(paths)) => writeln!(f, "Committed {} files.", paths.len())?,
            Some(Err(why)) => writeln!(f, "Not committed: {}", one_line(why))?,
            None => writeln!(f, "Not committed: not a git repository.")?,
        }
        writeln!(f, "The ralph folder is reset; prompt.md is unchanged.")?;
        match &self.merge_command {
            Some(command) => writeln!(f, "Merge the work: {}", one_line(command)),
            None => Ok(()),
        }
    }
}
