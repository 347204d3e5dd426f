//! What changed between two commits, in the words of the files themselves.

use std::ffi::OsString;
use std::time::Instant;

use bounded_read::StreamError;

use crate::git_call::GitCall;
use crate::path_text::os_string;
use crate::{CommitId, VcsError, WorkTree};

/// However git is set up, and whatever the project's attributes ask for: no program but git itself runs.
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

/// As `git diff --numstat -z` prints it, with paths from the top of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffText {
    /// The patch follows.
    Whole(Vec<u8>),
    /// The patch is larger than it may be.
    CountsOnly(Vec<u8>),
}

impl WorkTree {
    /// Without what is in the paths of `without`, which are relative to the project. Of a patch that has
    /// more than `limit` bytes there are only the counts.
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
