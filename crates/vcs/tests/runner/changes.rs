//! Differences of two commits, and contents of many files.

use vcs::{BlobContents, BlobId, ChangedPath, CommitId, VcsError};

use crate::repository::{ODD_NAMES, Repository, soon};

fn changes(repository: &Repository, from: &CommitId) -> Vec<ChangedPath> {
    repository.tree().changes_between(from, &repository.head(), soon()).unwrap()
}

/// `letter path`, with the old path of a rename.
fn shown(changes: &[ChangedPath]) -> Vec<String> {
    let shown = changes.iter().map(|changed| match (&changed.old_path, &changed.sides) {
        (None, [None, Some(_)]) => format!("A {}", changed.path),
        (None, [Some(_), None]) => format!("D {}", changed.path),
        (None, [Some(_), Some(_)]) => format!("M {}", changed.path),
        (Some(from), [Some(_), Some(_)]) => format!("R {from} {}", changed.path),
        _ => unreachable!("{changed:?}"),
    });
    shown.collect()
}

#[test]
fn every_kind_of_change_is_listed_once() {
    let repository = Repository::new();
    for name in ["gone", "same"] {
        repository.write(name, name);
    }
    repository.write("old", &"a line of some length\n".repeat(20));
    let before = repository.commit_all();
    repository.remove("gone");
    repository.write("README", "changed");
    repository.write("new", "x");
    std::fs::rename(repository.at("old"), repository.at("renamed")).unwrap();
    repository.commit_all();
    // A repository setting must not hide the old name.
    repository.git(&["config", "diff.renames", "false"]);
    assert_eq!(
        shown(&changes(&repository, &before)),
        ["M README", "D gone", "A new", "R old renamed"]
    );
}

#[test]
fn odd_names_are_unchanged() {
    let repository = Repository::new();
    let before = repository.head();
    for name in ODD_NAMES {
        repository.write(name, name);
    }
    repository.commit_all();
    let mut names: Vec<String> =
        changes(&repository, &before).into_iter().map(|changed| changed.path).collect();
    names.sort();
    let mut expected = ODD_NAMES.map(str::to_owned);
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn paths_are_relative_to_the_project_even_outside() {
    let repository = Repository::new();
    repository.write("apps/web/a", "x");
    let before = repository.commit_all();
    repository.write("apps/web/b", "b");
    repository.write("libs/c", "c");
    repository.commit_all();
    let tree = repository.tree_in("apps/web");
    let found = tree.changes_between(&before, &repository.head(), soon()).unwrap();
    assert_eq!(shown(&found), ["A b", "A ../../libs/c"]);
    assert_eq!(tree.tracked(soon()).unwrap(), ["../../README", "a", "b", "../../libs/c"]);
}

#[test]
fn changes_are_looked_for_by_patterns() {
    let repository = Repository::new();
    repository.write("apps/web/old.ts", "x");
    let before = repository.commit_all();
    repository.remove("apps/web/old.ts");
    repository.write("apps/web/src/page.ts", "y");
    repository.write("apps/web/README.md", "z");
    repository.write("apps/[a-z]eb/README.md", "z");
    repository.commit_all();
    let ends = [&before, &repository.head()];
    let is_found = |folder: &str, patterns: &[&str]| {
        let tree = if folder.is_empty() { repository.tree() } else { repository.tree_in(folder) };
        let patterns: Vec<String> = patterns.iter().map(|it| (*it).to_owned()).collect();
        tree.has_changes_in(&patterns, ends, soon()).unwrap()
    };
    for patterns in [
        &["apps/web/**"][..],
        &["apps/web/"],
        &["apps"],
        &["**/*.ts"],
        &["apps/web/old.ts"],
        &["docs/**", "**/README.md"],
        &["!apps/api/**"],
    ] {
        assert!(is_found("", patterns), "{patterns:?}");
    }
    for patterns in [
        &["apps/api/**"][..],
        &["*.ts"],
        &["web/**"],
        &["**", "!apps/**"],
        &[":(top)apps"],
        &["apps/web/old"],
    ] {
        assert!(!is_found("", patterns), "{patterns:?}");
    }
    assert!(is_found("apps/web", &["src/**"]));
    assert!(!is_found("apps/web", &["apps/**"]));
    assert!(!is_found("apps/[a-z]eb", &["src/**"]));
}

#[cfg(unix)]
#[test]
fn modes_and_links_are_distinguished() {
    use vcs::EntryMode;
    let repository = Repository::new();
    repository.write("run", "x");
    let before = repository.commit_all();
    repository.script("run", "true");
    std::os::unix::fs::symlink("README", repository.at("link")).unwrap();
    repository.commit_all();
    let found = changes(&repository, &before);
    let [None, Some(link)] = &found[0].sides else { unreachable!("{found:?}") };
    assert_eq!(link.mode, EntryMode::Link);
    let [Some(was), Some(now)] = &found[1].sides else { unreachable!("{found:?}") };
    assert_eq!((was.mode, now.mode), (EntryMode::File, EntryMode::Executable));
}

#[test]
fn a_missing_commit_is_an_error() {
    let repository = Repository::new();
    let unknown = CommitId::new(&"0".repeat(40)).unwrap();
    let refused = repository.tree().changes_between(&unknown, &repository.head(), soon());
    assert!(matches!(refused, Err(VcsError::Failed { .. })), "{refused:?}");
}

fn new_blobs(repository: &Repository, from: &CommitId) -> Vec<BlobId> {
    let entries = changes(repository, from).into_iter().map(|changed| match changed.sides {
        [None, Some(entry)] => entry,
        other => unreachable!("{other:?}"),
    });
    entries.map(|entry| entry.blob().unwrap().clone()).collect()
}

#[test]
fn contents_are_in_order_and_large_ones_are_reported() {
    let repository = Repository::new();
    let before = repository.head();
    repository.write("a", "");
    repository.write("b", "1234567890123456");
    repository.write("c", "123456789012345");
    repository.write("d", "line\nblob 3\n\0.\n");
    repository.commit_all();
    let ids = new_blobs(&repository, &before);
    let contents = repository.tree().blobs(&ids, 15, soon()).unwrap();
    let read = |text: &str| BlobContents::Read(text.as_bytes().to_vec());
    let too_large = BlobContents::TooLarge { bytes: 16 };
    let read_two = [read("123456789012345"), read("line\nblob 3\n\0.\n")];
    assert_eq!(contents, [&[read(""), too_large][..], &read_two].concat());
    let twice = [ids[2].clone(), ids[2].clone()];
    assert_eq!(repository.tree().blobs(&twice, 15, soon()).unwrap().len(), 2);
    assert_eq!(repository.tree().blobs(&[], 15, soon()).unwrap(), []);
}

#[test]
fn missing_contents_are_an_error() {
    let repository = Repository::new();
    let before = repository.head();
    repository.write("a", "only here");
    repository.commit_all();
    let ids = new_blobs(&repository, &before);
    let id = ids[0].to_string();
    let (folder, file) = id.split_at(2);
    repository.remove(&format!(".git/objects/{folder}/{file}"));
    let refused = repository.tree().blobs(&ids, 100, soon());
    assert!(matches!(refused, Err(VcsError::Unreadable { .. })), "{refused:?}");
}
