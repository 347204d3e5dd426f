//! The files of a commit without the changes of a story.

use vcs::{CommitId, CommitRange, MergeConflict, MergeResult};

use crate::repository::{Repository, soon};

fn range(from: &CommitId, to: &CommitId) -> CommitRange {
    CommitRange { from: from.clone(), to: to.clone() }
}

/// The tree of HEAD without the ranges.
#[track_caller]
fn without(repository: &Repository, ranges: &[CommitRange]) -> String {
    match repository.tree().tree_without(&repository.head(), ranges, &[], &[], soon()) {
        Ok(MergeResult::Clean(tree)) => tree.to_string(),
        other => unreachable!("{other:?}"),
    }
}

fn conflicts(repository: &Repository, ranges: &[CommitRange]) -> Vec<String> {
    match repository.tree().tree_without(&repository.head(), ranges, &[], &[], soon()) {
        Ok(MergeResult::Conflict(MergeConflict { paths, .. })) => paths,
        other => unreachable!("{other:?}"),
    }
}

/// Ten lines; those in `changed` differ.
fn lines(changed: &[usize]) -> String {
    (0..10)
        .map(|at| if changed.contains(&at) { format!("new {at}\n") } else { format!("{at}\n") })
        .collect()
}

#[test]
fn without_the_only_work_the_old_files_remain() {
    let repository = Repository::new();
    let start = repository.head();
    repository.commit_file("story", "x");
    let end = repository.commit_file("README", "changed");
    let tree = without(&repository, &[range(&start, &end)]);
    assert_eq!(tree, repository.git(&["rev-parse", &format!("{start}^{{tree}}")]));
    let nothing = without(&repository, &[]);
    assert_eq!(nothing, repository.git(&["rev-parse", "HEAD^{tree}"]));
}

#[test]
fn interleaved_ranges_are_reverted_and_other_work_stays() {
    let repository = Repository::new();
    repository.write("both", &lines(&[]));
    let start = repository.commit_all();
    repository.write("both", &lines(&[0]));
    repository.write("story", "one");
    let pause = repository.commit_all();
    repository.write("both", &lines(&[0, 5]));
    repository.write("theirs", "x");
    let again = repository.commit_all();
    repository.write("both", &lines(&[0, 1, 5]));
    repository.write("story", "two");
    let end = repository.commit_all();
    repository.write("both", &lines(&[0, 1, 5, 9]));
    repository.commit_all();
    let status = repository.status();
    let tree = without(&repository, &[range(&start, &pause), range(&again, &end)]);
    assert_eq!(repository.names(&tree), ["README", "both", "theirs"]);
    assert_eq!(repository.shown(&tree, "both"), lines(&[5, 9]).trim_end());
    assert_eq!(repository.status(), status);
}

#[test]
fn later_changes_of_the_same_lines_are_a_conflict() {
    let repository = Repository::new();
    let start = repository.head();
    repository.write("README", "story");
    repository.write("app/new", "story\n");
    repository.write("fine", "story");
    let end = repository.commit_all();
    repository.write("README", "somebody else");
    repository.write("app/new", "story\nand more\n");
    repository.commit_all();
    let ranges = [range(&start, &end)];
    assert_eq!(conflicts(&repository, &ranges), ["README", "app/new"]);
    let tree = repository.tree_in("app");
    let found = tree.tree_without(&repository.head(), &ranges, &[], &[], soon()).unwrap();
    let paths = vec!["../README".to_owned(), "new".to_owned()];
    let MergeResult::Conflict(conflict) = found else { unreachable!("{found:?}") };
    assert_eq!(conflict.paths, paths);
}

#[test]
fn kept_paths_and_given_files_never_conflict() {
    let repository = Repository::new();
    repository.write("ralph/tasks.json", "open");
    let start = repository.commit_all();
    for name in ["ralph/tasks.json", "ralph/new/x", "story", "README"] {
        repository.write(name, "story");
    }
    let end = repository.commit_all();
    for name in ["ralph/tasks.json", "README"] {
        repository.write(name, "later");
    }
    let head = repository.commit_all();
    let stay = ["ralph/".to_owned(), "absent".to_owned()];
    let files = [
        ("README".to_owned(), b"given".to_vec()),
        ("untracked".to_owned(), b"given".to_vec()),
        ("ralph/tasks.json".to_owned(), b"both stays and given".to_vec()),
    ];
    let ranges = [range(&start, &end)];
    let found = repository.tree().tree_without(&head, &ranges, &stay, &files, soon()).unwrap();
    let MergeResult::Clean(tree) = found else { unreachable!("{found:?}") };
    let tree = tree.as_str();
    assert_eq!(repository.names(tree), ["README", "ralph/new/x", "ralph/tasks.json"]);
    assert_eq!(repository.shown(tree, "README"), "given");
    assert_eq!(repository.shown(tree, "ralph/tasks.json"), "both stays and given");
}

