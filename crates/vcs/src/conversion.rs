//! Files that are not the bytes of their object because the project has git convert them: line endings,
//! filters such as LFS, encodings. Attributes and filters are guarded, so what git says of them is the user's.

use std::path::PathBuf;
use std::time::Instant;

use crate::git_call::{GitCall, zero_ended};
use crate::object_name::ObjectName;
use crate::path_text::os_string;
use crate::proofs::Proofs;
use crate::proven_file::ProvenFile;
use crate::repo_path::RepoPath;
use crate::{CommitId, VcsError, WorkTree};

/// What is read of a file to compare it; one that is larger counts as changed.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A file with other bytes than its object.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// From the top of the work tree.
    pub(crate) path: Vec<u8>,
    pub(crate) place: PathBuf,
    pub(crate) id: String,
    /// What is remembered if the conversion accounts for it.
    pub(crate) proven: ProvenFile,
}

impl WorkTree {
    /// The candidates that no conversion of the project accounts for.
    pub(crate) fn unconverted(
        &self,
        proofs: &mut Proofs,
        commit: &CommitId,
        candidates: Vec<Candidate>,
        deadline: Instant,
    ) -> Result<Vec<Vec<u8>>, VcsError> {
        let mut unlike = Vec::new();
        let mut accepted = Vec::new();
        let mut unsure = Vec::new();
        for (candidate, is_clean) in self.cleaned(candidates, deadline)? {
            match is_clean {
                false => unlike.push(candidate.path),
                true if has_other_line_ends_only(&candidate) => accepted.push(candidate),
                true => unsure.push(candidate),
            }
        }
        for (candidate, has_filter) in self.filtered(unsure, deadline)? {
            // A filter is the user's own, and may drop what it likes. What git converts by itself it
            // converts back to the same bytes.
            if has_filter || self.is_checked_out(commit, &candidate, deadline)? {
                accepted.push(candidate);
            } else {
                unlike.push(candidate.path);
            }
        }
        let known = accepted.into_iter().map(|candidate| (candidate.path, candidate.proven));
        proofs.files.extend(known);
        Ok(unlike)
    }

    /// With whether git would commit each as the object that it has.
    fn cleaned(
        &self,
        candidates: Vec<Candidate>,
        deadline: Instant,
    ) -> Result<Vec<(Candidate, bool)>, VcsError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let lines: Vec<u8> =
            candidates.iter().flat_map(|candidate| quoted_line(&candidate.path)).collect();
        let call = GitCall::read(self, "hash-object").args(["--stdin-paths"]).input(&lines)?;
        // Where a filter fails, the rest is not answered.
        let printed = call.answer(deadline)?.printed;
        let printed = String::from_utf8_lossy(&printed);
        let mut names = printed.lines();
        let judged = candidates.into_iter().map(|candidate| {
            let is_clean = names.next() == Some(candidate.id.as_str());
            (candidate, is_clean)
        });
        Ok(judged.collect())
    }

    /// With whether a filter of the project's attributes applies to each.
    fn filtered(
        &self,
        candidates: Vec<Candidate>,
        deadline: Instant,
    ) -> Result<Vec<(Candidate, bool)>, VcsError> {
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<RepoPath> =
            candidates.iter().map(|candidate| RepoPath::new(&candidate.path)).collect();
        let call = GitCall::read(self, "check-attr").args(["-z", "--stdin", "filter"]);
        let output = call.input(&zero_ended(&names))?.output(deadline)?;
        // A path, the attribute, its value.
        let words: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let values = words.chunks_exact(3).map(|words| words[2]);
        let is_set = |value: &[u8]| !matches!(value, b"unspecified" | b"unset" | b"");
        Ok(candidates.into_iter().zip(values.map(is_set)).collect())
    }

    fn is_checked_out(
        &self,
        commit: &CommitId,
        candidate: &Candidate,
        deadline: Instant,
    ) -> Result<bool, VcsError> {
        let object = os_string(&[commit.as_str().as_bytes(), b":", &candidate.path].concat());
        let call = GitCall::read(self, "cat-file").args(["--filters"]).args([object]);
        let answer = call.answer(deadline)?;
        let on_disk = bounded_read::read_file(&candidate.place, LARGEST);
        Ok(answer.status.success() && on_disk.is_ok_and(|bytes| bytes == answer.printed))
    }
}

/// git takes one name a line, and a name in quotation marks for another one.
fn quoted_line(path: &[u8]) -> Vec<u8> {
    let escaped = path.iter().flat_map(|byte| match byte {
        b'\n' => b"\\n".to_vec(),
        b'"' | b'\\' => vec![b'\\', *byte],
        byte => vec![*byte],
    });
    [b'"'].into_iter().chain(escaped).chain(*b"\"\n").collect()
}

/// Every line ends with a carriage return, as git checks it out. Where only some do, somebody chose which.
fn has_other_line_ends_only(candidate: &Candidate) -> bool {
    let Ok(bytes) = bounded_read::read_file(&candidate.place, LARGEST) else { return false };
    let mut unix = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        let ends_line = *byte == b'\r' && bytes.get(at + 1) == Some(&b'\n');
        let is_bare =
            *byte == b'\n' && at.checked_sub(1).map(|before| bytes[before]) != Some(b'\r');
        if is_bare {
            return false;
        }
        if !ends_line {
            unix.push(*byte);
        }
    }
    ObjectName::of_blob(&unix, &candidate.id).as_deref() == Some(&candidate.id)
}
