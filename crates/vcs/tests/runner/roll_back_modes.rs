//! File permissions in a rollback.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use vcs::Checkpoint;

use crate::repository::Repository;
use crate::roll_back::{checkpoint, roll_back, undoes};

fn change_mode(repository: &Repository, name: &str, mode: u32) {
    fs::set_permissions(repository.at(name), Permissions::from_mode(mode)).unwrap();
}

const ODD_MODES: [u32; 6] = [0o600, 0o664, 0o444, 0o640, 0o700, 0o711];

fn with_odd_modes() -> Repository {
    let repository = Repository::new();
    for mode in ODD_MODES {
        repository.write(&format!("tracked/{mode:o}"), "x");
        change_mode(&repository, &format!("tracked/{mode:o}"), mode);
    }
    repository.commit_all();
    for mode in ODD_MODES {
        repository.write(&format!("mine/{mode:o}"), "key");
        change_mode(&repository, &format!("mine/{mode:o}"), mode);
    }
    repository
}

#[test]
fn rewritten_files_have_their_old_modes() {
    let repository = with_odd_modes();
    let rolled = undoes(&repository, || {
        for mode in ODD_MODES {
            change_mode(&repository, &format!("tracked/{mode:o}"), 0o644);
            repository.write(&format!("tracked/{mode:o}"), "changed");
            repository.remove(&format!("mine/{mode:o}"));
        }
    });
    assert_eq!(rolled.left, []);
    assert_eq!(repository.git(&["diff-files", "--name-only"]), "");
}

#[test]
fn a_changed_mode_is_restored() {
    let repository = with_odd_modes();
    undoes(&repository, || {
        for mode in ODD_MODES {
            change_mode(&repository, &format!("tracked/{mode:o}"), 0o666);
            change_mode(&repository, &format!("mine/{mode:o}"), 0o777);
        }
        change_mode(&repository, "README", 0o600);
    });
}

#[test]
fn a_mode_that_git_ignores_is_restored() {
    let repository = Repository::new();
    repository.git(&["config", "core.fileMode", "false"]);
    change_mode(&repository, "README", 0o755);
    undoes(&repository, || repository.write("README", "changed"));
}

#[test]
fn only_unusual_modes_are_recorded() {
    let repository = with_odd_modes();
    repository.script("run", "true");
    let to = checkpoint(&repository);
    assert_eq!(to.modes.len(), 2 * ODD_MODES.len());
    assert_eq!(to.modes["mine/600"], 0o600);
}

#[test]
fn an_old_checkpoint_without_modes_can_be_read() {
    let repository = with_odd_modes();
    let mut json = serde_json::to_value(checkpoint(&repository)).unwrap();
    json.as_object_mut().unwrap().remove("modes");
    let to: Checkpoint = serde_json::from_value(json).unwrap();
    repository.write("README", "changed");
    assert_eq!(roll_back(&repository, &to).left, []);
    assert_eq!(repository.read("README"), "hello");
}

#[test]
fn modes_are_not_set_through_links() {
    let repository = with_odd_modes();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("600"), "x").unwrap();
    fs::set_permissions(outside.path().join("600"), Permissions::from_mode(0o644)).unwrap();
    undoes(&repository, || {
        fs::remove_dir_all(repository.at("mine")).unwrap();
        std::os::unix::fs::symlink(outside.path(), repository.at("mine")).unwrap();
        repository.remove("tracked/600");
        std::os::unix::fs::symlink(outside.path().join("600"), repository.at("tracked/600"))
            .unwrap();
    });
    let found = fs::metadata(outside.path().join("600")).unwrap();
    assert_eq!(found.permissions().mode() & 0o777, 0o644);
}
