//! The contents of a file in a commit.

use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::path_text::os_string;
use crate::repo_path::RepoPath;
use crate::{BlobContents, CommitId, VcsError, WorkTree, restore};

impl WorkTree {
    /// `None` if the commit has no such file; folders and submodules are no files. The content of a
    /// symbolic link is its target. A file larger than `limit` is an error.
    pub fn file_at(
        &self,
        commit: &CommitId,
        path: &str,
        limit: u64,
        deadline: Instant,
    ) -> Result<Option<Vec<u8>>, VcsError> {
        let invalid = || VcsError::InvalidPath { path: path.to_owned() };
        let located = self.prefix.locate(path).ok_or_else(invalid)?;
        let read = |store: &ObjectStore| store.entry(commit.as_str(), &located.bytes());
        let entry = match self.in_process("a path of a commit", deadline, read) {
            Some(found) => found.and_then(|found| found.to_entry()),
            None => self.listed(commit, &located, deadline)?,
        };
        let Some(blob) = entry.as_ref().and_then(Entry::blob) else { return Ok(None) };
        match self.blobs(std::slice::from_ref(blob), limit, deadline)?.pop() {
            Some(BlobContents::Read(bytes)) => Ok(Some(bytes)),
            Some(BlobContents::TooLarge { bytes }) => {
                Err(VcsError::TooLarge { path: path.to_owned(), bytes, limit })
            }
            None => Err(VcsError::Unreadable { command: "cat-file" }),
        }
    }

    fn listed(
        &self,
        commit: &CommitId,
        path: &RepoPath,
        deadline: Instant,
    ) -> Result<Option<Entry>, VcsError> {
        let args = ["-z", "--full-tree", commit.as_str(), "--"];
        let call = GitCall::read(self, "ls-tree").env("GIT_LITERAL_PATHSPECS", "1");
        let output = call.args(args).args([os_string(&path.bytes())]).output(deadline)?;
        let line = output.strip_suffix(b"\0").unwrap_or(&output);
        Ok(restore::entry(line).map(|(_, entry)| entry))
    }
}
