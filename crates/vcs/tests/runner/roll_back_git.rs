//! Branches, operations and index flags in a rollback.

use vcs::NewBranch;

use crate::repository::{Repository, soon};
use crate::roll_back::{checkpoint, nothing, roll_back, undoes};

#[test]
fn the_branch_is_restored_from_any_checkout() {
    let works: [&dyn Fn(&Repository); 5] = [
        &|repository| drop(repository.git(&["checkout", "-q", "--detach"])),
        &|repository| drop(repository.git(&["checkout", "-q", "-b", "agents"])),
        &|repository| {
            repository.git(&["checkout", "-q", "-b", "agents"]);
            repository.write("committed", "x");
            repository.commit_all();
            repository.git(&["branch", "-q", "-D", "main"]);
        },
        &|repository| drop(repository.git(&["checkout", "-q", "--orphan", "fresh"])),
        &|repository| {
            repository.write("committed", "x");
            repository.commit_all();
            repository.git(&["reset", "-q", "--hard", "HEAD~2"]);
        },
    ];
    for work in works {
        let repository = Repository::new();
        repository.write("second", "x");
        repository.commit_all();
        undoes(&repository, || {
            work(&repository);
            repository.write("second", "changed");
            repository.write("new", "x");
        });
    }
}

#[test]
fn other_branches_tags_and_stashes_stay() {
    let repository = Repository::new();
    repository.write("README", "stashed");
    repository.git(&["stash", "-q"]);
    repository.git(&["branch", "mine"]);
    repository.git(&["tag", "v1"]);
    let to = checkpoint(&repository);
    repository.write("README", "agent's");
    repository.git(&["stash", "-q"]);
    repository.commit_all();
    repository.git(&["branch", "agents"]);
    let names = |repository: &Repository| {
        let refs = repository.git(&["for-each-ref"]);
        let others = refs.lines().filter(|line| !line.ends_with("refs/heads/main"));
        (others.map(str::to_owned).collect::<Vec<_>>(), repository.git(&["stash", "list"]))
    };
    let before = names(&repository);
    assert_eq!(before.0.len(), 4);
    roll_back(&repository, &to);
    assert_eq!(names(&repository), before);
}

#[test]
fn operations_in_progress_end() {
    for command in ["merge", "rebase", "cherry-pick", "revert"] {
        let repository = Repository::with_disagreement();
        undoes(&repository, || repository.run_into_conflict(command));
        assert_eq!(repository.state().operation, None, "{command}");
    }
}

#[test]
fn a_conflicting_branch_name_is_an_error_until_it_is_free() {
    let repository = Repository::new();
    let to = checkpoint(&repository);
    repository.git(&["checkout", "-q", "--detach"]);
    repository.git(&["branch", "-D", "main"]);
    let tree = repository.tree();
    let taken = tree.create_branch("main/x", &to.head, soon()).unwrap();
    assert_eq!(taken, NewBranch::Created);
    repository.write("new", "x");
    assert!(tree.roll_back_and(vcs::NewIgnored::Removed, "main", &to, nothing, soon()).is_err());
    assert_eq!(repository.read("new"), "x");
    assert_eq!(tree.free_branch_name("main", "way", soon()).unwrap(), ["main/x"]);
    roll_back(&repository, &to);
    assert_eq!(repository.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert!(tree.roll_back_and(vcs::NewIgnored::Removed, "-x", &to, nothing, soon()).is_err());
}

#[test]
fn files_are_written_with_the_old_attributes() {
    let repository = Repository::new();
    repository.write(".gitattributes", "*.crlf text eol=crlf\n*.txt text eol=lf\n");
    // Before and after the file with the attributes.
    for name in ["+.txt", "a.txt"] {
        repository.write(name, "one\ntwo\n");
    }
    repository.write("b.crlf", "one\r\ntwo\r\n");
    repository.commit_all();
    repository.git(&["reset", "-q", "--hard"]);
    for commits in [false, true] {
        undoes(&repository, || {
            repository.write(".gitattributes", "* text eol=crlf\n");
            for name in ["+.txt", "a.txt", "b.crlf"] {
                repository.remove(name);
            }
            repository.git(&["checkout", "-q", "--", "*.txt", "b.crlf"]);
            assert_eq!(repository.read("a.txt"), "one\r\ntwo\r\n");
            if commits {
                repository.commit_all();
            }
        });
    }
    undoes(&repository, || {
        repository.write("deep/.gitattributes", "* text eol=crlf\n");
        repository.write("b.crlf", "one\ntwo\n");
        repository.commit_all();
    });
}

#[test]
fn changes_that_git_does_not_see_are_reverted() {
    let repository = Repository::new();
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.write("a", "one\r\ntwo\r\n");
    repository.commit_all();
    undoes(&repository, || repository.write("a", "one\ntwo\n"));
    undoes(&repository, || {
        repository.write("a", "one\ntwo\n");
        repository.git(&["add", "a"]);
    });
}

#[test]
fn a_sparse_checkout_stays_sparse() {
    let repository = Repository::new();
    for name in ["in/x", "out/x"] {
        repository.write(name, "x");
    }
    repository.commit_all();
    repository.git(&["sparse-checkout", "set", "in"]);
    assert!(!repository.at("out").exists());
    undoes(&repository, || {
        repository.write("in/x", "changed");
        repository.git(&["commit", "-qam", "in"]);
        repository.git(&[
            "update-index",
            "--cacheinfo",
            "100644",
            &repository.git(&["rev-parse", "HEAD:in/x"]),
            "out/x",
        ]);
        repository.git(&["commit", "-qm", "out"]);
    });
    assert_eq!(repository.git(&["ls-files", "-t", "out/x"]), "S out/x");
}

#[test]
fn a_widened_sparse_checkout_is_restored() {
    let repository = Repository::new();
    for name in ["in/x", "out/x"] {
        repository.write(name, "x");
    }
    repository.commit_all();
    repository.git(&["sparse-checkout", "set", "in"]);
    let rolled = undoes(&repository, || drop(repository.git(&["sparse-checkout", "disable"])));
    assert_eq!(rolled.removed, ["out/"]);
}

#[test]
fn unwatched_files_keep_the_content_of_the_user() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let repository = Repository::new();
        repository.write("local", "committed");
        repository.commit_all();
        repository.git(&["update-index", flag, "local"]);
        repository.write("local", "mine");
        let mark = repository.git(&["ls-files", "-v", "local"]);
        undoes(&repository, || {
            let blob = repository.git(&["rev-parse", "HEAD:README"]);
            repository.git(&["update-index", "--cacheinfo", "100644", &blob, "local"]);
            repository.git(&["commit", "-q", "-m", "another"]);
            repository.git(&["update-index", flag, "local"]);
        });
        assert_eq!(repository.git(&["ls-files", "-v", "local"]), mark);
    }
}

