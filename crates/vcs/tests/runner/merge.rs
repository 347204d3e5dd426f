//! Merges without a work tree, and moving a branch.

use vcs::{Advance, CommitId, MergeConflict, MergeResult, VcsError};

use crate::repository::{Repository, soon};

/// On `main`; the branch `story` has the changes of `theirs`, `main` those of `ours`.
fn diverged(ours: impl Fn(&Repository), theirs: impl Fn(&Repository)) -> Repository {
    diverged_from(&|repository| repository.write("a", "1\n2\n3\n4\n5\n"), ours, theirs)
}

fn diverged_from(
    start: &dyn Fn(&Repository),
    ours: impl Fn(&Repository),
    theirs: impl Fn(&Repository),
) -> Repository {
    let repository = Repository::new();
    start(&repository);
    repository.commit_all();
    repository.git(&["checkout", "-q", "-b", "story"]);
    theirs(&repository);
    repository.commit_all();
    repository.git(&["checkout", "-q", "main"]);
    ours(&repository);
    repository.commit_all();
    repository
}

fn tip(repository: &Repository, branch: &str) -> CommitId {
    repository.tree().branch_tip(branch, soon()).unwrap().unwrap()
}

fn merged(repository: &Repository, stay: &[&str]) -> MergeResult {
    let stay: Vec<String> = stay.iter().map(|path| (*path).to_owned()).collect();
    let (ours, theirs) = (repository.head(), tip(repository, "story"));
    repository.tree().merge_commits(&ours, &theirs, &stay, soon()).unwrap()
}

#[track_caller]
fn clean(repository: &Repository, stay: &[&str]) -> String {
    match merged(repository, stay) {
        MergeResult::Clean(tree) => tree.to_string(),
        MergeResult::Conflict(conflict) => unreachable!("{conflict:?}"),
    }
}

#[track_caller]
fn conflict(repository: &Repository) -> MergeConflict {
    match merged(repository, &[]) {
        MergeResult::Conflict(conflict) => conflict,
        MergeResult::Clean(tree) => unreachable!("{tree}"),
    }
}

fn lines(repository: &Repository, limit: usize) -> String {
    let conflict = conflict(repository);
    let names = ["the run", "the story"];
    repository.tree().conflicting_lines(&conflict, names, limit, soon()).unwrap()
}

#[test]
fn changes_of_both_sides_are_kept_and_nothing_else_moves() {
    let repository = diverged(
        |repository| repository.write("a", "0\n2\n3\n4\n5\n"),
        |repository| {
            repository.write("a", "1\n2\n3\n4\n6\n");
            repository.write("b", "new");
        },
    );
    let head = repository.head();
    let tree = clean(&repository, &[]);
    assert_eq!(repository.shown(&tree, "a"), "0\n2\n3\n4\n6");
    assert_eq!(repository.shown(&tree, "b"), "new");
    assert_eq!(repository.head(), head);
    assert!(repository.status().is_empty());
}

#[test]
fn paths_that_stay_keep_our_state_and_never_conflict() {
    let write = |text: &'static str| {
        move |repository: &Repository| {
            repository.write("ralph/tasks.json", text);
            repository.write("notes", text);
            repository.write(&format!("ralph/{text}"), "x");
        }
    };
    let repository = diverged_from(&write("base"), write("ours"), write("theirs"));
    assert_eq!(conflict(&repository).paths, ["notes", "ralph/tasks.json"]);
    let tree = clean(&repository, &["ralph/", "notes"]);
    assert_eq!(repository.listed(&tree), repository.listed("main"));
}

#[test]
fn a_line_that_both_changed_is_shown_with_both_versions() {
    let repository = diverged(
        |repository| repository.write("a", "1\n2\nours\n4\n5\n"),
        |repository| repository.write("a", "1\n2\ntheirs\n4\n5\n"),
    );
    let found = conflict(&repository);
    assert_eq!(found.paths, ["a"]);
    assert_eq!(found.messages, ["CONFLICT (content): Merge conflict in a"]);
    let hunk = "a:\n<<<<<<< the run\nours\n=======\ntheirs\n>>>>>>> the story\n\n";
    assert_eq!(lines(&repository, 1000), hunk);
    assert_eq!(lines(&repository, hunk.len()), hunk);
    assert_eq!(lines(&repository, hunk.len() - 1), "");
}

