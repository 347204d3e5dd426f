//! Trees with additional files, and their commits without a branch.

use vcs::{TreeId, VcsError};

use crate::repository::{Repository, soon};

fn plus(repository: &Repository, path: &str) -> Result<TreeId, VcsError> {
    let files = [(path.to_owned(), b"why\r\n".to_vec())];
    let tree = repository.tree();
    tree.tree_plus(tree.tree_id(&repository.head(), soon())?, &files, soon())
}

#[test]
fn ignored_files_are_added_and_nothing_else_changes() {
    let repository = Repository::new();
    repository.write(".gitignore", "*.md\n");
    repository.write(".gitattributes", "* text=auto\n");
    repository.commit_all();
    repository.write("README", "dirty");
    repository.write("staged", "x");
    repository.git(&["add", "staged"]);
    let status = repository.status();
    let head = repository.head();
    let tree = plus(&repository, "deep/diagnostics.md").unwrap();
    let bytes = repository.git(&["cat-file", "-s", &format!("{tree}:deep/diagnostics.md")]);
    assert_eq!(bytes, "5", "exactly as given");
    assert_eq!(repository.names(tree.as_str()).len(), 4);
    assert_eq!(repository.shown(tree.as_str(), "README"), "hello");
    assert_eq!((repository.status(), repository.head()), (status, head));
}

#[test]
fn an_existing_file_keeps_its_mode() {
    let repository = Repository::new();
    repository.git(&["update-index", "--chmod=+x", "README"]);
    repository.git(&["commit", "-q", "-m", "mode"]);
    let tree = plus(&repository, "README").unwrap();
    assert!(repository.listed(tree.as_str()).starts_with("100755 blob"));
    assert_eq!(repository.shown(tree.as_str(), "README"), "why");
}

#[test]
fn nothing_in_the_tree_is_replaced() {
    let repository = Repository::new();
    repository.write("folder/x", "x");
    repository.commit_all();
    for path in ["README/why", "folder"] {
        let refused = plus(&repository, path);
        assert!(matches!(refused, Err(VcsError::PathConflict { .. })), "{path}: {refused:?}");
    }
    for path in ["../out", ".git/config", ""] {
        let refused = plus(&repository, path);
        assert!(matches!(refused, Err(VcsError::InvalidPath { .. })), "{path}: {refused:?}");
    }
}

#[test]
fn a_projects_path_is_below_its_folder() {
    let repository = Repository::new();
    repository.write("apps/web/a", "x");
    let head = repository.commit_all();
    let files = [("why".to_owned(), vec![]), ("../../top".to_owned(), vec![])];
    let web = repository.tree_in("apps/web");
    let tree = web.tree_plus(web.tree_id(&head, soon()).unwrap(), &files, soon()).unwrap();
    assert_eq!(repository.names(tree.as_str()), ["README", "apps/web/a", "apps/web/why", "top"]);
}

#[cfg(unix)]
#[test]
fn a_commit_of_a_tree_moves_no_ref_and_runs_no_hook() {
    let repository = Repository::new();
    let hook = "touch \"$(git rev-parse --git-dir)/ran\"; exit 1";
    for name in ["pre-commit", "commit-msg", "post-commit", "reference-transaction"] {
        repository.script(&format!(".git/hooks/{name}"), hook);
    }
    let head = repository.head();
    let tree = repository.tree();
    let id = tree.tree_id(&head, soon()).unwrap();
    let made = tree.commit_tree(&id, &[&head], "given up\n\nwhy", soon()).unwrap();
    tree.create_branch("wip/one", &made, soon()).unwrap();
    assert_eq!(repository.head(), head);
    assert_eq!(
        repository.git(&["log", "-1", "--format=%P %B", made.as_str()]),
        format!("{head} given up\n\nwhy")
    );
    assert!(!repository.at(".git/ran").exists());
}
