//! The complete sequence of giving up a story: its work moves to another branch, and the run's
//! branch continues without it.

use vcs::{CommitId, CommitRange, MergeResult, NewBranch, WorkTree};

use crate::repository::{Repository, soon};

const BRANCH: &str = "wip/failed-US-1";

/// The steps of the runner; each can be repeated.
fn given_up(tree: &WorkTree, ranges: &[CommitRange], keep: &[&str]) -> (CommitId, Vec<String>) {
    let head = tree.head(soon()).unwrap().unwrap();
    tree.backup_ref("run/US-1", &head, soon()).unwrap();
    let why = [("why.md".to_owned(), b"it failed".to_vec())];
    let tree_of_branch =
        tree.tree_plus(tree.tree_id(&head, soon()).unwrap(), &why, soon()).unwrap();
    let kept = tree.commit_tree(&tree_of_branch, &[&head], "US-1 failed", soon()).unwrap();
    assert_eq!(tree.create_branch(BRANCH, &kept, soon()).unwrap(), NewBranch::Created);
    let whole = CommitRange { from: ranges[0].from.clone(), to: head.clone() };
    let found = tree.tree_without(&head, ranges, &[], &[], soon()).unwrap();
    let MergeResult::Clean(without) = found else { unreachable!("{found:?}") };
    let is_alone = tree.consists_of(&whole, ranges, soon()).unwrap()
        && !tree.is_in_other_refs(&whole, &["main", BRANCH], soon()).unwrap();
    let parent = if is_alone { &whole.from } else { &head };
    let made = tree.commit_tree(&without, &[parent], "without US-1", soon()).unwrap();
    let left = tree.adopt(&made, keep, soon()).unwrap();
    (made, left)
}

fn range(from: &CommitId, to: &CommitId) -> CommitRange {
    CommitRange { from: from.clone(), to: to.clone() }
}

#[test]
fn a_single_story_is_removed_without_trace() {
    let repository = Repository::new();
    repository.write("mine", "x");
    let start = repository.commit_all();
    repository.commit_file("story", "x");
    let end = repository.commit_file("README", "story");
    repository.write("mine", "being edited");
    repository.write("untracked", "x");
    let (_, left) = given_up(&repository.tree(), &[range(&start, &end)], &[]);
    assert_eq!(left, [""; 0]);
    assert_eq!(repository.git(&["rev-parse", "HEAD^"]), start.as_str());
    assert_eq!(repository.git(&["diff", "--name-only", "HEAD", start.as_str()]), "");
    assert_eq!(repository.status(), [" M mine", "?? untracked"]);
    assert_eq!(repository.names(BRANCH), ["README", "mine", "story", "why.md"]);
    assert_eq!(repository.git(&["rev-parse", &format!("{BRANCH}^")]), end.as_str());
}

#[test]
fn interleaved_commits_of_others_stay() {
    let repository = Repository::new();
    let start = repository.head();
    let pause = repository.commit_file("story", "one");
    let theirs = repository.commit_file("theirs", "x");
    let end = repository.commit_file("story", "two");
    let ranges = [range(&start, &pause), range(&theirs, &end)];
    let (made, left) = given_up(&repository.tree(), &ranges, &[]);
    assert_eq!(left, [""; 0]);
    assert_eq!(repository.git(&["rev-parse", "HEAD^"]), end.as_str());
    assert_eq!(repository.names(made.as_str()), ["README", "theirs"]);
    assert_eq!(repository.status(), [""; 0]);
}

#[test]
fn published_commits_are_reverted_on_top() {
    let repository = Repository::new();
    let start = repository.head();
    let first = repository.commit_file("story", "one");
    let end = repository.commit_file("story", "two");
    repository.git(&["update-ref", "refs/remotes/origin/main", first.as_str()]);
    given_up(&repository.tree(), &[range(&start, &end)], &[]);
    assert_eq!(repository.git(&["rev-parse", "HEAD^"]), end.as_str());
    assert_eq!(repository.names("HEAD"), ["README"]);
}

#[test]
fn a_failure_on_top_of_a_merge_keeps_the_merge() {
    let repository = Repository::with_disagreement();
    repository.git(&["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    let start = repository.head();
    let end = repository.commit_file("README", "story");
    given_up(&repository.tree(), &[range(&start, &end)], &[]);
    assert_eq!(repository.git(&["rev-parse", "HEAD^"]), start.as_str());
    assert_eq!(repository.read("README"), "ours");
}

#[test]
fn a_project_in_a_folder_with_a_dirty_file_of_the_story() {
    let repository = Repository::new();
    repository.write("apps/web/a", "x");
    let start = repository.commit_all();
    repository.write("apps/web/a", "story");
    repository.write("apps/web/new", "story");
    let end = repository.commit_all();
    repository.write("apps/web/a", "mine");
    let tree = repository.tree_in("apps/web");
    let (_, left) = given_up(&tree, &[range(&start, &end)], &["a"]);
    assert_eq!(left, [""; 0]);
    assert_eq!(repository.status(), [" M apps/web/a"]);
    assert_eq!(repository.read("apps/web/a"), "mine");
    assert_eq!(repository.shown(BRANCH, "apps/web/why.md"), "it failed");
}

/// SHA-256 hashes are longer.
#[test]
fn a_repository_with_other_hashes() {
    let dir = tempfile::tempdir().unwrap();
    test_repo::git(dir.path(), &["init", "-q", "-b", "main", "--object-format=sha256"]);
    let commit = |name: &str| {
        std::fs::write(dir.path().join(name), name).unwrap();
        CommitId::new(&test_repo::commit_all(dir.path())).unwrap()
    };
    let (start, end) = (commit("first"), commit("story"));
    commit("theirs");
    given_up(&WorkTree::open(dir.path()).unwrap(), &[range(&start, &end)], &[]);
    let names = test_repo::git(dir.path(), &["ls-tree", "--name-only", "HEAD"]);
    assert_eq!(names, "first\ntheirs");
    assert_eq!(test_repo::git(dir.path(), &["status", "--porcelain"]), "");
}
