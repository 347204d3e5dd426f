//! Detects operations in progress, such as a merge, by the files in the git folder.

use std::path::PathBuf;
use std::time::Instant;

use derive_more::Display;

use crate::control_files::remove;
use crate::git_call::GitCall;
use crate::{Result, VcsError, WorkTree};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[display(rename_all = "kebab-case")]
pub enum Operation {
    Merge,
    Rebase,
    /// A patch series, `git am`.
    #[display("series of patches (git am)")]
    Am,
    CherryPick,
    Revert,
    Bisect,
}

/// The first match counts: a stopped rebase leaves files of the others, too.
const TRACES: [(&str, Operation); 7] = [
    ("rebase-merge", Operation::Rebase),
    // Its folder is shared with the next one.
    ("rebase-apply/applying", Operation::Am),
    ("rebase-apply", Operation::Rebase),
    ("MERGE_HEAD", Operation::Merge),
    ("CHERRY_PICK_HEAD", Operation::CherryPick),
    ("REVERT_HEAD", Operation::Revert),
    ("BISECT_LOG", Operation::Bisect),
];

impl WorkTree {
    /// Quits the operation and any nested one. HEAD and files stay, including conflicts.
    ///
    /// If git cannot quit because the state files are broken, they are removed: they contain only
    /// commit names. A rebase with an autostash is not touched.
    pub fn quit_operation(&self, operation: Operation, deadline: Instant) -> Result<()> {
        self.quit(operation, deadline)?;
        for _ in TRACES {
            match self.operation() {
                Some(other) => self.quit(other, deadline)?,
                None => break,
            }
        }
        Ok(())
    }

    fn quit(&self, operation: Operation, deadline: Instant) -> Result<()> {
        let (command, argument) = match operation {
            Operation::Merge => ("merge", "--quit"),
            Operation::Rebase => ("rebase", "--quit"),
            Operation::Am => ("am", "--quit"),
            Operation::CherryPick => ("cherry-pick", "--quit"),
            Operation::Revert => ("revert", "--quit"),
            Operation::Bisect => ("bisect", "reset"),
        };
        let answer = GitCall::write(self, command).args([argument]).answer(deadline)?;
        let Some((trace, _)) = self.trace().filter(|(_, left)| *left == operation) else {
            return Ok(());
        };
        if trace.join("autostash").exists() {
            return Err(answer.failure(command));
        }
        remove(&trace)
    }

    /// Checks a few paths, without a git process.
    pub(crate) fn operation(&self) -> Option<Operation> {
        self.trace().map(|(_, found)| found)
    }

    fn trace(&self) -> Option<(PathBuf, Operation)> {
        let folder = &self.git_dir;
        let mut traces = TRACES.into_iter().map(|(name, of)| (folder.join(name), of));
        traces.find(|(trace, _)| trace.exists())
    }

    /// A commit would become part of the operation. Bisect only reads.
    pub(crate) fn refuse_during_operation(&self) -> Result<()> {
        match self.operation() {
            None | Some(Operation::Bisect) => Ok(()),
            Some(operation) => Err(VcsError::OperationInProgress(operation)),
        }
    }

    /// Exists while git writes, and after git was killed.
    pub fn index_lock(&self) -> PathBuf {
        self.git_dir.join("index.lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_have_the_names_that_users_know() {
        let names = TRACES.map(|(_, operation)| operation.to_string());
        let am = "series of patches (git am)";
        assert_eq!(names, ["rebase", am, "rebase", "merge", "cherry-pick", "revert", "bisect"]);
    }
}
