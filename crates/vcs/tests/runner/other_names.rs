//! Names that are not UTF-8, in cases that the list of odd names does not cover.

use std::fs;

use vcs::{CommitRange, MergeResult, Proofs, Unproven, WorkTree};

use crate::repository::{Repository, soon};
use crate::roll_back::{checkpoint, nothing, roll_back, undoes};

/// Two names that would be equal if each invalid byte became the same character.
const ONE: &str = "caf\\351";
const OTHER: &str = "caf\\347";

fn shown(left: &[vcs::NotRestored]) -> Vec<String> {
    left.iter().map(ToString::to_string).collect()
}

#[test]
fn new_ones_are_removed_and_old_ones_stay() {
    let repository = Repository::new();
    repository.write(ONE, "tracked");
    repository.commit_all();
    repository.write("mine-\\377", "not committed");
    let rolled = undoes(&repository, || {
        repository.write(ONE, "changed");
        repository.write(OTHER, "new");
        repository.write("folder-\\377/new", "new");
        repository.remove("mine-\\377");
    });
    assert_eq!(rolled.removed, [OTHER, "folder-\\377/"]);
    assert_eq!(rolled.restored, [ONE, "mine-\\377"]);
}

#[test]
fn ignored_ones_are_moved_back_or_reported() {
    let repository = Repository::new();
    repository.write(".gitignore", "*-*\n");
    repository.commit_all();
    for name in ["gone-\\377", "changed-\\377", "moved-\\377", "stays-\\377"] {
        repository.write(name, name);
    }
    fs::create_dir(repository.at("empty-\\377")).unwrap();
    let to = checkpoint(&repository);
    repository.remove("gone-\\377");
    repository.write("changed-\\377", "another size");
    fs::rename(repository.at("moved-\\377"), repository.at("elsewhere")).unwrap();
    fs::remove_dir(repository.at("empty-\\377")).unwrap();
    let rolled = roll_back(&repository, &to);
    let expected = [
        "changed-\\377 (not tracked by git and changed)",
        "gone-\\377 (not tracked by git and missing)",
    ];
    assert_eq!(shown(&rolled.left), expected);
    assert_eq!(repository.read("moved-\\377"), "moved-\\377");
    assert!(repository.at("empty-\\377").is_dir());
}

#[test]
fn their_bytes_are_proved() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.crlf eol=crlf\n");
    repository.write(ONE, "one");
    repository.write("lines-\\377.crlf", "one\r\n");
    repository.write("folder-\\377/x", "x");
    let head = repository.commit_all();
    let mut proofs = Proofs::default();
    let mut unproven =
        || repository.tree().unproven_files(&mut proofs, &head, &nothing, soon()).unwrap();
    assert_eq!(unproven(), Unproven::default());
    for name in [ONE, "lines-\\377.crlf", "folder-\\377/x"] {
        let before = repository.read(name);
        repository.write(name, "two");
        assert_eq!(unproven().files, [name]);
        repository.write(name, &before);
    }
    assert_eq!(unproven(), Unproven::default());
}

/// Encodings are compared with the bytes that git would check out.
#[test]
fn a_converted_one_is_compared_with_its_checkout() {
    let repository = Repository::new();
    repository.write(".gitattributes", "enc* working-tree-encoding=UTF-16LE-BOM\n");
    let text: Vec<u8> = "\u{feff}text\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(repository.at("enc-\\377"), text).unwrap();
    let head = repository.commit_all();
    let tree = repository.tree();
    let unproven =
        || tree.unproven_files(&mut Proofs::default(), &head, &nothing, soon()).unwrap().files;
    assert_eq!(unproven(), [""; 0]);
    repository.write("enc-\\377", "other\n");
    assert_eq!(unproven(), ["enc-\\377"]);
}

#[test]
fn their_flags_can_be_cleared() {
    let repository = Repository::new();
    repository.write(ONE, "one");
    repository.write(OTHER, "other");
    repository.commit_all();
    let mark = "alias.mark=!printf 'caf\\351' | git update-index -z --skip-worktree --stdin";
    repository.git(&["-c", mark, "mark"]);
    let tree = repository.tree();
    assert_eq!(tree.unwatched(soon()).unwrap(), [ONE]);
    repository.write(ONE, "hidden");
    tree.watch(&[ONE], soon()).unwrap();
    assert_eq!(tree.unwatched(soon()).unwrap(), [""; 0]);
    assert_eq!(repository.state().dirty[0].path, ONE);
}

