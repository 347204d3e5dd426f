//! Comparing files on disk with the commit by their bytes, regardless of index, settings and
//! attributes.

use std::fs;
use std::time::Duration;

use vcs::{Proofs, Unproven};

use crate::repository::{Repository, soon};

fn unproven(repository: &Repository, proofs: &mut Proofs) -> Unproven {
    let head = repository.head();
    repository.tree().unproven_files(proofs, &head, &|_| false, soon()).unwrap()
}

#[track_caller]
fn files(repository: &Repository, proofs: &mut Proofs) -> Vec<String> {
    let Unproven { files, in_submodules, attributes, repositories } = unproven(repository, proofs);
    assert_eq!([in_submodules, attributes, repositories], [const { Vec::<String>::new() }; 3]);
    files
}

/// Old enough that its times cause no second read.
fn backdate(repository: &Repository, name: &str) {
    let file = fs::File::options().write(true).open(repository.at(name)).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600)).unwrap();
}

#[test]
fn a_work_tree_as_it_was_committed_is_proved() {
    let repository = Repository::new();
    repository.write("a/b/c", "deep");
    repository.write("empty", "");
    repository.commit_all();
    let mut proofs = Proofs::default();
    for _ in 0..3 {
        assert_eq!(unproven(&repository, &mut proofs), Unproven::default());
    }
    repository.write("a/new", "");
    repository.write("a/b/c", "other");
    assert_eq!(files(&repository, &mut proofs), ["a/b/c"], "what is not tracked does not count");
    repository.write("a/b/c", "deep");
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    repository.remove("empty");
    assert_eq!(files(&repository, &mut proofs), ["empty"]);
    repository.commit_all();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
}

#[cfg(unix)]
#[test]
fn converted_files_of_odd_names_are_proved() {
    let repository = Repository::new();
    repository.write(".gitattributes", "* eol=crlf\n");
    for name in crate::repository::ODD_NAMES.into_iter().chain(["\"README\""]) {
        repository.write(name, "lines\r\n");
    }
    repository.commit_all();
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    // git would unquote this name to that of the other file.
    repository.write("README", "lines\r\n");
    repository.write("\"README\"", "other\r\n");
    assert_eq!(files(&repository, &mut proofs), ["\"README\"", "README"]);
}

#[test]
fn skipped_files_are_not_compared() {
    let repository = Repository::new();
    repository.write("README", "other");
    let head = repository.head();
    let skip = |path: &str| path == "README";
    let found = repository.tree().unproven_files(&mut Proofs::default(), &head, &skip, soon());
    assert!(found.unwrap().is_empty());
}

#[test]
fn files_that_differ_from_the_commit_are_found() {
    let repository = Repository::new();
    repository.write("folder/same", "a");
    repository.write("folder/other", "a");
    repository.write("gone", "a");
    repository.commit_all();
    repository.write("folder/other", "b");
    repository.write("new", "a");
    fs::remove_file(repository.at("gone")).unwrap();
    let names = ["README", "folder", "folder/same", "folder/other", "gone", "new", "never"];
    let (names, head) = (names.map(str::to_owned), repository.head());
    let unlike = repository.tree().differing_files(&mut Proofs::default(), &head, &names, soon());
    assert_eq!(unlike.unwrap(), ["folder", "folder/other", "gone", "new", "never"]);
}

#[cfg(unix)]
#[test]
fn the_same_size_and_time_prove_nothing() {
    let repository = Repository::new();
    backdate(&repository, "README");
    let mut proofs = Proofs::default();
    // The change time must be old, too.
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    let time = repository.at("README").metadata().unwrap().modified().unwrap();
    repository.write("README", "jello");
    let file = fs::File::options().write(true).open(repository.at("README")).unwrap();
    file.set_modified(time).unwrap();
    assert_eq!(files(&repository, &mut proofs), ["README"]);
}

#[cfg(unix)]
#[test]
fn modes_links_and_kinds_count() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let repository = Repository::new();
    repository.write("tool", "x");
    repository.write("dir/file", "x");
    symlink("README", repository.at("link")).unwrap();
    repository.commit_all();
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    fs::set_permissions(repository.at("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(files(&repository, &mut proofs), ["tool"]);
    repository.remove("link");
    symlink("elsewhere", repository.at("link")).unwrap();
    assert_eq!(files(&repository, &mut proofs), ["link", "tool"]);
    repository.remove("link");
    repository.write("link", "README");
    assert_eq!(files(&repository, &mut proofs), ["link", "tool"], "the same bytes, and no link");
    fs::rename(repository.at("dir"), repository.at("moved")).unwrap();
    symlink("moved", repository.at("dir")).unwrap();
    assert_eq!(files(&repository, &mut proofs), ["dir/file", "link", "tool"], "behind a link");
}

#[test]
fn line_endings_are_those_of_a_checkout() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.txt text\n*.auto text=auto\n*.bat eol=crlf\n");
    for name in ["a.txt", "a.auto", "a.bat", "b.bat", "raw"] {
        repository.write(name, "one\ntwo\n");
    }
    repository.commit_all();
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    for name in ["a.bat", "b.bat"] {
        repository.write(name, "one\r\ntwo\r\n");
    }
    assert_eq!(files(&repository, &mut proofs), [""; 0], "git writes them so");
    for (ends, why) in [("one\r\ntwo\r\n", "all"), ("one\r\ntwo\n", "some")] {
        for name in ["a.txt", "a.auto", "raw"] {
            repository.write(name, ends);
        }
        assert_eq!(files(&repository, &mut proofs), ["a.auto", "a.txt", "raw"], "{why}");
    }
    repository.write("b.bat", "one\r\ntwo\n");
    assert!(
        files(&repository, &mut proofs).contains(&"b.bat".to_owned()),
        "git writes no such file"
    );
}

