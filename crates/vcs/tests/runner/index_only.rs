//! Index and history put right while files stay.

use vcs::BranchPrepared;

use crate::repository::{Repository, soon};

#[test]
fn paths_are_committed_as_they_were_and_the_files_stay() {
    let repository = Repository::new();
    repository.write("mine", "committed");
    repository.write("other", "x");
    let before = repository.commit_all();
    repository.write("mine", "in work");
    repository.write("new", "in work");
    repository.remove("other");
    repository.commit_all();
    repository.write("mine", "further");
    repository.write("staged", "x");
    repository.git(&["add", "staged"]);
    let tree = repository.tree();
    let paths = ["mine", "new", "other"];
    let made = tree.commit_as_in(&before, &paths, "left out", soon()).unwrap();
    assert_eq!(made, Some(repository.head()));
    assert_eq!(repository.git(&["diff", "--name-only", before.as_str(), "HEAD"]), "");
    assert_eq!(repository.status(), [" M mine", " D other", "A  staged", "?? new"]);
    assert_eq!(repository.read("mine"), "further");
    assert_eq!(tree.commit_as_in(&before, &paths, "again", soon()).unwrap(), None);
    assert_eq!(tree.commit_as_in::<&str>(&before, &[], "nothing", soon()).unwrap(), None);
}

#[test]
fn a_file_and_a_folder_of_the_same_name_change_places() {
    let repository = Repository::new();
    repository.write("a", "file");
    repository.write("b/c", "x");
    let before = repository.commit_all();
    repository.remove("a");
    repository.write("a/x", "x");
    repository.git(&["rm", "-rq", "b"]);
    repository.write("b", "file");
    repository.commit_all();
    let paths = ["a", "a/x", "b", "b/c"];
    repository.tree().commit_as_in(&before, &paths, "back", soon()).unwrap();
    assert_eq!(repository.git(&["diff", "--name-only", before.as_str(), "HEAD"]), "");
    assert_eq!(repository.git(&["diff", "--cached", "--name-only"]), "");
}

#[test]
fn a_repository_within_the_project_is_taken_out_of_the_index() {
    let repository = Repository::new();
    let before = repository.head();
    repository.git(&["init", "-q", "sub"]);
    repository.git(&["-C", "sub", "commit", "-q", "--allow-empty", "-m", "x"]);
    repository.git(&["add", "sub"]);
    repository.tree().reset_index(&before, &["sub"], soon()).unwrap();
    assert_eq!(repository.status(), ["?? sub/"]);
}

#[test]
fn head_names_a_branch_without_touching_anything() {
    let repository = Repository::new();
    let tree = repository.tree();
    repository.git(&["branch", "work"]);
    repository.write("README", "changed");
    tree.name_branch("work", soon()).unwrap();
    assert_eq!(tree.prepare_branch("work", soon()).unwrap(), BranchPrepared::AlreadyThere);
    assert_eq!(repository.status(), [" M README"]);
    assert!(tree.name_branch("../x", soon()).is_err());
}
