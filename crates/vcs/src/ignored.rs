//! Determines which paths git ignores.

use std::collections::{BTreeSet, HashSet};
use std::time::Instant;

use crate::git_call::{GitCall, zero_ended};
use crate::repo_path::{OnDisk, RepoPath};
use crate::{VcsError, WorkTree};

impl WorkTree {
    /// The ignored ones among `paths`. Tracked files and contents of nested repositories are never
    /// ignored.
    pub fn ignores<S: AsRef<str>>(
        &self,
        paths: &[S],
        deadline: Instant,
    ) -> Result<Vec<String>, VcsError> {
        let mut asked = Vec::new();
        for path in self.locate(paths)? {
            if self.look(&path)? != OnDisk::InsideRepository && self.obstacle(&path)?.is_none() {
                asked.push(path);
            }
        }
        let ignored = self.ignored(&asked, deadline)?;
        let is_ignored =
            |path: &&str| self.prefix.locate(path).is_some_and(|path| ignored.contains(&path));
        Ok(paths.iter().map(AsRef::as_ref).filter(is_ignored).map(str::to_owned).collect())
    }

    /// No path may be in another repository or behind a symbolic link: git would fail for all of
    /// them.
    pub(crate) fn ignored(
        &self,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<HashSet<RepoPath>, VcsError> {
        let mut ignored = self.ignored_by_name(paths, deadline)?;
        if !ignored.is_empty() {
            let indexed = self.indexed(deadline)?;
            ignored.retain(|path| !is_tracked(path, &indexed));
        }
        Ok(ignored)
    }

    /// Like `ignored`, but also for tracked paths.
    pub(crate) fn ignored_by_name(
        &self,
        paths: &[RepoPath],
        deadline: Instant,
    ) -> Result<HashSet<RepoPath>, VcsError> {
        if paths.is_empty() {
            return Ok(HashSet::new());
        }
        // git reads these as pathspecs, which cannot be switched off. A leading `./` disables
        // pathspec magic.
        let asked: Vec<RepoPath> =
            paths.iter().map(|path| RepoPath(format!("./{}", path.0))).collect();
        let call = GitCall::read(self, "check-ignore").args(["--no-index", "-z", "--stdin"]);
        let call = call.input(&zero_ended(&asked))?;
        let Some(printed) = call.output_if_yes(deadline)? else {
            return Ok(HashSet::new());
        };
        let names = printed.split(|byte| *byte == 0).filter_map(|name| name.strip_prefix(b"./"));
        Ok(names.map(RepoPath::new).collect())
    }
}

/// The path itself or something in it.
fn is_tracked(path: &RepoPath, indexed: &BTreeSet<RepoPath>) -> bool {
    let first_inside = indexed.range(path.inside()..).next();
    indexed.contains(path) || first_inside.is_some_and(|found| path.holds(found))
}
