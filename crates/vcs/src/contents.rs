//! The contents of a file in a commit.

use std::time::Instant;

use crate::entry::Entry;
use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::path_text::os_string;
use crate::tree_object::TreeEntry;
use crate::{BlobContents, CommitId, VcsError, WorkTree};

impl WorkTree {
    /// None if the commit has no such file: a folder and a submodule are none. A symbolic link's
    /// content is where it leads to. What is larger than `limit` bytes is an error.
    pub fn file_at(
        &self,
        commit: &CommitId,
        path: &str,
        limit: u64,
        deadline: Instant,
    ) -> Result<Option<Vec<u8>>, VcsError> {
        let invalid = || VcsError::InvalidPath { path: path.to_owned() };
        let located = self.prefix.locate(path).ok_or_else(invalid)?;
        let entry = |store: &ObjectStore| store.entry(commit.as_str(), &located.bytes());
        if let Some(found) = self.in_process("a path of a commit", entry) {
            let found = found.as_ref().and_then(TreeEntry::to_entry);
            let Some(blob) = found.as_ref().and_then(Entry::blob) else { return Ok(None) };
            return match self.blobs(std::slice::from_ref(blob), limit, deadline)?.pop() {
                Some(BlobContents::Read(bytes)) => Ok(Some(bytes)),
                Some(BlobContents::TooLarge { bytes }) => {
                    Err(VcsError::TooLarge { path: path.to_owned(), bytes, limit })
                }
                None => Err(VcsError::Unreadable { command: "cat-file" }),
            };
        }
        let args = ["-l", "-z", "--full-tree", commit.as_str(), "--"];
        let call = GitCall::read(self, "ls-tree").env("GIT_LITERAL_PATHSPECS", "1");
        let output = call.args(args).args([os_string(&located.bytes())]).output(deadline)?;
        let Some(blob) = Blob::parse(&output)? else {
            return Ok(None);
        };
        if blob.bytes > limit {
            let path = path.to_owned();
            return Err(VcsError::TooLarge { path, bytes: blob.bytes, limit });
        }
        let call = GitCall::read(self, "cat-file").args(["blob", &blob.hash]);
        call.output(deadline).map(Some)
    }
}

struct Blob {
    hash: String,
    bytes: u64,
}

impl Blob {
    /// From `mode type hash size<TAB>name`.
    fn parse(output: &[u8]) -> Result<Option<Self>, VcsError> {
        let line = String::from_utf8_lossy(output);
        let facts: Vec<&str> =
            line.split('\t').next().unwrap_or_default().split_ascii_whitespace().collect();
        match facts[..] {
            [_, "blob", hash, bytes] => {
                let bytes =
                    bytes.parse().map_err(|_| VcsError::Unreadable { command: "ls-tree" })?;
                Ok(Some(Self { hash: hash.to_owned(), bytes }))
            }
            _ => Ok(None),
        }
    }
}