#[test]
fn settings_of_the_user_affect_line_endings() {
    let repository = Repository::new();
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.write("a.txt", "one\r\ntwo\r\n");
    repository.commit_all();
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    repository.write("a.txt", "one\r\ntwo\n");
    assert_eq!(files(&repository, &mut proofs), ["a.txt"]);
}

#[test]
fn line_endings_of_the_user_are_accepted_until_they_change() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.txt text\n");
    let mixed = "one\r\ntwo\n";
    for name in ["a.txt", "b.txt", "c.txt"] {
        repository.write(name, mixed);
    }
    repository.write("raw", "one\ntwo\n");
    repository.commit_all();
    repository.write("raw", mixed);
    let (mut proofs, head, tree) = (Proofs::default(), repository.head(), repository.tree());
    let found = tree.users_unproven_files(&mut proofs, &head, soon()).unwrap();
    assert_eq!(found.files, ["raw"], "git would not commit it so");
    assert_eq!(files(&repository, &mut proofs), ["raw"]);
    // The same bytes in another file, other line endings, and another text of equal size and time.
    repository.remove("a.txt");
    repository.write("a.txt", mixed);
    repository.write("b.txt", "one\ntwo\r\n");
    let before = fs::metadata(repository.at("c.txt")).unwrap().modified().unwrap();
    repository.write("c.txt", "one\r\nTWO\n");
    let c = fs::File::options().write(true).open(repository.at("c.txt")).unwrap();
    c.set_modified(before).unwrap();
    assert_eq!(files(&repository, &mut proofs), ["a.txt", "b.txt", "c.txt", "raw"]);
}

/// It was committed before the attributes, and git would commit its checkout differently.
#[test]
fn a_checkout_of_mixed_line_endings_is_proved() {
    let repository = Repository::new();
    repository.write("mixed.bat", "one\r\ntwo\n");
    repository.commit_all();
    repository.write(".gitattributes", "*.bat text eol=crlf\n");
    repository.git(&["add", ".gitattributes"]);
    repository.git(&["commit", "-q", "-m", "attributes"]);
    repository.remove("mixed.bat");
    repository.git(&["checkout", "-q", "mixed.bat"]);
    assert_eq!(repository.read("mixed.bat"), "one\r\ntwo\r\n");
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    repository.write("mixed.bat", "one\r\nTWO\r\n");
    assert_eq!(files(&repository, &mut proofs), ["mixed.bat"]);
    // The object is corrupt, so git's checkout proves nothing.
    repository.write("fake", "one\r\nTWO\n");
    let fake = repository.git(&["hash-object", "-w", "--no-filters", "fake"]);
    let good = repository.git(&["rev-parse", "HEAD:mixed.bat"]);
    let loose = |name: &str| repository.at(".git/objects").join(&name[..2]).join(&name[2..]);
    fs::remove_file(loose(&good)).unwrap();
    fs::copy(loose(&fake), loose(&good)).unwrap();
    assert_eq!(files(&repository, &mut proofs), ["mixed.bat"]);
}

#[cfg(unix)]
#[test]
fn a_filter_of_the_user_may_drop_content() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.nb filter=strip\n");
    repository.git(&["config", "filter.strip.clean", "grep -v output || true"]);
    repository.write("a.nb", "code\noutput 1\n");
    repository.commit_all();
    assert_eq!(repository.git(&["show", "HEAD:a.nb"]), "code");
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    repository.write("a.nb", "code\noutput 2\n");
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    repository.write("a.nb", "other\noutput 2\n");
    assert_eq!(files(&repository, &mut proofs), ["a.nb"]);
}

#[cfg(unix)]
#[test]
fn an_encoding_is_proved_by_what_git_would_write() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.sh working-tree-encoding=UTF-7\nid ident\n");
    repository.write("id", "$Id$\n");
    repository.write("a.sh", "echo +AOk-\n");
    repository.commit_all();
    repository.remove("id");
    repository.remove("a.sh");
    repository.git(&["checkout", "-q", "id", "a.sh"]);
    let mut proofs = Proofs::default();
    assert_eq!(files(&repository, &mut proofs), [""; 0]);
    assert_ne!(repository.read("id"), "$Id$\n", "git wrote another content");
    // The same text in the same encoding, with a redundant notation.
    repository.write("a.sh", "+AGU-cho +AOk-\n");
    repository.write("id", "$Id: anything at all $\n");
    assert_eq!(files(&repository, &mut proofs), ["a.sh", "id"]);
}

