//! What nothing can bring back, found after everything else is as it was.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use crate::git_call::{GitCall, names};
use crate::index::ScratchIndex;
use crate::inventory::{Found, LossyPlaces, is_lossy};
use crate::stamp::Stamp;
use crate::target::Target;
use crate::{Left, VcsError, WhyLeft, WorkTree};

impl WorkTree {
    pub(crate) fn not_as_before(
        &self,
        target: &Target<'_>,
        found: &[Found],
        deadline: Instant,
    ) -> Result<BTreeSet<Left>, VcsError> {
        let mut left = BTreeSet::new();
        let lossy = LossyPlaces::of(found);
        for (name, stamp) in &target.to.ignored.files {
            let own = self.top.join(name);
            let places = if is_lossy(name) { lossy.of_name(name) } else { &[own.as_path()] };
            if places.iter().any(|place| is_as_before(place, stamp)) {
                continue;
            }
            let is_gone = places.iter().all(|place| Stamp::of(place).is_none());
            let (path, why) = match is_gone {
                true => (self.topmost_gone(name), WhyLeft::Gone),
                false => (name.clone(), WhyLeft::Changed),
            };
            left.insert(Left { path: self.prefix.relative(path.as_bytes()), why });
        }
        for name in self.moved_submodules(target, deadline)? {
            let path = self.prefix.relative(&name);
            left.insert(Left { path, why: WhyLeft::Submodule });
        }
        Ok(left)
    }

    /// The name itself, or the whole folder that is gone with it.
    fn topmost_gone(&self, name: &str) -> String {
        if is_lossy(name) {
            return name.to_owned();
        }
        let mut above = name.match_indices('/').map(|(slash, _)| slash);
        let gone = above.find(|slash| !self.top.join(&name[..*slash]).is_dir());
        gone.map_or_else(|| name.to_owned(), |slash| name[..=slash].to_owned())
    }

    fn moved_submodules(
        &self,
        target: &Target<'_>,
        deadline: Instant,
    ) -> Result<Vec<Vec<u8>>, VcsError> {
        if target.known.submodules.is_empty() {
            return Ok(Vec::new());
        }
        let scratch = ScratchIndex::holding(self, &target.files_at, deadline)?;
        let args = ["--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", "--"];
        let call = GitCall::read(self, "diff-files").env("GIT_LITERAL_PATHSPECS", "1");
        let call = call.args(args).args(&target.known.submodules);
        Ok(names(&scratch.apply(call).output(deadline)?))
    }
}

fn is_as_before(place: &Path, stamp: &Stamp) -> bool {
    match stamp {
        Stamp::Repository => is_repository(place),
        Stamp::Closed => place.is_dir(),
        _ => Stamp::of(place).is_some_and(|now| now.looks() == stamp.looks()),
    }
}

pub(crate) fn is_repository(place: &Path) -> bool {
    let is_git = place.file_name().is_some_and(|name| name == ".git");
    is_git && place.is_dir() || fs::symlink_metadata(place.join(".git")).is_ok()
}
