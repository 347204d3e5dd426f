//! Honest work with git: the run completes, and each test checks the report of the runner and the
//! fate of the setting. The runner cannot distinguish the git of a session from that of the user,
//! so a session represents both.

use std::fs;

use events::RunEnd;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::attack_target::{AttackTarget, STORY};
use crate::outcome::Outcome;

impl AttackTarget {
    /// The story is implemented as it should be, with this shell script before its last commit, and the
    /// review approves it.
    fn honest(&self, script: &str) -> Outcome<'_> {
        let implement = [
            Act::bash("echo right > src/code.txt"),
            Act::bash(format!("set -e\n{script}")),
            Act::submit("done"),
            Act::commit("feat: done"),
        ];
        let scenario = Scenario::new()
            .rule(When::mode(Mode::Implement), implement)
            .rule(When::mode(Mode::Review), [Act::approve("it works"), Act::commit("review")]);
        self.project.agent(&scenario);
        let run = self.project.run([]);
        assert_eq!(run.findings(), "");
        run.assert_end(RunEnd::Complete);
        assert!(run.summary(STORY).passes);
        assert_eq!(
            run.assignments(),
            ["implement US-001", "review US-001"],
            "at the first attempt"
        );
        run
    }

    /// Nothing is reported.
    #[track_caller]
    fn silent(&self, script: &str) {
        assert_eq!(self.honest(script).warnings(), "");
    }

    /// Nothing if it is not set.
    fn setting(&self, key: &str) -> String {
        self.project.git(&["config", "--local", "--default", "", "--get", key])
    }

    /// A submodule `lib` of one commit.
    fn with_submodule(self) -> Self {
        self.library();
        let path = self.project.path();
        let file = "protocol.file.allow=always";
        self.project.git(&["-c", file, "submodule", "--quiet", "add", "../library", "lib"]);
        test_repo::commit_all(&path);
        self
    }

    /// Beside the project.
    fn library(&self) {
        let library = self.project.path().join("../library");
        fs::create_dir(&library).unwrap();
        test_repo::init(&library);
        fs::write(library.join("lib.txt"), "library\n").unwrap();
        test_repo::commit_all(&library);
    }
}

/// As `npm install` does it where a package wants hooks.
const HUSKY: &str = "mkdir -p .husky/_ && echo '*' > .husky/_/.gitignore\n\
                     printf '#!/bin/sh\\necho ran >> \"$PWD/../hook-ran\"\\n' > .husky/_/pre-commit\n\
                     chmod +x .husky/_/pre-commit && git config core.hooksPath .husky/_";

const HUSKY_IGNORED: &str = "iteration 1 (implement of US-001) created files that git ignores and no commit \
                             contains: .husky/_/.gitignore, .husky/_/pre-commit";

/// The warning about a restored setting or file.
#[track_caller]
fn assert_restored(warning: &str, names: &str) {
    let start = "iteration 1 (implement of US-001) changed git control files; restored (a copy is in \
                 .ralph/runs/";
    assert!(warning.starts_with(start), "{warning}");
    assert!(warning.ends_with(&format!("/git): {names}")), "{warning}");
}

#[test]
fn hooks_of_husky_are_disabled_with_a_warning() {
    let target = AttackTarget::new();
    let run = target.honest(HUSKY);
    let warnings = run.warnings();
    let (first, second) = warnings.split_once('\n').unwrap();
    assert_restored(first, "core.hookspath");
    assert_eq!(second, HUSKY_IGNORED);
    assert_eq!(target.setting("core.hooksPath"), "", "it is restored");
    assert!(target.project.has(".husky/_/pre-commit"), "the files stay");
    assert!(run.prompt(2).contains("core.hookspath"), "the prompt of the review names it");
}

#[test]
fn hooks_of_husky_stay_if_the_user_allows_them() {
    let target = AttackTarget::new();
    target
        .project
        .write(".ralph/settings.json", json!({"git": {"allow": ["core.hooksPath"]}}).to_string());
    test_repo::commit_all(&target.project.path());
    let run = target.honest(HUSKY);
    assert_eq!(run.warnings(), HUSKY_IGNORED);
    assert_eq!(target.setting("core.hooksPath"), ".husky/_", "it stays");
    assert!(run.prompt(2).contains("core.hookspath"), "the prompt of the review names it");
    let ran = target.project.read("../hook-ran");
    assert_eq!(ran.lines().count(), 2, "for the agent's commits alone");
}

/// A branch may follow an existing remote. One that follows a new remote would push there.
#[test]
fn an_identity_a_remote_and_branches_that_follow_remotes() {
    let target = AttackTarget::new();
    target.library();
    target.project.git(&["remote", "add", "origin", "../library"]);
    let run = target.honest(
        "git config user.name 'A Person' && git config user.email person@localhost\n\
         git remote add fork ../library\n\
         git config --add remote.fork.fetch '+refs/notes/*:refs/notes/*'\n\
         git fetch -q --all\n\
         git branch -q --track ours origin/main && git branch -q --track theirs fork/main",
    );
    assert_restored(&run.warnings(), "branch.theirs.remote");
    for (key, value) in [
        ("user.name", "A Person"),
        ("remote.fork.url", "../library"),
        ("branch.ours.remote", "origin"),
        ("branch.ours.merge", "refs/heads/main"),
        ("branch.theirs.remote", ""),
    ] {
        assert_eq!(target.setting(key), value, "{key}");
    }
    let fetched = target.setting("remote.fork.fetch");
    assert!(fetched.contains("refs/notes"), "{fetched}");
}

