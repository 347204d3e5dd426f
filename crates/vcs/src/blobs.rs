//! Reads and writes the contents of many blobs with one or two git processes.

use std::ops::Range;
use std::time::Instant;

use crate::entry::BlobId;
use crate::git_call::GitCall;
use crate::object_store::ObjectStore;
use crate::{VcsError, WorkTree};

/// Must fit, with headers, into the limit for the output of one git.
const LARGEST_BATCH: u64 = 32 * 1024 * 1024;

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
    ) -> Result<Vec<BlobContents>, VcsError> {
        let read = |store: &ObjectStore| {
            ids.iter().map(|id| store.blob(id.as_str(), limit)).collect::<Option<Vec<_>>>()
        };
        if let Some(contents) = self.in_process("contents", deadline, read) {
            return Ok(contents);
        }
        let limit = limit.min(LARGEST_BATCH);
        let sizes = self.blob_sizes(ids, deadline)?;
        let wanted: Vec<(&BlobId, u64)> =
            ids.iter().zip(sizes.iter().copied()).filter(|(_, bytes)| *bytes <= limit).collect();
        let mut contents = Vec::new();
        for batch in batches(&wanted) {
            contents.extend(self.read_batch(&wanted[batch], deadline)?);
        }
        let mut contents = contents.into_iter();
        let all = sizes.into_iter().map(|bytes| {
            if bytes > limit {
                Some(BlobContents::TooLarge { bytes })
            } else {
                contents.next().map(BlobContents::Read)
            }
        });
        all.collect::<Option<_>>().ok_or(UNREADABLE)
    }

    fn blob_sizes(&self, ids: &[BlobId], deadline: Instant) -> Result<Vec<u64>, VcsError> {
        let format = "--batch-check=%(objecttype) %(objectsize)";
        let call = GitCall::read(self, "cat-file").args([format]);
        let output = call.input(lines(ids.iter()).as_bytes())?.output(deadline)?;
        let output = String::from_utf8_lossy(&output);
        let sizes = output.lines().map(|line| line.strip_prefix("blob ")?.parse().ok());
        let sizes: Vec<u64> = sizes.collect::<Option<_>>().ok_or(UNREADABLE)?;
        if sizes.len() == ids.len() { Ok(sizes) } else { Err(UNREADABLE) }
    }

    fn read_batch(
        &self,
        wanted: &[(&BlobId, u64)],
        deadline: Instant,
    ) -> Result<Vec<Vec<u8>>, VcsError> {
        // The sizes are known, so no header is needed.
        let call = GitCall::read(self, "cat-file").args(["--batch=.", "--buffer"]);
        let input = lines(wanted.iter().map(|(id, _)| *id));
        let output = call.input(input.as_bytes())?.output(deadline)?;
        let mut rest = output.as_slice();
        let contents = wanted.iter().map(|(_, bytes)| {
            let bytes = usize::try_from(*bytes).ok()?;
            let (contents, after) = rest.strip_prefix(b".\n")?.split_at_checked(bytes)?;
            rest = after.strip_prefix(b"\n")?;
            Some(contents.to_vec())
        });
        contents.collect::<Option<_>>().ok_or(UNREADABLE)
    }

    /// Stores contents unconverted.
    pub(crate) fn write_blobs(
        &self,
        contents: &[&[u8]],
        deadline: Instant,
    ) -> Result<Vec<String>, VcsError> {
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
        let output = String::from_utf8_lossy(&call.output(deadline)?).into_owned();
        let hashes: Vec<String> = output.lines().map(str::to_owned).collect();
        let unreadable = VcsError::Unreadable { command: "hash-object" };
        if hashes.len() == contents.len() { Ok(hashes) } else { Err(unreadable) }
    }
}

const UNREADABLE: VcsError = VcsError::Unreadable { command: "cat-file" };

fn lines<'a>(ids: impl Iterator<Item = &'a BlobId>) -> String {
    ids.map(|id| format!("{}\n", id.as_str())).collect()
}

/// Splits into runs that fit into one batch.
fn batches(wanted: &[(&BlobId, u64)]) -> Vec<Range<usize>> {
    let (mut batches, mut start, mut sum) = (Vec::new(), 0, 0);
    for (at, (_, bytes)) in wanted.iter().enumerate() {
        if at > start && sum + bytes > LARGEST_BATCH {
            batches.push(start..at);
            (start, sum) = (at, 0);
        }
        sum += bytes;
    }
    if start < wanted.len() {
        batches.push(start..wanted.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Entry;

    #[test]
    fn batches_respect_the_output_limit() {
        let entry = Entry::new("100644", "abc").unwrap();
        let id = entry.blob().unwrap();
        let of = |sizes: &[u64]| {
            let wanted: Vec<_> = sizes.iter().map(|bytes| (id, *bytes)).collect();
            batches(&wanted)
        };
        assert_eq!(of(&[]), []);
        assert_eq!(of(&[LARGEST_BATCH, 1, 2]), [0..1, 1..3]);
        assert_eq!(of(&[LARGEST_BATCH, 1, LARGEST_BATCH - 1, 1]), [0..1, 1..3, 3..4]);
    }
}
