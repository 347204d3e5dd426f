//! Files that git was told not to look at, so that its status says nothing about them.

use std::time::Instant;

use crate::git_call::{GitCall, zero_ended};
use crate::{VcsError, WorkTree};

impl WorkTree {
    /// Tracked files, named from the top of the work tree, of which git believes its index and not
    /// the disk: `assume-unchanged` or `skip-worktree` is set for them.
    pub fn unwatched(&self, deadline: Instant) -> Result<Vec<String>, VcsError> {
        let call = GitCall::read(&self.top, "ls-files").args(["-v", "-z"]);
        let output = call.output(deadline)?;
        let entries = output.split(|byte| *byte == 0);
        let unwatched = entries.filter_map(|entry| match entry {
            [letter, b' ', path @ ..] if *letter == b'S' || letter.is_ascii_lowercase() => {
                Some(String::from_utf8_lossy(path).into_owned())
            }
            _ => None,
        });
        Ok(unwatched.collect())
    }

    /// Lets git look at these again.
    pub fn watch<S: AsRef<str>>(&self, paths: &[S], deadline: Instant) -> Result<(), VcsError> {
        let names = zero_ended(paths.iter().map(AsRef::as_ref));
        // git heeds only one of the two at a time.
        for flag in ["--no-assume-unchanged", "--no-skip-worktree"] {
            let call = || {
                GitCall::write(&self.top, "update-index")
                    .args([flag, "-z", "--stdin"])
                    .input(&names)
            };
            self.change_index(deadline, call)?.well("update-index")?;
        }
        Ok(())
    }
}
