//! Reads and writes the contents of many blobs with one or two git processes, and of one file in a
//! commit.

use std::time::Instant;

use git2::ObjectType;

use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::path_text::os_string;
use crate::repo_path::RepoPath;
use crate::tree_object::Entry;
use crate::{BlobId, CommitId, Result, VcsError, WorkTree, restore};

/// Larger files are never read as a whole.
const LARGEST: u64 = 32 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobContents {
    Read(Vec<u8>),
    TooLarge { bytes: u64 },
}

impl WorkTree {
    /// The contents in the order of the ids. A missing blob is an error.
    pub fn blobs(
        &self,
        ids: &[BlobId],
        limit: u64,
        deadline: Instant,
    ) -> Result<Vec<BlobContents>> {
        let read = |store: &ObjectStore| {
            ids.iter().map(|id| store.blob(&id.0, limit)).collect::<Option<Vec<_>>>()
        };
        if let Some(contents) = self.in_process("contents", deadline, read) {
            return Ok(contents);
        }
        let limit = limit.min(LARGEST);
        let sizes = self.blob_sizes(ids, deadline)?;
        let sized = || ids.iter().zip(sizes.iter().copied());
        let wanted: Vec<String> =
            sized().filter(|(_, bytes)| *bytes <= limit).map(|(id, _)| id.to_string()).collect();
        let contents = self.verified_by_git(&wanted, &[ObjectType::Blob], deadline)?.contents;
        let all = sized().map(|(id, bytes)| match contents.get(&id.0) {
            _ if bytes > limit => Some(BlobContents::TooLarge { bytes }),
            found => found.map(|(_, bytes)| BlobContents::Read(bytes.clone())),
        });
        all.collect::<Option<_>>().ok_or(UNREADABLE)
    }

    /// `None` if the commit has no such file; folders and submodules are no files. The content of a
    /// symbolic link is its target. A file larger than `limit` is an error.
    pub fn file_at(
        &self,
        commit: &CommitId,
        path: &str,
        limit: u64,
        deadline: Instant,
    ) -> Result<Option<Vec<u8>>> {
        let located = self.located(path)?;
        let read = |store: &ObjectStore| store.entry(commit.as_str(), &located.bytes());
        let ask_git = || self.listed(commit, &located, deadline);
        let entry =
            self.in_process("a path of a commit", deadline, read).map_or_else(ask_git, Ok)?;
        let Some(blob) = entry.as_ref().and_then(Entry::blob) else { return Ok(None) };
        match self.blobs(std::slice::from_ref(blob), limit, deadline)?.pop() {
            Some(BlobContents::Read(bytes)) => Ok(Some(bytes)),
            Some(BlobContents::TooLarge { bytes }) => {
                Err(VcsError::TooLarge { path: path.to_owned(), bytes, limit })
            }
            None => Err(UNREADABLE),
        }
    }

    fn listed(
        &self,
        commit: &CommitId,
        path: &RepoPath,
        deadline: Instant,
    ) -> Result<Option<Entry>> {
        let args = ["-z", "--full-tree", commit.as_str(), "--"];
        let call = GitCall::read(self, "ls-tree").env("GIT_LITERAL_PATHSPECS", "1");
        let output = call.args(args).args([os_string(&path.bytes())]).output(deadline)?;
        let line = output.strip_suffix(b"\0").unwrap_or(&output);
        Ok(restore::entry(line).map(|(_, entry)| entry))
    }

    fn blob_sizes(&self, ids: &[BlobId], deadline: Instant) -> Result<Vec<u64>> {
        let format = "--batch-check=%(objecttype) %(objectsize)";
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let call = GitCall::read(self, "cat-file").args([format]);
        let output = call.input(lines.as_bytes())?.text(deadline)?;
        let sizes = output.lines().map(|line| line.strip_prefix("blob ")?.parse().ok());
        let sizes: Vec<u64> = sizes.collect::<Option<_>>().ok_or(UNREADABLE)?;
        if sizes.len() == ids.len() { Ok(sizes) } else { Err(UNREADABLE) }
    }

    /// Stores contents unconverted.
    pub(crate) fn write_blobs(&self, contents: &[&[u8]], deadline: Instant) -> Result<Vec<BlobId>> {
        if contents.is_empty() {
            return Ok(Vec::new());
        }
        let folder = tempfile::tempdir().map_err(VcsError::NoTemporaryFile)?;
        let mut names = Vec::new();
        for (number, bytes) in contents.iter().enumerate() {
            let file = folder.path().join(number.to_string());
            std::fs::write(&file, bytes).map_err(VcsError::NoTemporaryFile)?;
            names.extend_from_slice(file.as_os_str().as_encoded_bytes());
            names.push(b'\n');
        }
        let flags = ["-w", "--no-filters", "--stdin-paths"];
        let call = GitCall::write(self, "hash-object").args(flags).input(&names)?;
        let output = call.text(deadline)?;
        let hashes: Vec<BlobId> = output.lines().map(|line| BlobId(line.to_owned())).collect();
        let unreadable = VcsError::Unreadable { command: "hash-object" };
        if hashes.len() == contents.len() { Ok(hashes) } else { Err(unreadable) }
    }
}

const UNREADABLE: VcsError = VcsError::Unreadable { command: "cat-file" };
