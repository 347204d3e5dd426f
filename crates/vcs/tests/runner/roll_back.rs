//! Rolling files and folders back to a checkpoint.

use std::fs;

use vcs::{Checkpoint, NotRestored, NotRestoredReason, RolledBack};

use crate::picture::Picture;
use crate::repository::{ODD_NAMES, Repository, soon};

pub(crate) fn nothing(_: &str) -> bool {
    false
}

pub(crate) fn checkpoint(repository: &Repository) -> Checkpoint {
    repository.tree().checkpoint(nothing, soon()).unwrap()
}

pub(crate) fn roll_back(repository: &Repository, to: &Checkpoint) -> RolledBack {
    repository.tree().roll_back_and(vcs::NewIgnored::Removed, "main", to, nothing, soon()).unwrap()
}

/// Reverts whatever `work` does, to the last file, the status and the commit, twice.
#[track_caller]
pub(crate) fn undoes(repository: &Repository, work: impl FnOnce()) -> RolledBack {
    let (before, status) = (Picture::of(repository.path()), repository.status());
    let head = repository.head();
    let to = checkpoint(repository);
    work();
    let rolled = roll_back(repository, &to);
    assert_eq!(before.differences(&Picture::of(repository.path())), [""; 0], "{rolled:?}");
    assert_eq!(repository.status(), status);
    assert_eq!(repository.head(), head);
    assert_eq!(repository.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    let again = roll_back(repository, &to);
    assert_eq!(before.differences(&Picture::of(repository.path())), [""; 0], "{again:?}");
    assert_eq!((repository.status(), again.removed), (status, Vec::new()));
    rolled
}

fn make_folder(repository: &Repository, name: &str) {
    fs::create_dir_all(repository.at(name)).unwrap();
}

#[test]
fn changed_deleted_renamed_and_new_files_are_restored() {
    let repository = Repository::new();
    repository.write("gone", "content");
    repository.write("deep/er/moved", "content");
    repository.commit_all();
    let rolled = undoes(&repository, || {
        repository.write("README", "changed");
        repository.remove("gone");
        fs::rename(repository.at("deep/er/moved"), repository.at("elsewhere")).unwrap();
        fs::remove_dir_all(repository.at("deep")).unwrap();
        repository.write("new/er/file", "x");
    });
    assert_eq!(
        (rolled.removed, rolled.removed_files),
        (vec!["elsewhere".into(), "new/".into()], 2)
    );
    assert_eq!(rolled.restored, ["README", "deep/er/moved", "gone"]);
    assert_eq!(rolled.left, []);
}

#[test]
fn without_changes_nothing_is_restored() {
    let repository = Repository::new();
    assert_eq!(undoes(&repository, || {}), RolledBack::default());
}

#[test]
fn commits_and_staged_files_are_removed() {
    let repository = Repository::new();
    repository.write("kept", "x");
    repository.commit_all();
    let rolled = undoes(&repository, || {
        repository.write("committed", "x");
        repository.write("README", "changed");
        repository.commit_all();
        repository.git(&["rm", "-q", "kept"]);
        repository.write("staged", "x");
        repository.git(&["add", "staged"]);
        repository.write("announced", "x");
        repository.git(&["add", "-N", "announced"]);
    });
    assert_eq!(rolled.removed, ["announced", "committed", "staged"]);
    assert_eq!((rolled.restored, rolled.removed_files), (vec!["README".into(), "kept".into()], 3));
}

#[test]
fn odd_names_are_restored() {
    let repository = Repository::new();
    for name in ODD_NAMES {
        repository.write(&format!("{name}/{name}"), "x");
    }
    repository.commit_all();
    undoes(&repository, || {
        for name in ODD_NAMES {
            repository.write(&format!("{name}/{name}"), "changed");
            repository.write(&format!("{name}/new {name}"), "x");
            repository.write(&format!("other{name}"), "x");
        }
    });
    undoes(&repository, || {
        for name in ODD_NAMES {
            fs::remove_dir_all(repository.at(name)).unwrap();
            repository.write(name, "a file");
        }
        repository.commit_all();
    });
}

#[test]
fn the_longest_paths_are_restored() {
    let repository = Repository::new();
    let deep = vec!["folder"; 100].join("/");
    repository.write(&format!("{deep}/old"), "x");
    repository.commit_all();
    let rolled = undoes(&repository, || {
        repository.write(&format!("{deep}/old"), "changed");
        repository.write(&format!("{deep}/{deep}/new"), "x");
    });
    assert_eq!(rolled.removed, [format!("{deep}/folder/")]);
}

#[test]
fn files_and_folders_that_swapped_are_restored() {
    let repository = Repository::new();
    repository.write("file", "x");
    repository.write("folder/in/it", "x");
    repository.commit_all();
    for commits in [false, true] {
        undoes(&repository, || {
            repository.remove("file");
            repository.write("file/in/it", "x");
            fs::remove_dir_all(repository.at("folder")).unwrap();
            repository.write("folder", "x");
            if commits {
                repository.commit_all();
            }
        });
    }
}

#[test]
fn names_that_differ_in_case_are_restored() {
    let repository = Repository::new();
    repository.write("src/Name", "x");
    repository.commit_all();
    undoes(&repository, || {
        fs::rename(repository.at("src/Name"), repository.at("src/name")).unwrap();
        repository.commit_all();
    });
}

#[test]
fn empty_folders_are_removed_and_restored() {
    let repository = Repository::new();
    make_folder(&repository, "was/empty");
    let rolled = undoes(&repository, || {
        fs::remove_dir_all(repository.at("was")).unwrap();
        make_folder(&repository, "new/and/empty");
    });
    assert_eq!(rolled.removed, ["new/"]);
    undoes(&repository, || {
        fs::remove_dir_all(repository.at("was")).unwrap();
        repository.write("was", "a file");
    });
}

#[cfg(unix)]
#[test]
fn executable_bits_and_links_are_restored() {
    use std::os::unix::fs::symlink;
    let repository = Repository::new();
    repository.script("run", "true");
    repository.write("folder/x", "x");
    for (target, link) in [("README", "to-file"), ("folder", "to-folder"), ("nowhere", "dangling")]
    {
        symlink(target, repository.at(link)).unwrap();
    }
    repository.commit_all();
    undoes(&repository, || {
        change_mode(&repository, "run", 0o644);
        change_mode(&repository, "README", 0o755);
        for link in ["to-file", "to-folder", "dangling"] {
            repository.remove(link);
        }
        repository.write("to-file", "a file");
        repository.write("to-folder/new", "x");
        symlink("README", repository.at("dangling")).unwrap();
        symlink("folder", repository.at("new-link")).unwrap();
        symlink("no/where", repository.at("new-dangling")).unwrap();
    });
}

#[cfg(unix)]
fn change_mode(repository: &Repository, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(repository.at(name), fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn new_links_are_not_followed() {
    let repository = Repository::new();
    repository.write("folder/x", "x");
    repository.commit_all();
    let outside = tempfile::tempdir().unwrap();
    for name in ["x", "other"] {
        fs::write(outside.path().join(name), "precious").unwrap();
    }
    let rolled = undoes(&repository, || {
        fs::remove_dir_all(repository.at("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path(), repository.at("folder")).unwrap();
    });
    assert_eq!(rolled.removed, ["folder"]);
    for name in ["x", "other"] {
        assert_eq!(fs::read_to_string(outside.path().join(name)).unwrap(), "precious");
    }
}

/// It can fail only for a user other than root.
#[cfg(unix)]
#[test]
fn read_only_files_are_removed_and_restored() {
    let repository = Repository::new();
    repository.write("folder/old", "x");
    repository.commit_all();
    let rolled = undoes(&repository, || {
        repository.write("new/in/it", "x");
        repository.write("folder/new", "x");
        repository.write("folder/old", "changed");
        change_mode(&repository, "new/in/it", 0o444);
        change_mode(&repository, "new/in", 0o555);
        change_mode(&repository, "new", 0o500);
        change_mode(&repository, "folder/old", 0o400);
        change_mode(&repository, "folder", 0o555);
        repository.write("unreadable/x", "x");
        change_mode(&repository, "unreadable", 0o000);
    });
    assert_eq!(rolled.removed, ["folder/new", "new/", "unreadable/"]);
    assert_eq!(rolled.left, []);
}

#[cfg(unix)]
#[test]
fn a_new_pipe_is_removed() {
    let repository = Repository::new();
    undoes(&repository, || {
        let _listener = std::os::unix::net::UnixListener::bind(repository.at("socket")).unwrap();
    });
}

#[test]
fn uncommitted_files_are_restored_with_their_staged_state() {
    let repository = Repository::new();
    for name in ["changed", "staged", "both", "deleted", "removed"] {
        repository.write(name, "old");
    }
    repository.commit_all();
    repository.write("changed", "mine");
    repository.write("both", "staged");
    repository.write("staged", "mine");
    repository.write("added", "mine");
    repository.git(&["add", "both", "staged", "added"]);
    repository.write("both", "mine");
    repository.remove("deleted");
    repository.git(&["rm", "-q", "removed"]);
    repository.write("new/untracked", "mine");
    let status = repository.status();
    assert_eq!(status.len(), 7, "{status:?}");
    let staged = repository.git(&["diff", "--cached"]);
    undoes(&repository, || {
        for name in ["changed", "staged", "both", "deleted", "removed", "added", "new/untracked"] {
            repository.write(name, "agent's");
        }
        repository.commit_all();
        repository.write("new/untracked", "again");
        repository.remove("changed");
    });
    assert_eq!(repository.git(&["diff", "--cached"]), staged);
    undoes(&repository, || {
        repository.git(&["reset", "-q", "--hard"]);
        repository.git(&["clean", "-qfd"]);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn it_can_be_repeated_after_any_interruption() {
    let repository = Repository::new();
    repository.write(".gitignore", "build/\n");
    repository.write("src/code", "x");
    repository.commit_all();
    repository.write("build/old", "mine");
    repository.write("src/code", "mine");
    repository.git(&["add", "src/code"]);
    repository.write("README", "mine");
    let (before, status) = (Picture::of(repository.path()), repository.status());
    let to = checkpoint(&repository);
    let mut cut_off = 0;
    for patience in (0..60).step_by(6) {
        repository.git(&["checkout", "-q", "-f", "-B", "agents"]);
        repository.write("build/new", "x");
        repository.write("src/code", "agent's");
        fs::remove_file(repository.at("README")).unwrap();
        repository.write("README/is/a/folder", "x");
        repository.commit_all();
        let deadline = std::time::Instant::now() + std::time::Duration::from_millis(patience);
        cut_off += usize::from(
            repository
                .tree()
                .roll_back_and(vcs::NewIgnored::Removed, "main", &to, nothing, deadline)
                .is_err(),
        );
        repository.tree().remove_abandoned_locks(soon()).unwrap();
        roll_back(&repository, &to);
        assert_eq!(before.differences(&Picture::of(repository.path())), [""; 0], "{patience}");
        assert_eq!(repository.status(), status, "{patience}");
    }
    assert!(cut_off > 0);
}

#[test]
fn excluded_untracked_paths_are_ignored() {
    let repository = Repository::new();
    repository.write(".ralph/tracked", "old");
    repository.commit_all();
    repository.write(".ralph/settings.json", "mine");
    repository.write("other/.ralph-lock", "x");
    let excluded = |path: &str| path.starts_with(".ralph/") || path.ends_with(".ralph-lock");
    let tree = repository.tree();
    let to = tree.checkpoint(excluded, soon()).unwrap();
    repository.write(".ralph/tracked", "changed");
    repository.write(".ralph/settings.json", "edited");
    repository.write(".ralph/runs/1/log", "x");
    repository.write("fresh/.ralph-lock", "x");
    repository.write("fresh/file", "x");
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "everything"]);
    let rolled =
        tree.roll_back_and(vcs::NewIgnored::Removed, "main", &to, excluded, soon()).unwrap();
    assert_eq!(rolled.removed, ["fresh/file"]);
    assert_eq!(rolled.left, []);
    assert_eq!(repository.read(".ralph/tracked"), "old");
    assert_eq!(repository.read(".ralph/settings.json"), "edited");
    assert_eq!(repository.read(".ralph/runs/1/log"), "x");
    assert_eq!(repository.read("fresh/.ralph-lock"), "x");
    assert_eq!(repository.names("HEAD"), [".ralph/tracked", "README"]);
}

#[test]
fn paths_are_relative_to_the_project_and_the_whole_repository_is_restored() {
    let repository = Repository::new();
    repository.write("apps/web/x", "x");
    repository.commit_all();
    let before = Picture::of(repository.path());
    let tree = repository.tree_in("apps/web");
    let to = tree.checkpoint(nothing, soon()).unwrap();
    repository.write("apps/web/new", "x");
    repository.write("libs/new", "x");
    repository.write("README", "changed");
    let rolled =
        tree.roll_back_and(vcs::NewIgnored::Removed, "main", &to, nothing, soon()).unwrap();
    assert_eq!(rolled.removed, ["../../libs/", "new"]);
    assert_eq!(rolled.restored, ["../../README"]);
    assert_eq!(before, Picture::of(repository.path()));
}

#[test]
fn a_serialized_checkpoint_works() {
    let repository = Repository::new();
    repository.write(".gitignore", "ignored\n");
    repository.commit_all();
    repository.write("ignored", "mine");
    repository.write("README", "mine");
    fs::create_dir(repository.at("empty")).unwrap();
    let to = checkpoint(&repository);
    let read: Checkpoint = serde_json::from_str(&serde_json::to_string(&to).unwrap()).unwrap();
    assert_eq!(read, to);
    assert!(serde_json::from_str::<Checkpoint>("{\"head\": \"main\"}").is_err());
}

#[test]
fn a_missing_checkpoint_is_an_error_without_changes() {
    let repository = Repository::new();
    let unknown = vcs::CommitId::new(&"1".repeat(40)).unwrap();
    let to = Checkpoint { dirty: Some(unknown), ..checkpoint(&repository) };
    repository.write("new", "x");
    repository.commit_all();
    let head = repository.head();
    assert!(
        repository
            .tree()
            .roll_back_and(vcs::NewIgnored::Removed, "main", &to, nothing, soon())
            .is_err()
    );
    assert_eq!((repository.head(), repository.read("new")), (head, "x".to_owned()));
}

#[test]
fn reasons_have_messages() {
    for (why, words) in [
        (NotRestoredReason::Changed, "not tracked by git and changed"),
        (NotRestoredReason::CannotRemove("busy".into()), "cannot be removed: busy"),
    ] {
        let left = NotRestored { path: "x".into(), why };
        assert_eq!(left.to_string(), format!("x ({words})"));
    }
}