#[test]
fn uncommitted_attributes_are_reported() {
    let repository = Repository::new();
    repository.write("sub/file", "x");
    repository.commit_all();
    repository.write(".git/info/exclude", ".gitattributes\n");
    repository.write("sub/.gitattributes", "file filter=x\n");
    repository.write("other/.gitattributes", "file filter=x\n");
    let found = unproven(&repository, &mut Proofs::default());
    assert_eq!(found.attributes, ["sub/.gitattributes"]);
}

#[test]
fn files_in_a_submodule_are_those_of_its_commit() {
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.commit_all();
    let mut proofs = Proofs::default();
    assert_eq!(unproven(&repository, &mut proofs), Unproven::default());
    repository.write("sub/inner", "two");
    assert_eq!(unproven(&repository, &mut proofs).in_submodules, ["sub/inner"]);
    test_repo::commit_all(&repository.at("sub"));
    assert_eq!(unproven(&repository, &mut proofs).in_submodules, ["sub/inner"], "the old commit");
    repository.commit_all();
    assert_eq!(unproven(&repository, &mut proofs), Unproven::default());
    repository.write("sub/.git", "gitdir: /nowhere\n");
    assert_eq!(unproven(&repository, &mut proofs).in_submodules, ["sub"], "no repository");
    fs::remove_dir_all(repository.at("sub")).unwrap();
    fs::create_dir(repository.at("sub")).unwrap();
    assert_eq!(unproven(&repository, &mut proofs).in_submodules, ["sub"], "it was checked out");
    assert_eq!(unproven(&repository, &mut Proofs::default()), Unproven::default());
}

#[test]
fn packed_objects_and_longer_names_are_proved_too() {
    let repository = Repository::new();
    for number in 0..50 {
        repository.write(&format!("dir{}/file{number}", number % 7), &"line\n".repeat(number));
        repository.commit_all();
    }
    repository.git(&["gc", "-q"]);
    assert_eq!(files(&repository, &mut Proofs::default()), [""; 0]);
    repository.write("dir1/file1", "x");
    assert_eq!(files(&repository, &mut Proofs::default()), ["dir1/file1"]);

    let dir = tempfile::tempdir().unwrap();
    test_repo::git(dir.path(), &["init", "-q", "--object-format=sha256"]);
    fs::write(dir.path().join("a"), "x").unwrap();
    let head = vcs::CommitId::new(&test_repo::commit_all(dir.path())).unwrap();
    let tree = vcs::WorkTree::open(dir.path()).unwrap();
    let found = |proofs: &mut Proofs| tree.unproven_files(proofs, &head, &|_| false, soon());
    let mut proofs = Proofs::default();
    assert!(found(&mut proofs).unwrap().is_empty());
    fs::write(dir.path().join("a"), "y").unwrap();
    assert_eq!(found(&mut proofs).unwrap().files, ["a"]);
}

#[test]
fn a_forged_object_is_no_proof() {
    let repository = Repository::new();
    let before = repository.head();
    repository.write("a", "one");
    repository.commit_all();
    let tree_name = repository.git(&["rev-parse", "HEAD^{tree}"]);
    let other = repository.git(&["rev-parse", "HEAD~1^{tree}"]);
    let loose = |name: &str| repository.at(".git/objects").join(&name[..2]).join(&name[2..]);
    fs::remove_file(loose(&tree_name)).unwrap();
    fs::copy(loose(&other), loose(&tree_name)).unwrap();
    let (head, tree) = (repository.head(), repository.tree());
    let bad = tree.prove_objects(&mut Proofs::default(), &before, &head, soon()).unwrap();
    assert_eq!(bad.iter().map(|bad| bad.name.as_str()).collect::<Vec<_>>(), [tree_name.as_str()]);
    let found = tree.unproven_files(&mut Proofs::default(), &head, &|_| false, soon());
    assert!(matches!(found, Err(vcs::VcsError::BadObject { .. })), "{found:?}");
}

#[test]
fn changed_conversions_are_reported() {
    let repository = Repository::new();
    repository.write(".gitattributes", "* text=auto\n");
    repository.write("a/.gitattributes", "*.sh eol=lf\n");
    let from = repository.commit_all();
    let changed = |repository: &Repository| {
        let (head, tree) = (repository.commit_all(), repository.tree());
        tree.changed_conversions(&mut Proofs::default(), &from, &head, soon()).unwrap()
    };
    repository.write(".gitattributes", "* text=auto\n*.png binary\n");
    repository.write("b", "x");
    assert_eq!(changed(&repository), [""; 0]);
    repository.write("b/.gitattributes".replace("b/", "c/").as_str(), "x filter=y\n");
    assert_eq!(changed(&repository), ["c/.gitattributes"]);
    repository.remove("c/.gitattributes");
    repository.git(&["mv", "a/.gitattributes", "moved"]);
    assert_eq!(changed(&repository), ["a/.gitattributes"]);
}
