//! Restoring index and history while files stay.

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
fn a_nested_repository_is_removed_from_the_index() {
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

#[test]
fn commits_are_abandoned_and_their_files_stay_on_disk() {
    let repository = Repository::new();
    repository.write("kept", "x");
    let before = repository.commit_all();
    repository.git(&["checkout", "-q", "-b", "run"]);
    repository.write("README", "changed");
    repository.write("new", "x");
    repository.remove("kept");
    repository.commit_all();
    let other = repository.git(&["rev-parse", "main"]);
    // Index and HEAD may be in any state.
    repository.git(&["checkout", "-q", "--detach"]);
    repository.write(".git/index", "nonsense");
    let tree = repository.tree();
    tree.abandon_commits("run", &before, soon()).unwrap();
    assert_eq!(repository.head(), before);
    assert_eq!(repository.git(&["symbolic-ref", "HEAD"]), "refs/heads/run");
    assert_eq!(repository.git(&["rev-parse", "main"]), other);
    assert_eq!(repository.status(), [" M README", " D kept", "?? new"]);
    assert_eq!(repository.read("README"), "changed");
    assert!(tree.abandon_commits("../run", &before, soon()).is_err());
}

/// git does not write an object whose file exists, whatever its content.
#[test]
fn without_a_forged_object_the_right_content_can_be_stored_again() {
    let repository = Repository::new();
    let loose = |name: &str| repository.at(".git/objects").join(&name[..2]).join(&name[2..]);
    let store = |text: &str| {
        repository.write("text", text);
        repository.git(&["hash-object", "-w", "text"])
    };
    let (good, fake) = (store("good"), store("fake"));
    std::fs::remove_file(loose(&good)).unwrap();
    std::fs::copy(loose(&fake), loose(&good)).unwrap();
    assert_eq!(store("good"), good);
    let shown = || repository.git(&["cat-file", "blob", &good]);
    assert_eq!(shown(), "fake", "git does not look twice");
    let bad = vcs::BadObject { name: good.clone(), fault: vcs::ObjectFault::Forged };
    let tree = repository.tree();
    tree.remove_loose_object(&bad).unwrap();
    assert!(!loose(&good).exists());
    assert_eq!(store("good"), good);
    assert_eq!(shown(), "good");
    for name in ["", "x", "ü", &"0".repeat(40)] {
        let bad = vcs::BadObject { name: name.into(), ..bad.clone() };
        tree.remove_loose_object(&bad).unwrap();
    }
}
