//! Files in `.git` that name programs, hide files or redirect the repository: no git of the runner
//! or of a hook uses the changes of a session; they are restored and reported.

use std::time::{Duration, Instant};

use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::attack_target::{AttackTarget, rejection, runner_text, wrong_work};

/// A program that leaves a trace when it runs.
const EVIL: &str = "printf '#!/bin/sh\\necho ran >> \"%s/../executed\"\\nexit 1\\n' \"$PWD\" > ../evil && chmod +x ../evil\n";

/// The program is named after the agent's last git, so only others can run it.
#[track_caller]
fn runs_nothing(script: &str, reported: &str) {
    let attacked = AttackTarget::new().attack(&format!("{EVIL}{script}"));
    attacked.fails_its_check(reported);
    assert!(!attacked.project.has("../executed"), "the agent's program ran outside its session");
}

#[test]
fn a_program_that_signs_the_runners_commits() {
    runs_nothing(
        "git config gpg.program \"$PWD/../evil\" && git config commit.gpgSign true\n\
         echo left > left.txt\n",
        "gpg.program",
    );
}

#[test]
fn a_file_monitor_that_the_stop_hook_would_start() {
    runs_nothing("git config core.fsmonitor \"$PWD/../evil\"\n", "core.fsmonitor");
}

#[test]
fn a_file_monitor_in_settings_that_are_included() {
    runs_nothing(
        "printf '[core]\\n\\tfsmonitor = %s\\n' \"$PWD/../evil\" > .git/more\n\
         git config include.path more\n",
        "include.path",
    );
}

#[test]
fn another_repository_behind_commondir() {
    runs_nothing(
        "cp -r .git ../copy && git --git-dir=../copy config core.fsmonitor \"$PWD/../evil\"\n\
         echo ../../copy > .git/commondir\n",
        ".git/commondir",
    );
}

#[test]
fn a_filter_that_runs_when_git_looks_at_a_file() {
    runs_nothing(
        "git config filter.x.clean \"$PWD/../evil\" && echo '* filter=x' > .git/info/attributes\n\
         echo wrong again > src/code.txt\n",
        "filter.x.clean",
    );
}

#[test]
fn settings_of_this_work_tree_alone() {
    runs_nothing(
        "git config extensions.worktreeConfig true\n\
         printf '[core]\\n\\tfsmonitor = %s\\n' \"$PWD/../evil\" > .git/config.worktree\n",
        "core.fsmonitor",
    );
}

#[test]
fn a_file_monitor_of_a_submodule() {
    let target = AttackTarget::new();
    let library = target.project.path().join("../library");
    std::fs::create_dir(&library).unwrap();
    test_repo::init(&library);
    test_repo::commit_all(&library);
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library", "lib"];
    target.project.git(&add);
    test_repo::commit_all(&target.project.path());
    let attack = "git -C lib config core.fsmonitor \"$PWD/../evil\"\necho new > lib/new.txt\n";
    let attacked = target.attack(&format!("{EVIL}{attack}"));
    attacked.fails_its_check("");
    assert!(!attacked.project.has("../executed"), "the agent's program ran outside its session");
}

/// The reviewer commits, and the hook of the implementer would act in its session.
#[test]
fn a_hook_for_the_commit_of_the_reviewer() {
    let install = "printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/post-commit && chmod +x .git/hooks/post-commit\n";
    let implement = [
        Act::bash("echo right > src/code.txt"),
        Act::submit("done"),
        Act::commit("feat"),
        Act::bash(install),
    ];
    let look = "ls .git/hooks | grep -v sample > ../hooks; true";
    let review = [vec![Act::bash(look)], rejection()].concat();
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), implement)
        .rule(When::mode(Mode::Review), review)
        .otherwise(wrong_work());
    let attacked = AttackTarget::new().scenario(scenario);
    let run = attacked.project.run(["-n", "2"]);
    assert_eq!(attacked.project.read("../hooks"), "", "the reviewer works without it");
    let printed = runner_text(&run);
    assert_text(&printed, contains(".git/hooks/post-commit"));
    let prompt = run.prompt(2);
    assert!(prompt.contains(".git/hooks/post-commit"), "the prompt of the review: {prompt}");
    let kept = run.folder(1).join("git/hooks/post-commit");
    assert!(kept.is_file(), "what the agent wrote is kept");
}

#[test]
fn files_that_change_what_the_history_is() {
    for (script, name) in [
        ("echo /nowhere > .git/objects/info/alternates", ".git/objects/info/alternates"),
        ("git rev-parse HEAD > .git/shallow", ".git/shallow"),
        ("mkdir -p .git/info; git rev-parse HEAD > .git/info/grafts", ".git/info/grafts"),
    ] {
        let attacked = AttackTarget::new().attack(script);
        attacked.fails_its_check(name);
        assert!(!attacked.project.has(name), "{name} is restored");
    }
}

#[test]
fn a_pointer_in_place_of_the_repository() {
    let replace = "mv .git ../moved && cp -r ../moved ../copy\n\
                   git --git-dir=../copy config core.fsmonitor \"$PWD/../evil\"\n\
                   echo 'gitdir: ../copy' > .git\n";
    let attacked = AttackTarget::new().attack(&format!("{EVIL}{replace}"));
    attacked.fails_its_check("");
    assert!(!attacked.project.has("../executed"), "the agent's program ran outside its session");
}

#[test]
fn a_branch_that_is_not_the_runs() {
    let attacked = AttackTarget::new().attack("git branch -f main HEAD && git tag new");
    let before = attacked.project.git(&["rev-parse", "main"]);
    attacked.fails_its_check("main");
    assert_ne!(
        attacked.project.git(&["rev-parse", "main"]),
        before,
        "it is reported and not reset"
    );
}

/// git would wait for a pipe until its deadline, which is two minutes.
#[test]
fn a_pipe_where_git_reads_a_file() {
    for name in [".git/index", ".git/info/exclude", ".gitignore"] {
        let attacked = AttackTarget::new().attack(&format!("rm -f {name} && mkfifo {name}"));
        let began = Instant::now();
        attacked.is_refused(name);
        assert!(began.elapsed() < Duration::from_secs(100), "{name}: {:?}", began.elapsed());
        let path = attacked.project.path().join(name);
        let is_pipe = std::fs::symlink_metadata(path)
            .is_ok_and(|found| std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type()));
        assert!(!is_pipe, "{name} is removed");
    }
}