#[test]
fn a_rename_is_followed_and_a_mode_is_kept() {
    let repository = diverged(
        |repository| {
            repository.git(&["mv", "a", "moved"]);
        },
        |repository| {
            repository.write("a", "1\n2\n3\n4\nedited\n");
            repository.git(&["update-index", "--chmod=+x", "README"]);
            repository.git(&["commit", "-q", "-m", "mode"]);
            // The test commits everything on disk.
            repository.git(&["config", "core.filemode", "false"]);
        },
    );
    let tree = clean(&repository, &[]);
    assert_eq!(repository.names(&tree), ["README", "moved"]);
    assert_eq!(repository.shown(&tree, "moved"), "1\n2\n3\n4\nedited");
    assert!(repository.listed(&tree).starts_with("100755 "), "{}", repository.listed(&tree));
}

#[test]
fn a_removed_file_that_the_other_side_changed_is_a_conflict() {
    let repository = diverged(
        |repository| repository.remove("a"),
        |repository| repository.write("a", "1\n2\n3\n4\nedited\n"),
    );
    let found = conflict(&repository);
    assert_eq!(found.paths, ["a"]);
    let [message] = &*found.messages else { unreachable!("{found:?}") };
    assert!(message.starts_with("CONFLICT (modify/delete): a deleted in ours"), "{message}");
    assert_eq!(lines(&repository, 1000), "");
}

#[test]
fn a_binary_file_and_a_submodule_conflict_without_lines() {
    let repository = diverged(
        |repository| repository.write("a", "\0ours"),
        |repository| repository.write("a", "\0theirs"),
    );
    assert_eq!(conflict(&repository).paths, ["a"]);
    assert_eq!(lines(&repository, 1000), "");
    let repository = Repository::new();
    let _source = repository.add_submodule("sub");
    repository.commit_all();
    let advance = |text: &str| {
        repository.write("sub/inner", text);
        test_repo::commit_all(&repository.at("sub"));
        repository.commit_all();
    };
    repository.git(&["checkout", "-q", "-b", "story"]);
    advance("theirs");
    repository.git(&["checkout", "-q", "main"]);
    repository.git(&["submodule", "--quiet", "update"]);
    advance("ours");
    assert_eq!(conflict(&repository).paths, ["sub"]);
    assert_eq!(lines(&repository, 1000), "");
}

#[test]
fn without_common_history_nothing_is_merged() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "--orphan", "story"]);
    repository.commit_file("b", "x");
    repository.git(&["checkout", "-q", "main"]);
    let (ours, theirs) = (repository.head(), tip(&repository, "story"));
    let merged = repository.tree().merge_commits(&ours, &theirs, &[], soon());
    assert!(matches!(merged, Err(VcsError::Unrelated { .. })), "{merged:?}");
}

#[test]
fn a_branch_moves_only_from_the_expected_commit_and_never_under_a_work_tree() {
    let repository = Repository::new();
    let first = repository.head();
    repository.git(&["branch", "run"]);
    let second = repository.commit_file("b", "x");
    let advance = |branch: &str, from: &CommitId, to: &CommitId| {
        repository.tree().advance_branch(branch, from, to, "merge US-001", soon()).unwrap()
    };
    assert_eq!(advance("run", &second, &first), Advance::At(Some(first.clone())));
    assert_eq!(advance("absent", &first, &second), Advance::At(None));
    assert_eq!(advance("run", &first, &second), Advance::Moved);
    assert_eq!(tip(&repository, "run"), second);
    assert!(repository.git(&["reflog", "run"]).contains("merge US-001"));
    let Advance::CheckedOut(folder) = advance("main", &second, &first) else { unreachable!() };
    assert_eq!(folder, repository.path().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(tip(&repository, "main"), second);
}
