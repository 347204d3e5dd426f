//! Moved ignored files in a rollback.

use std::fs;

use vcs::{Checkpoint, NotRestored, NotRestoredReason};

use crate::repository::Repository;
use crate::roll_back::{checkpoint, roll_back, undoes};

fn with_rules(rules: &str) -> Repository {
    let repository = Repository::new();
    repository.write(".gitignore", rules);
    repository.commit_all();
    repository
}

fn rename(repository: &Repository, from: &str, to: &str) {
    fs::create_dir_all(repository.at(to).parent().unwrap()).unwrap();
    fs::rename(repository.at(from), repository.at(to)).unwrap();
}

/// Like a move to another file system and back: same time, new inode.
fn copy_away(repository: &Repository, from: &str, to: &str) {
    let found = fs::metadata(repository.at(from)).unwrap();
    fs::create_dir_all(repository.at(to).parent().unwrap()).unwrap();
    fs::copy(repository.at(from), repository.at(to)).unwrap();
    let file = fs::File::options().write(true).open(repository.at(to)).unwrap();
    file.set_modified(found.modified().unwrap()).unwrap();
}

/// As read from a file of an older version.
fn without_inodes(to: &Checkpoint) -> Checkpoint {
    let mut json = serde_json::to_value(to).unwrap();
    let ignored = json["ignored"].as_object_mut().unwrap();
    ignored.remove("repositories");
    for stamp in ignored["files"].as_object_mut().unwrap().values_mut() {
        if let Some(file) = stamp.get_mut("File") {
            file.as_object_mut().unwrap().remove("i");
        }
    }
    serde_json::from_value(json).unwrap()
}

#[test]
fn an_ignored_file_is_moved_back_from_anywhere() {
    for to in [".env.old", "new/deep/x", "README", ".env/x", "log.txt"] {
        let repository = with_rules(".env*\n*.txt\n");
        repository.write(".env", "secret");
        let rolled = undoes(&repository, || {
            rename(&repository, ".env", "parked");
            let _ = fs::remove_file(repository.at(to));
            rename(&repository, "parked", to);
        });
        assert_eq!(rolled.left, [], "{to}");
        assert!(rolled.restored.contains(&".env".to_owned()), "{to} {rolled:?}");
        assert!(!rolled.removed.contains(&to.to_owned()), "{to} {rolled:?}");
    }
}

#[test]
fn an_ignored_file_in_a_renamed_folder_is_moved_back() {
    let repository = with_rules("local.env\n");
    repository.write("src/code", "x");
    repository.commit_all();
    repository.write("src/deep/local.env", "secret");
    let rolled = undoes(&repository, || {
        repository.git(&["mv", "src", "lib"]);
        repository.git(&["commit", "-q", "-m", "another name"]);
        repository.write("lib/new", "x");
    });
    assert_eq!((rolled.removed, rolled.left), (vec!["lib/".to_owned()], vec![]));
}

#[test]
fn an_ignored_folder_is_moved_back_whole() {
    let repository = with_rules("modules/\n");
    for name in ["a/index.js", "b/index.js", "b/c/index.js", ".bin/x"] {
        repository.write(&format!("modules/{name}"), "same");
    }
    #[cfg(unix)]
    for name in ["one", "two"] {
        std::os::unix::fs::symlink("../b", repository.at("modules/.bin").join(name)).unwrap();
    }
    let rolled = undoes(&repository, || {
        rename(&repository, "modules", "old/modules");
        repository.write("modules/a/index.js", "agent's");
    });
    assert_eq!((rolled.removed, rolled.left), (vec!["old/".to_owned()], vec![]));
}

#[test]
fn an_ignored_file_replaced_by_another_is_moved_back() {
    let repository = with_rules("*.env*\n");
    repository.write("a.env", "one");
    repository.write("b.env", "number two");
    let rolled = undoes(&repository, || {
        rename(&repository, "a.env", "a.env.bak");
        repository.write("a.env", "agent's");
    });
    assert_eq!(rolled.left, []);
    // In a cycle, so that each has the name of another.
    let rolled = undoes(&repository, || {
        rename(&repository, "b.env", "c.env");
        rename(&repository, "a.env", "b.env");
    });
    assert_eq!(rolled.left, []);
    let rolled = undoes(&repository, || {
        rename(&repository, "b.env", "c.env");
        rename(&repository, "a.env", "b.env");
        rename(&repository, "c.env", "a.env");
    });
    assert_eq!(rolled.left, []);
}

