//! The text of a diff between two commits.

use vcs::{CommitId, DiffText};

use crate::repository::{Repository, soon};

const LIMIT: usize = 100_000;

fn diff(repository: &Repository, from: &CommitId, without: &[&str], limit: usize) -> DiffText {
    let to = repository.head();
    repository.tree().diff_between((from, &to), without, limit, soon()).unwrap()
}

fn whole(diff: DiffText) -> String {
    match diff {
        DiffText::Whole(printed) => String::from_utf8_lossy(&printed).into_owned(),
        DiffText::CountsOnly(_) => unreachable!("it fits"),
    }
}

#[test]
fn counts_come_first_then_the_patch_with_names_as_they_are() {
    let repository = Repository::new();
    repository.write("old name", &"a line of some length\n".repeat(20));
    let before = repository.commit_all();
    std::fs::rename(repository.at("old name"), repository.at("né \"w\"")).unwrap();
    repository.write("README", "changed\n");
    repository.commit_all();
    let printed = whole(diff(&repository, &before, &[], LIMIT));
    assert!(
        printed.starts_with("1\t1\tREADME\x000\t0\t\0old name\0né \"w\"\0\0diff --git "),
        "{printed:?}"
    );
    assert!(printed.contains("+++ b/README\n@@ -1 +1 @@\n-hello\n"), "{printed}");
}

#[test]
fn excluded_paths_are_missing() {
    let repository = Repository::new();
    let before = repository.head();
    for name in ["ralph/tasks.json", "ralph*", "src/ralph/x"] {
        repository.write(name, "x\n");
    }
    repository.commit_all();
    let printed = whole(diff(&repository, &before, &["ralph/"], LIMIT));
    assert!(printed.contains("b/src/ralph/x\n") && printed.contains("b/ralph*\n"), "{printed}");
    assert!(!printed.contains("tasks.json"), "{printed}");
}

#[test]
fn a_large_diff_has_only_counts() {
    let repository = Repository::new();
    let before = repository.head();
    repository.write("big", &"line\n".repeat(50_000));
    repository.commit_all();
    let counts = diff(&repository, &before, &[], 1_000);
    assert_eq!(counts, DiffText::CountsOnly(b"50000\t0\tbig\0".to_vec()));
}

#[cfg(unix)]
#[test]
fn no_program_of_the_project_runs() {
    let repository = Repository::new();
    let before = repository.head();
    repository.write("README", "changed\n");
    repository.write(".gitattributes", "* diff=evil\n");
    repository.commit_all();
    let ran = repository.at("ran");
    let program = format!("touch {}; cat", ran.display());
    for key in ["diff.external", "diff.evil.command", "diff.evil.textconv", "core.pager"] {
        repository.git(&["config", key, &program]);
    }
    repository.git(&["config", "diff.noprefix", "true"]);
    repository.git(&["config", "color.ui", "always"]);
    let printed = whole(diff(&repository, &before, &[], LIMIT));
    assert!(!ran.exists());
    assert!(printed.contains("diff --git a/README b/README\n"), "{printed}");
    assert!(!printed.contains('\x1b'), "{printed:?}");
}

#[test]
fn a_missing_commit_is_an_error() {
    let repository = Repository::new();
    let gone = CommitId::new(&"1".repeat(40)).unwrap();
    let to = repository.head();
    let error = repository.tree().diff_between((&gone, &to), &[""; 0], LIMIT, soon()).unwrap_err();
    assert!(error.to_string().contains("bad object"), "{error}");
}