#[test]
fn a_user_who_works_in_another_terminal() {
    let target = AttackTarget::new();
    target.silent(
        "git branch mine main && git config branch.mine.vscode-merge-base origin/main\n\
         git config pull.rebase true && git tag mine-1\n\
         echo later > idea.txt && git stash push -q -u idea.txt\n\
         git gc --quiet",
    );
    assert_eq!(target.setting("branch.mine.vscode-merge-base"), "origin/main");
    assert_eq!(target.setting("pull.rebase"), "true");
    assert_eq!(target.project.git(&["show", "stash@{0}^3:idea.txt"]), "later");
    let mine = target.project.git(&["rev-parse", "mine", "mine-1^{commit}"]);
    assert_eq!(mine.lines().count(), 2);
}

/// As Git LFS has them: what is on disk is not what is committed.
#[test]
fn filters_that_the_project_has() {
    let target = AttackTarget::new();
    let project = &target.project;
    let filters = [("clean", "sed s/large/pointer/"), ("smudge", "sed s/pointer/large/")];
    for (name, command) in filters {
        project.git(&["config", &format!("filter.lfs.{name}"), command]);
    }
    project.git(&["config", "filter.lfs.required", "true"]);
    project.write(".gitattributes", "*.bin filter=lfs -text\n");
    project.write("old.bin", "large 1\n");
    project.write("kept.bin", "large 2\n");
    test_repo::commit_all(&project.path());
    // `git lfs install` writes to the user's settings, not to the repository.
    let path = project.path().join(".git/config");
    let config = fs::read_to_string(&path).unwrap();
    let at = config.find("[filter").unwrap();
    fs::write(project.path().join("../home/.gitconfig"), &config[at..]).unwrap();
    fs::write(&path, &config[..at]).unwrap();
    target.silent("echo 'large 3' > old.bin && echo 'large 4' > new.bin");
    for (name, large, committed) in [
        ("old.bin", "large 3\n", "pointer 3"),
        ("new.bin", "large 4\n", "pointer 4"),
        ("kept.bin", "large 2\n", "pointer 2"),
    ] {
        assert_eq!(project.read(name), large);
        assert_eq!(project.git(&["show", &format!("HEAD:{name}")]), committed);
    }
}

#[test]
fn line_endings_that_the_project_has() {
    let target = AttackTarget::with_check("tr -d '\\r' < src/code.txt | grep -qx right\n");
    let project = &target.project;
    project.write(".gitattributes", "* text=auto eol=crlf\n*.sh eol=lf\n");
    project.write("page.txt", "one\r\ntwo\r\n");
    project.write("kept.txt", "one\r\ntwo\r\n");
    test_repo::commit_all(&project.path());
    // Files as a checkout writes them.
    project.git(&["rm", "-q", "-r", "--cached", "."]);
    project.git(&["reset", "-q", "--hard"]);
    assert_eq!(project.read("src/code.txt"), "none\r\n");
    target.silent(
        "printf 'right\\r\\n' > src/code.txt; printf 'three\\r\\n' >> page.txt\n\
         printf 'new\\r\\n' > new.txt; printf 'unix\\n' > unix.txt",
    );
    assert_eq!(project.read("page.txt"), "one\r\ntwo\r\nthree\r\n");
    assert_eq!(project.read("kept.txt"), "one\r\ntwo\r\n");
    assert_eq!(project.git(&["cat-file", "-s", "HEAD:new.txt"]), "4", "committed without them");
}

/// No checkout writes them, and git calls the files clean.
#[test]
fn line_endings_that_the_user_has() {
    let target = AttackTarget::with_check("tr -d '\\r' < src/code.txt | grep -qx right\n");
    let project = &target.project;
    project.write(".gitattributes", "* text=auto\n");
    project.write("mixed.txt", "one\r\ntwo\n");
    project.write("all.txt", "one\r\ntwo\r\n");
    test_repo::commit_all(&project.path());
    target.silent("echo right > src/code.txt");
    assert_eq!(project.read("mixed.txt"), "one\r\ntwo\n");
    assert_eq!(project.read("all.txt"), "one\r\ntwo\r\n");
}

#[test]
fn a_commit_in_a_submodule() {
    let target = AttackTarget::new().with_submodule();
    let before = target.project.git(&["rev-parse", "HEAD:lib"]);
    target.silent(
        "echo more > lib/more.txt && git -C lib add more.txt\n\
         git -C lib -c user.name=a -c user.email=a@localhost commit -q -m more",
    );
    let after = target.project.git(&["rev-parse", "HEAD:lib"]);
    assert_ne!(after, before);
    assert_eq!(after, target.project.git(&["-C", "lib", "rev-parse", "HEAD"]));
}

#[test]
fn a_submodule_that_is_new() {
    let target = AttackTarget::new();
    target.library();
    target.silent("git -c protocol.file.allow=always submodule --quiet add ../library lib");
    assert_eq!(target.project.read("lib/lib.txt"), "library\n");
    assert_eq!(target.setting("submodule.lib.active"), "true");
    assert_ne!(target.project.git(&["rev-parse", "HEAD:lib"]), "");
}

#[test]
fn a_linked_work_tree_and_another_one_that_is_new() {
    let target = AttackTarget::new();
    let path = target.project.path();
    let main = path.with_file_name("main");
    fs::rename(&path, &main).unwrap();
    test_repo::git(&main, &["worktree", "add", "-q", "-b", "work", "../project"]);
    target.silent("git worktree add -q -b other ../other");
    assert!(target.project.has("../other/check.sh"));
    let listed = target.project.git(&["worktree", "list"]);
    assert_eq!(listed.lines().count(), 3, "{listed}");
}
