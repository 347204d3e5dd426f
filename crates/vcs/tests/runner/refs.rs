//! Creating branches without switching to them.

use vcs::{CommitId, NewBranch, VcsError};

use crate::repository::{Repository, soon};

fn create(repository: &Repository, name: &str, commit: &CommitId) -> Result<NewBranch, VcsError> {
    repository.tree().create_branch(name, commit, soon())
}

#[test]
fn a_branch_is_made_once_and_never_moved() {
    let repository = Repository::new();
    let first = repository.head();
    let second = repository.commit_all();
    assert_eq!(create(&repository, "wip/one", &first).unwrap(), NewBranch::Created);
    assert_eq!(create(&repository, "wip/one", &first).unwrap(), NewBranch::AlreadyThere);
    let short = CommitId::new(&first.as_str()[..12]).unwrap();
    assert_eq!(create(&repository, "wip/one", &short).unwrap(), NewBranch::AlreadyThere);
    assert_eq!(create(&repository, "wip/one", &second).unwrap(), NewBranch::Taken);
    let tree = repository.tree();
    assert_eq!(tree.branch_tip("wip/one", soon()).unwrap(), Some(first));
    assert_eq!(tree.branch_tip("wip", soon()).unwrap(), None);
    assert_eq!(repository.state().branch.as_deref(), Some("main"));
    assert_eq!(repository.head(), second);
}

#[test]
fn conflicting_names_are_taken_loose_or_packed() {
    for pack in [false, true] {
        let repository = Repository::new();
        let head = repository.head();
        repository.git(&["branch", "wip"]);
        repository.git(&["branch", "deep/er"]);
        if pack {
            repository.git(&["pack-refs", "--all"]);
        }
        for name in ["wip/one", "deep"] {
            assert_eq!(
                create(&repository, name, &head).unwrap(),
                NewBranch::Taken,
                "{name} {pack}"
            );
        }
        assert_eq!(create(&repository, "deep/one", &head).unwrap(), NewBranch::Created);
        assert_eq!(create(&repository, "wip-one", &head).unwrap(), NewBranch::Created);
    }
}

#[test]
fn on_case_insensitive_systems_names_ignore_case() {
    let repository = Repository::new();
    let head = repository.head();
    repository.git(&["branch", "Wip/One"]);
    repository.git(&["config", "core.ignoreCase", "true"]);
    assert_eq!(create(&repository, "wip/one", &head).unwrap(), NewBranch::Taken);
    repository.git(&["config", "core.ignoreCase", "false"]);
    assert_eq!(create(&repository, "wip/one", &head).unwrap(), NewBranch::Created);
}

#[test]
fn invalid_names_and_commits_are_refused() {
    let repository = Repository::new();
    for name in ["", "-f", "a b", "a..b", "HEAD", "x.lock", "@{-1}", "a\nb", "wip/"] {
        let refused = create(&repository, name, &repository.head());
        assert!(matches!(refused, Err(VcsError::InvalidBranch { .. })), "{name:?}: {refused:?}");
    }
    let unknown = CommitId::new(&"1".repeat(40)).unwrap();
    let refused = create(&repository, "wip/one", &unknown);
    assert!(matches!(refused, Err(VcsError::Failed { .. })), "{refused:?}");
    assert_eq!(repository.git(&["branch", "--format=%(refname)"]), "refs/heads/main");
}

/// A tag or file of the same name is not the branch.
#[test]
fn tags_and_files_of_that_name_do_not_matter() {
    let repository = Repository::new();
    repository.git(&["tag", "one"]);
    repository.write("one", "x");
    let head = repository.commit_all();
    assert_eq!(create(&repository, "one", &head).unwrap(), NewBranch::Created);
}

/// git does not list them and creates no branch within them.
#[test]
fn stray_ref_files_make_a_name_taken() {
    let nowhere = "1".repeat(40);
    for broken in ["garbage\n", "", &format!("{nowhere}\n")] {
        let repository = Repository::new();
        let head = repository.head();
        repository.write(".git/refs/heads/wip", broken);
        assert_eq!(create(&repository, "wip/one", &head).unwrap(), NewBranch::Taken, "{broken:?}");
        assert_eq!(create(&repository, "wip-one", &head).unwrap(), NewBranch::Created);
    }
}