#[test]
fn a_file_from_another_disk_is_identified_by_its_time() {
    let repository = with_rules("*.env\n");
    repository.write("my.env", "secret");
    let rolled = undoes(&repository, || {
        copy_away(&repository, "my.env", "new/other");
        repository.remove("my.env");
    });
    assert_eq!((rolled.removed, rolled.left), (vec!["new/".to_owned()], vec![]));
}

#[cfg(unix)]
#[test]
fn a_moved_and_changed_file_is_moved_back_and_reported() {
    let repository = with_rules("*.env\n");
    repository.write("my.env", "secret");
    let to = checkpoint(&repository);
    rename(&repository, "my.env", "new/your.env");
    repository.write("new/your.env", "secret and more");
    let rolled = roll_back(&repository, &to);
    assert_eq!(
        rolled.left,
        [NotRestored { path: "my.env".into(), why: NotRestoredReason::Changed }]
    );
    assert_eq!(repository.read("my.env"), "secret and more");
    assert!(!repository.at("new").exists());
}

#[test]
fn a_new_file_is_not_taken_for_one_that_was_deleted() {
    let repository = with_rules("*.env\n");
    for name in 0..20 {
        repository.write(&format!("{name}.env"), "mine");
    }
    let to = checkpoint(&repository);
    // They often reuse the freed inodes.
    for name in 0..20 {
        repository.remove(&format!("{name}.env"));
        repository.write(&format!("{name}.log"), "agent's");
    }
    let rolled = roll_back(&repository, &to);
    assert_eq!((rolled.removed.len(), rolled.left.len()), (20, 20));
    assert!(rolled.left.iter().all(|left| left.why == NotRestoredReason::Gone), "{rolled:?}");
}

#[test]
fn among_several_candidates_the_name_decides_or_all_stay() {
    let repository = with_rules("*.env\n");
    repository.write("my.env", "secret");
    let to = without_inodes(&checkpoint(&repository));
    for name in ["new/one", "new/two", "new/deep/my.env"] {
        copy_away(&repository, "my.env", name);
    }
    repository.remove("my.env");
    let rolled = roll_back(&repository, &to);
    assert_eq!((rolled.removed, rolled.left), (vec!["new/".to_owned()], vec![]));
    for name in ["new/one", "new/two"] {
        copy_away(&repository, "my.env", name);
    }
    repository.write("new/three", "x");
    repository.remove("my.env");
    let rolled = roll_back(&repository, &to);
    assert_eq!(rolled.removed, ["new/three"]);
    let shown: Vec<String> = rolled.left.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "my.env (not tracked by git and missing)",
            "new/one (cannot be removed: it may be the former my.env)",
            "new/two (cannot be removed: it may be the former my.env)",
        ]
    );
    assert_eq!(repository.read("new/one"), "secret");
}

#[test]
fn an_old_repository_is_moved_back_or_stays() {
    let repository = with_rules("ignored/\n");
    repository.write("ignored/nested/x", "x");
    test_repo::init(&repository.at("ignored/nested"));
    let to = checkpoint(&repository);
    if cfg!(unix) {
        undoes(&repository, || rename(&repository, "ignored", "other/place"));
    }
    rename(&repository, "ignored", "other");
    let rolled = roll_back(&repository, &without_inodes(&to));
    assert_eq!(rolled.removed, [""; 0]);
    assert_eq!(rolled.left.len(), 2, "{rolled:?}");
    assert_eq!(repository.read("other/nested/x"), "x");
    assert!(repository.at("other/nested/.git/HEAD").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_moved_back_through_a_link() {
    let repository = with_rules("*.env\n");
    repository.write("folder/my.env", "secret");
    let outside = tempfile::tempdir().unwrap();
    let rolled = undoes(&repository, || {
        rename(&repository, "folder/my.env", "my.env");
        fs::remove_dir(repository.at("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path(), repository.at("folder")).unwrap();
    });
    assert_eq!(rolled.left, []);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_link_to_the_new_place_does_not_hide_a_moved_folder() {
    let repository = with_rules("data/\ndata.old/\n");
    repository.write("data/deep/u.db", "precious");
    let rolled = undoes(&repository, || {
        rename(&repository, "data", "data.old");
        std::os::unix::fs::symlink("data.old", repository.at("data")).unwrap();
    });
    assert_eq!(rolled.left, []);
}
