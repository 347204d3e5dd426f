//! The text of a diff between two commits.

use std::ffi::OsString;
use std::time::Instant;

use bounded_read::StreamError;

use crate::git_call::GitCall;
use crate::path_text::os_string;
use crate::{CommitId, VcsError, WorkTree};

/// Ignores settings and attributes, so that only git itself runs.
const AS_IT_IS: [&str; 11] = [
    "-r",
    "-z",
    "--numstat",
    "--find-renames",
    "--ignore-submodules=none",
    "--submodule=short",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Starts with the output of `git diff --numstat -z`; paths from the repository root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffText {
    /// Followed by the patch.
    Whole(Vec<u8>),
    /// The patch exceeds the limit.
    CountsOnly(Vec<u8>),
}

impl WorkTree {
    /// Omits the paths `without`, relative to the project. Returns only counts if the patch exceeds
    /// `limit` bytes.
    pub fn diff_between<S: AsRef<str>>(
        &self,
        (from, to): (&CommitId, &CommitId),
        without: &[S],
        limit: usize,
        deadline: Instant,
    ) -> Result<DiffText, VcsError> {
        let left_out: Vec<OsString> = self
            .locate(without)?
            .iter()
            .map(|path| os_string(&[b":(exclude,literal)", &*path.bytes()].concat()))
            .collect();
        let call = |patch: &[&str]| {
            GitCall::read(self, "diff-tree")
                .args(AS_IT_IS)
                .args(patch)
                .args([from.as_str(), to.as_str(), "--", "."])
                .args(&left_out)
        };
        match call(&["--patch", "--unified=3"]).output_within(limit, deadline) {
            Err(VcsError::NoAnswer { error: StreamError::TooLarge { .. }, .. }) => {
                call(&[]).output(deadline).map(DiffText::CountsOnly)
            }
            printed => printed.map(DiffText::Whole),
        }
    }
}
