//! Lists what could not be restored, after a rollback.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::git_call::{GitCall, names};
use crate::index::ScratchIndex;
use crate::path_text::{on_disk, os_string, to_bytes};
use crate::repo_path::RepoPath;
use crate::stamp::Stamp;
use crate::target::Target;
use crate::{NotRestored, NotRestoredReason, VcsError, WorkTree};

impl WorkTree {
    pub(crate) fn unrestored(
        &self,
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<BTreeSet<NotRestored>, VcsError> {
        let mut left = BTreeSet::new();
        for (name, stamp) in &target.to.ignored.files {
            let place = on_disk(&self.top, name);
            if is_as_before(&place, stamp) {
                continue;
            }
            let (path, why) = match Stamp::of(&place) {
                None => (self.topmost_gone(name), NotRestoredReason::Gone),
                Some(_) => (name.clone(), NotRestoredReason::Changed),
            };
            left.insert(NotRestored { path: self.prefix.relative_text(&path), why });
        }
        for path in self.moved_submodules(target, deadline)? {
            let path = self.project_path(&path);
            left.insert(NotRestored { path, why: NotRestoredReason::Submodule });
        }
        Ok(left)
    }

    /// The name, or the topmost missing folder above it.
    fn topmost_gone(&self, name: &str) -> String {
        let mut above = name.match_indices('/').map(|(slash, _)| slash);
        let gone = above.find(|slash| !on_disk(&self.top, &name[..*slash]).is_dir());
        gone.map_or_else(|| name.to_owned(), |slash| name[..=slash].to_owned())
    }

    fn moved_submodules(
        &self,
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<Vec<RepoPath>, VcsError> {
        if target.known.submodules.is_empty() {
            return Ok(Vec::new());
        }
        let scratch = ScratchIndex::holding(self, &target.files_at, deadline)?;
        let args = ["--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", "--"];
        let call = GitCall::read(self, "diff-files").env("GIT_LITERAL_PATHSPECS", "1");
        let submodules = target.known.submodules.iter().map(|name| os_string(&to_bytes(name)));
        let call = call.args(args).args(submodules);
        Ok(names(&scratch.apply(call).output(deadline)?))
    }
}

fn is_as_before(place: &Path, stamp: &Stamp) -> bool {
    match stamp {
        Stamp::Repository => is_repository(place),
        Stamp::Closed => place.is_dir(),
        _ => Stamp::of(place).is_some_and(|now| now.without_inode() == stamp.without_inode()),
    }
}

pub(crate) fn is_repository(place: &Path) -> bool {
    let is_git = place.file_name().is_some_and(|name| name == ".git");
    is_git && place.is_dir() || fs::symlink_metadata(place.join(".git")).is_ok()
}