#[test]
fn their_changes_can_be_reverted_and_excluded_from_a_diff() {
    let repository = Repository::new();
    repository.write(ONE, "before");
    let from = repository.commit_all();
    repository.write(ONE, "work");
    repository.write(OTHER, "work");
    let to = repository.commit_all();
    let range = [CommitRange { from: from.clone(), to: to.clone() }];
    let tree = repository.tree();
    let listed = |stay: &[String], files: &[(String, Vec<u8>)]| match tree
        .tree_without(&to, &range, stay, files, soon())
        .unwrap()
    {
        MergeResult::Clean(tree) => repository.listed(tree.as_str()),
        conflict @ MergeResult::Conflict(_) => format!("{conflict:?}"),
    };
    assert_eq!(listed(&[], &[]), repository.listed(from.as_str()));
    let stays = [ONE, OTHER].map(str::to_owned);
    assert_eq!(listed(&stays, &[]), repository.listed(to.as_str()));
    let file = (ONE.to_owned(), b"work".to_vec());
    let kept = listed(&stays[1..], std::slice::from_ref(&file));
    assert_eq!(kept, repository.listed(to.as_str()));
    let diff = tree.diff_between((&from, &to), &[ONE], 10_000, soon()).unwrap();
    let vcs::DiffText::Whole(diff) = diff else { panic!("{diff:?}") };
    let holds = |name: &[u8]| diff.windows(name.len()).any(|part| part == name);
    assert!(holds(b"caf\xe7") && !holds(b"caf\xe9"), "{}", diff.escape_ascii());
}

#[test]
fn a_project_in_such_a_folder_has_its_own_paths() {
    let repository = Repository::new();
    repository.write("folder-\\377/a", "x");
    let before = repository.commit_all();
    let tree = repository.tree_in("folder-\\377");
    assert_eq!(tree.tracked(soon()).unwrap(), ["../README", "a"]);
    repository.write("folder-\\377/a", "changed");
    repository.write("folder-\\377/b", "new");
    tree.commit_paths(&["a", "b"], "work", soon()).unwrap().unwrap();
    assert_eq!(repository.status(), [""; 0]);
    tree.restore_paths(&before, &["a", "b", "../README"], soon()).unwrap();
    assert_eq!(repository.read("folder-\\377/a"), "x");
    assert!(!repository.at("folder-\\377/b").exists());
}

#[test]
fn a_repository_and_its_linked_work_tree_can_lie_in_such_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let [main, linked] =
        ["main-\\377", "linked-\\377"].map(|name| vcs::on_disk(folder.path(), name));
    fs::create_dir(&main).unwrap();
    test_repo::init(&main);
    test_repo::commit_all(&main);
    let add = "alias.link=!git worktree add -q \"$(printf '../linked-\\377')\"";
    test_repo::git(&main, &["-c", add, "link"]);
    for place in [&main, &linked] {
        let tree = WorkTree::open(place).unwrap();
        assert_eq!(tree.git_dirs()[1], main.canonicalize().unwrap().join(".git"));
        assert!(tree.state(soon()).unwrap().head.is_some());
    }
}

#[test]
fn a_submodule_of_such_a_name_is_proved_and_restored() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.git(&["-c", "alias.m=!git mv sub \"$(printf 'sub-\\377')\"", "m"]);
    let head = repository.commit_all();
    let tree = repository.tree();
    let mut proofs = Proofs::default();
    let mut inside =
        || tree.unproven_files(&mut proofs, &head, &nothing, soon()).unwrap().in_submodules;
    assert_eq!(inside(), [""; 0]);
    repository.write("sub-\\377/inner", "two");
    assert_eq!(inside(), ["sub-\\377/inner"]);
    repository.write("sub-\\377/inner", "one");
    let to = checkpoint(&repository);
    test_repo::commit_all(&repository.at("sub-\\377"));
    let rolled = roll_back(&repository, &to);
    assert_eq!(shown(&rolled.left), ["sub-\\377 (a submodule at another commit)"]);
}

#[test]
fn branches_of_such_names_are_distinguished_and_moved() {
    let repository = Repository::new();
    for name in ["caf\\351", "caf\\347", "work/\\377"] {
        repository.git(&["-c", &format!("alias.b=!git branch \"$(printf '{name}')\""), "b"]);
    }
    let tree = repository.tree();
    let named: Vec<String> = tree.branches_and_tags(soon()).unwrap().into_keys().collect();
    let expected = ["caf\\347", "caf\\351", "main", "work/\\377"];
    assert_eq!(named, expected.map(|name| format!("refs/heads/{name}")));
    assert_eq!(tree.free_branch_name("work", "aside", soon()).unwrap(), ["work/\\377"]);
    assert_eq!(tree.branches_and_tags(soon()).unwrap().len(), 3);
    let kept = repository.git(&["for-each-ref", "--format=%(objectname)", "refs/ralph/aside/"]);
    assert_eq!(kept, repository.head().as_str());
    repository.git(&["-c", "alias.s=!git switch -q \"$(printf 'caf\\351')\"", "s"]);
    assert_eq!(repository.state().branch.as_deref(), Some("caf\\351"));
}
