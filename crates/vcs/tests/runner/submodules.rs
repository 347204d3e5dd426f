//! Stories that change submodules.

use vcs::{CommitId, CommitRange, EntryMode, MergeResult};

use crate::repository::{Repository, soon};

#[track_caller]
fn without(repository: &Repository, from: &CommitId, to: &CommitId) -> CommitId {
    let ranges = [CommitRange { from: from.clone(), to: to.clone() }];
    let tree = repository.tree();
    let head = repository.head();
    let found = tree.tree_without(&head, &ranges, &[], &[], soon()).unwrap();
    let MergeResult::Clean(id) = found else { unreachable!("{found:?}") };
    tree.commit_tree(&id, &[&head], "without", soon()).unwrap()
}

fn adopt(repository: &Repository, commit: &CommitId) -> Vec<String> {
    repository.tree().adopt::<&str>(commit, &[], soon()).unwrap()
}

/// Creates a commit in the submodule and returns its hash.
fn advance(repository: &Repository, text: &str) -> String {
    repository.write("sub/inner", text);
    test_repo::commit_all(&repository.at("sub"))
}

fn at(repository: &Repository, commit: &CommitId) -> String {
    repository.git(&["rev-parse", &format!("{commit}:sub")])
}

#[test]
fn an_added_one_is_removed_and_its_files_stay() {
    let repository = Repository::new();
    let start = repository.head();
    let _source = repository.add_submodule("sub");
    let end = repository.commit_all();
    repository.commit_file("theirs", "x");
    let changes = repository.tree().changes_between(&start, &end, soon()).unwrap();
    let added = changes.iter().find(|changed| changed.path == "sub").unwrap();
    let [None, Some(entry)] = &added.sides else { unreachable!("{added:?}") };
    assert_eq!(entry.mode, EntryMode::Submodule);
    let made = without(&repository, &start, &end);
    assert_eq!(repository.names(made.as_str()), ["README", "theirs"]);
    assert_eq!(adopt(&repository, &made), ["sub"]);
    assert_eq!(repository.read("sub/inner"), "one");
    assert!(!repository.at(".gitmodules").exists());
    assert_eq!(repository.status(), ["?? sub/"]);
}

#[test]
fn a_removed_one_is_restored_as_an_empty_folder() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    let start = repository.commit_all();
    repository.git(&["rm", "-q", "sub"]);
    let end = repository.commit_all();
    assert!(!repository.at("sub").exists());
    repository.commit_file("theirs", "x");
    let made = without(&repository, &start, &end);
    assert_eq!(at(&repository, &made), at(&repository, &start));
    assert_eq!(adopt(&repository, &made), [""; 0]);
    assert_eq!(std::fs::read_dir(repository.at("sub")).unwrap().count(), 0);
    assert_eq!(repository.status(), [""; 0]);
    assert_eq!(adopt(&repository, &end), [""; 0]);
    assert!(!repository.at("sub").exists());
}

#[test]
fn a_moved_one_is_reported_and_shown_as_changed() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    let start = repository.commit_all();
    let moved = advance(&repository, "two");
    let end = repository.commit_all();
    repository.write("sub/dirty", "x");
    repository.commit_file("theirs", "x");
    let made = without(&repository, &start, &end);
    assert_eq!(at(&repository, &made), at(&repository, &start));
    assert_eq!(adopt(&repository, &made), ["sub"]);
    assert_eq!(repository.status(), [" M sub"]);
    assert_eq!(test_repo::git(&repository.at("sub"), &["rev-parse", "HEAD"]), moved);
    assert_eq!(repository.read("sub/dirty"), "x");
}

#[test]
fn one_that_moved_again_later_is_a_conflict() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    let start = repository.commit_all();
    advance(&repository, "two");
    let end = repository.commit_all();
    advance(&repository, "three");
    let head = repository.commit_all();
    let ranges = [CommitRange { from: start.clone(), to: end }];
    let tree = repository.tree();
    let found = tree.tree_without(&head, &ranges, &[], &[], soon()).unwrap();
    let MergeResult::Conflict(conflict) = found else { unreachable!("{found:?}") };
    assert_eq!(conflict.paths, vec!["sub".to_owned()]);
    let stay = ["sub".to_owned()];
    let found = tree.tree_without(&head, &ranges, &stay, &[], soon()).unwrap();
    let MergeResult::Clean(id) = found else { unreachable!("{found:?}") };
    assert_eq!(repository.git(&["rev-parse", &format!("{id}:sub")]), at(&repository, &head));
}

#[test]
fn a_file_in_its_place_is_replaced_only_without_loss() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    let start = repository.commit_all();
    repository.git(&["rm", "-q", "sub"]);
    repository.write("sub", "a file");
    let end = repository.commit_all();
    assert_eq!(adopt(&repository, &start), [""; 0]);
    assert_eq!(std::fs::read_dir(repository.at("sub")).unwrap().count(), 0);
    assert_eq!(adopt(&repository, &end), [""; 0]);
    assert_eq!(repository.read("sub"), "a file");
    adopt(&repository, &start);
    let update = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"];
    repository.git(&update);
    assert_eq!(adopt(&repository, &end), ["sub"]);
    assert_eq!(repository.read("sub/inner"), "one");
}