/// Its source path stays unchanged, so it is not moved back.
#[test]
fn a_file_moved_out_of_a_kept_path_is_not_lost() {
    let repository = Repository::new();
    repository.write("stays/a", &lines(&[]));
    let start = repository.commit_all();
    repository.git(&["mv", "stays/a", "moved"]);
    let end = repository.commit_all();
    repository.write("moved", &lines(&[3]));
    let head = repository.commit_all();
    let (stay, ranges) = (["stays/".to_owned()], [range(&start, &end)]);
    let found = repository.tree().tree_without(&head, &ranges, &stay, &[], soon()).unwrap();
    let MergeResult::Conflict(conflict) = found else { unreachable!("{found:?}") };
    assert_eq!(conflict.paths, vec!["moved".to_owned()]);
}

#[test]
fn a_removed_file_is_restored_unless_its_path_is_kept() {
    let repository = Repository::new();
    repository.write("kept/away", "x");
    repository.write("back", "x");
    let start = repository.commit_all();
    repository.git(&["rm", "-q", "-r", "kept", "back"]);
    let end = repository.commit_all();
    let stay = ["kept/".to_owned()];
    let ranges = [range(&start, &end)];
    let found = repository.tree().tree_without(&end, &ranges, &stay, &[], soon()).unwrap();
    let MergeResult::Clean(tree) = found else { unreachable!("{found:?}") };
    assert_eq!(repository.names(tree.as_str()), ["README", "back"]);
}

#[test]
fn a_rename_is_reverted_with_later_changes_kept() {
    let repository = Repository::new();
    repository.write("old/a", &lines(&[]));
    let start = repository.commit_all();
    repository.git(&["mv", "old", "new"]);
    let end = repository.commit_all();
    repository.write("new/a", &lines(&[3]));
    repository.write("new/theirs", "x");
    repository.commit_all();
    let tree = without(&repository, &[range(&start, &end)]);
    assert_eq!(repository.names(&tree), ["README", "new/theirs", "old/a"]);
    assert_eq!(repository.shown(&tree, "old/a"), lines(&[3]).trim_end());
}

#[test]
fn a_range_with_a_merge_is_reverted_completely() {
    let repository = Repository::with_disagreement();
    let start = repository.head();
    repository.git(&["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    let end = repository.commit_file("story", "x");
    repository.commit_file("theirs", "x");
    let tree = without(&repository, &[range(&start, &end)]);
    assert_eq!(repository.names(&tree), ["README", "theirs"]);
    assert_eq!(repository.shown(&tree, "README"), "ours");
}

#[cfg(unix)]
#[test]
fn modes_links_and_binary_files_are_reverted() {
    let repository = Repository::new();
    std::os::unix::fs::symlink("README", repository.at("link")).unwrap();
    repository.write("binary", "a\0b");
    let start = repository.commit_all();
    repository.remove("link");
    repository.write("link", "a file");
    repository.write("binary", "c\0d");
    repository.script("README", "x");
    let end = repository.commit_all();
    repository.commit_file("theirs", "x");
    let tree = without(&repository, &[range(&start, &end)]);
    let own = repository.listed(&tree).replace("theirs", "");
    for line in repository.listed(start.as_str()).lines() {
        assert!(own.contains(line), "{line}: {own}");
    }
    repository.write("binary", "e\0f");
    repository.commit_all();
    assert_eq!(conflicts(&repository, &[range(&start, &end)]), ["binary"]);
}

#[test]
fn a_folder_in_place_of_a_file_is_reverted() {
    let repository = Repository::new();
    repository.write("a", "file");
    let start = repository.commit_all();
    repository.remove("a");
    let end = repository.commit_file("a/b", "story");
    repository.git(&["add", "-A"]);
    repository.commit_file("theirs", "x");
    let tree = without(&repository, &[range(&start, &end)]);
    assert_eq!(repository.names(&tree), ["README", "a", "theirs"]);
    repository.commit_file("a/theirs", "x");
    assert_eq!(conflicts(&repository, &[range(&start, &end)]), ["a"]);
}
