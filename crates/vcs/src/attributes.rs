//! Finds changes of `.gitattributes` that affect conversion. They can make the file on disk differ
//! from the committed content, and two commits check out an equal file differently.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::git_call::GitCall;
use crate::index::Index;
use crate::proofs::Proofs;
use crate::repo_path::RepoPath;
use crate::tree_walk::Difference;
use crate::{BlobContents, BlobId, CommitId, Result, WorkTree};

/// Attributes that affect what a checkout writes, with conversions that git may not revert without
/// loss. The filter comes first.
pub(crate) const CONVERTING: [&str; 6] =
    ["filter", "text", "eol", "crlf", "ident", "working-tree-encoding"];

const LARGEST: u64 = 16 * 1024 * 1024;

pub(crate) fn is_attributes(path: &RepoPath) -> bool {
    path.0.rsplit('/').next() == Some(".gitattributes")
}

impl WorkTree {
    /// Paths of `.gitattributes` files whose conversions differ between `from` and `to`.
    pub fn changed_conversions(
        &self,
        proofs: &mut Proofs,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let mut changed = Vec::new();
        for (path, ids) in self.proven_differences(proofs, [from, to], deadline)? {
            if !is_attributes(&RepoPath::new(&path)) {
                continue;
            }
            let [was, now] =
                ids.map(|entry| self.attributes_in(entry.map(|entry| entry.id), deadline));
            if conversions(&was?) != conversions(&now?) {
                changed.push(self.prefix.relative(&path));
            }
        }
        Ok(changed)
    }

    /// Every path that differs between two commits. Reads only objects that were verified.
    pub fn paths_changed(
        &self,
        proofs: &mut Proofs,
        from: &CommitId,
        to: &CommitId,
        deadline: Instant,
    ) -> Result<Vec<String>> {
        let changed = self.proven_differences(proofs, [from, to], deadline)?;
        Ok(changed.keys().map(|path| self.prefix.relative(path)).collect())
    }

    /// Files that match `was` and would count as changed under the attributes of `now`. Empty for a
    /// git that reads attributes from disk only.
    pub(crate) fn written_otherwise(
        &self,
        was: &CommitId,
        now: &CommitId,
        differences: &BTreeMap<RepoPath, Difference>,
        deadline: Instant,
    ) -> Result<Vec<RepoPath>> {
        if !differences.keys().any(is_attributes) {
            return Ok(Vec::new());
        }
        let before = self.changed_by_attributes_of(was, deadline)?;
        let after = self.changed_by_attributes_of(now, deadline)?;
        let is_new = |path: &&RepoPath| !before.contains(path) && !differences.contains_key(path);
        Ok(after.iter().filter(is_new).cloned().collect())
    }

    /// The stat data in the index was recorded with other attributes, so all files are read again.
    fn changed_by_attributes_of(
        &self,
        commit: &CommitId,
        deadline: Instant,
    ) -> Result<BTreeSet<RepoPath>> {
        let index = Index::with(self, Some(commit.as_str()), deadline)?;
        let apply = |call: GitCall| index.apply(call).env("GIT_ATTR_SOURCE", commit.as_str());
        // Exit code 1 means that some files changed.
        let refresh = GitCall::write(self, "update-index").args(["-q", "--refresh"]);
        apply(refresh).answer(deadline)?;
        let args = ["--name-only", "-z", "--ignore-submodules=all"];
        apply(GitCall::read(self, "diff-files").args(args)).names(deadline)
    }

    /// An oversized file counts as one without conversions.
    fn attributes_in(&self, id: Option<BlobId>, deadline: Instant) -> Result<String> {
        let Some(id) = id else { return Ok(String::new()) };
        let read = self.blobs(&[id], LARGEST, deadline)?;
        Ok(match read.into_iter().next() {
            Some(BlobContents::Read(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => "* filter".to_owned(),
        })
    }
}

/// The lines that convert, or that use a macro attribute.
fn conversions(text: &str) -> Vec<&str> {
    let groups: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("[attr]")?.split(' ').next())
        .collect();
    let converts = |line: &&str| {
        let words = line.split_ascii_whitespace().skip(1);
        let mut names = words.map(|word| {
            let word = word.trim_start_matches(['-', '!']);
            word.split_once('=').map_or(word, |(name, _)| name)
        });
        line.starts_with("[attr]")
            || names.any(|name| CONVERTING.contains(&name) || groups.contains(name))
    };
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).filter(converts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_converting_lines_count() {
        let text = "# eol=lf\n* text=auto\n*.png binary\n*.sh eol=lf\n\"a b\" filter=lfs\n\
                    *.c ident\n*.d -filter\n*.e !eol\n*.f linguist-generated diff=rust\n\
                    check.sh working-tree-encoding=UTF-7\n";
        let expected = [
            "* text=auto",
            "*.sh eol=lf",
            "\"a b\" filter=lfs",
            "*.c ident",
            "*.d -filter",
            "*.e !eol",
            "check.sh working-tree-encoding=UTF-7",
        ];
        assert_eq!(conversions(text), expected);
    }

    #[test]
    fn macro_attributes_count_wherever_they_are_used() {
        let text = "[attr]odd working-tree-encoding=UTF-7\n*.sh odd\n*.rs diff\n";
        assert_eq!(conversions(text), ["[attr]odd working-tree-encoding=UTF-7", "*.sh odd"]);
    }
}
