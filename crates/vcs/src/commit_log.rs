//! Lists commits with their subjects.

use std::time::Instant;

use crate::git_call::GitCall;
use crate::path_text::{os_string, to_bytes};
use crate::{CommitId, Result, WorkTree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedCommit {
    pub id: CommitId,
    pub subject: String,
}

/// Which commits are listed. Paths are relative to the root of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changing<'p> {
    Path(&'p str),
    /// Anything outside this folder.
    NotOnly(&'p str),
}

impl WorkTree {
    /// The newest `most` commits in `to` and not in `from`, newest first, without merges.
    pub fn commits_between(
        &self,
        (from, to): (Option<&CommitId>, &CommitId),
        changing: Changing<'_>,
        most: usize,
        deadline: Instant,
    ) -> Result<Vec<LoggedCommit>> {
        let range = from.map_or_else(|| to.to_string(), |from| format!("{from}..{to}"));
        let most = format!("--max-count={most}");
        let args = ["-z", "--format=%H %s", "--no-show-signature", "--no-merges", &most, &range];
        let (magic, path) = match changing {
            Changing::Path(path) => (":(top,literal)", path),
            Changing::NotOnly(folder) => (":(top,exclude,literal)", folder),
        };
        let spec = os_string(&[magic.as_bytes(), &*to_bytes(path)].concat());
        let all = matches!(changing, Changing::NotOnly(_)).then_some(":(top)");
        let call = GitCall::read(self, "log").args(args).args(["--"]).args(all).args([spec]);
        let text = call.text(deadline)?;
        let commits = text.split('\0').filter_map(|line| {
            let (id, subject) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            Some(LoggedCommit { id: CommitId::new(id).ok()?, subject: subject.to_owned() })
        });
        Ok(commits.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn commits_of_a_path_are_listed_newest_first() {
        let dir = tempfile::tempdir().unwrap();
        test_repo::init(dir.path());
        let commit = |name: &str, text: &str| {
            let file = dir.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
            CommitId::new(&test_repo::commit_all(dir.path())).unwrap()
        };
        let ids = [("s/*", "1"), ("s/b", "1"), ("s/*", "2")].map(|(name, text)| commit(name, text));
        std::fs::create_dir_all(dir.path().join("s")).unwrap();
        let tree = WorkTree::open(&dir.path().join("s")).unwrap();
        let listed = |from, changing, most| {
            let deadline = Instant::now() + Duration::from_secs(60);
            let found = tree.commits_between((from, &ids[2]), changing, most, deadline).unwrap();
            found.into_iter().map(|commit| commit.id).collect::<Vec<_>>()
        };
        let [first, second, third] = &ids;
        assert_eq!(listed(None, Changing::Path("s/*"), 9), [third.clone(), first.clone()]);
        assert_eq!(listed(Some(first), Changing::NotOnly("x"), 9), [third.clone(), second.clone()]);
        assert_eq!(listed(None, Changing::NotOnly("x"), 1), std::slice::from_ref(third));
        assert_eq!(listed(None, Changing::NotOnly("s/b"), 9), [third.clone(), first.clone()]);
        assert_eq!(listed(None, Changing::Path("absent"), 9), []);
    }
}