#[test]
fn files_hidden_from_git_are_watched_again() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let repository = Repository::new();
        let works: [&dyn Fn(); 3] =
            [&|| {}, &|| repository.write("README", "changed"), &|| repository.remove("README")];
        for work in works {
            undoes(&repository, || {
                repository.git(&["update-index", flag, "README"]);
                work();
            });
            assert_eq!(repository.git(&["ls-files", "-v", "README"]), "H README");
        }
    }
}

#[cfg(unix)]
#[test]
fn no_hook_runs() {
    let repository = Repository::new();
    for hook in ["post-checkout", "reference-transaction", "post-index-change"] {
        repository.script(&format!(".git/hooks/{hook}"), "touch .git/ran");
    }
    let to = checkpoint(&repository);
    repository.write("README", "changed");
    let tree = repository.tree();
    tree.discarded("main", &to, nothing, soon()).unwrap();
    roll_back(&repository, &to);
    assert!(!repository.at(".git/ran").exists());
}

#[test]
fn an_unwritable_file_does_not_block_others() {
    let repository = Repository::new();
    let names: Vec<String> = (0..20).map(|number| format!("file-{number:02}")).collect();
    names.iter().for_each(|name| repository.write(name, "old"));
    repository.write(".gitattributes", "file-00 filter=no\nfile-13 filter=no\n");
    repository.commit_all();
    let to = checkpoint(&repository);
    names.iter().for_each(|name| repository.write(name, "changed"));
    repository.remove("file-07");
    repository.git(&["config", "filter.no.smudge", "false"]);
    repository.git(&["config", "filter.no.required", "true"]);
    let rolled = roll_back(&repository, &to);
    let left: Vec<String> = rolled.left.iter().map(ToString::to_string).collect();
    assert_eq!(left, ["file-00 (git could not write it)", "file-13 (git could not write it)"]);
    for name in names.iter().filter(|name| !["file-00", "file-13"].contains(&name.as_str())) {
        assert_eq!(repository.read(name), "old", "{name}");
    }
}

#[test]
fn changed_settings_do_not_affect_line_endings() {
    for (before, since) in [
        ("core.autocrlf false", "core.autocrlf true"),
        ("core.autocrlf true", "core.autocrlf false"),
        ("core.eol lf", "core.eol crlf"),
        ("core.eol crlf", "core.eol lf"),
        ("", "core.eol crlf"),
        ("core.autocrlf input", "core.autocrlf true"),
    ] {
        let repository = Repository::new();
        let set = |setting: &str| {
            let words = setting.split_whitespace();
            let args: Vec<&str> = ["config"].into_iter().chain(words).collect();
            if args.len() > 1 {
                repository.git(&args);
            }
        };
        set(before);
        repository.write(".gitattributes", "* text=auto\n");
        repository.write("code", "one\ntwo\n");
        repository.commit_all();
        repository.remove("code");
        repository.git(&["checkout", "-q", "--", "code"]);
        let code = repository.read("code");
        let rolled = undoes(&repository, || {
            set(since);
            repository.write("code", "changed\n");
        });
        assert_eq!((repository.read("code"), rolled.left), (code, vec![]), "{before} {since}");
    }
}

#[cfg(unix)]
#[test]
fn changed_settings_do_not_affect_links_and_modes() {
    let repository = Repository::new();
    repository.script("run", "true");
    std::os::unix::fs::symlink("README", repository.at("link")).unwrap();
    repository.commit_all();
    undoes(&repository, || {
        repository.git(&["config", "core.symlinks", "false"]);
        repository.git(&["config", "core.fileMode", "false"]);
        repository.remove("link");
        repository.write("run", "changed");
        repository.write("README", "changed");
    });
}
