//! The runner pushes only the judged commit, to its own branch.

use std::os::unix::fs::PermissionsExt;

use events::RunEnd;
use predicates::str::contains;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::attack_target::{AttackTarget, Attacked, STORY, runner_text};

/// A remote with a branch of another user. The runner pushes after each step.
fn with_remote() -> AttackTarget {
    let AttackTarget { project } = AttackTarget::new();
    let project = project.settings(&json!({"scm": {"command": "git", "tasks": ["push"]}}));
    let remote = project.path().join("../remote.git");
    let remote = remote.to_str().unwrap();
    project.git(&["init", "-q", "--bare", remote]);
    project.git(&["remote", "add", "origin", remote]);
    project.git(&["push", "-q", "origin", "HEAD:refs/heads/main", "HEAD:refs/heads/other"]);
    AttackTarget { project }
}

/// Right code is submitted and approved; `script` runs in the session that implements.
fn approved(target: AttackTarget, script: &str) -> Attacked {
    let implement = [
        Act::bash("echo right > src/code.txt"),
        Act::bash(script),
        Act::submit("done"),
        Act::commit("feat"),
    ];
    let review = [Act::approve("good"), Act::commit("review: approved")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), implement);
    target.scenario(scenario.rule(When::mode(Mode::Review), review))
}

fn remote(attacked: &Attacked, branch: &str) -> String {
    let listed = attacked.project.git(&["ls-remote", "origin", &format!("refs/heads/{branch}")]);
    listed.split_whitespace().next().unwrap_or_default().to_owned()
}

/// The branch is pushed as it was approved, and the remote's others are as they were.
#[track_caller]
fn pushes_its_own_branch_alone(script: &str) {
    let attacked = approved(with_remote(), script);
    let before = remote(&attacked, "main");
    attacked.project.run([]).assert_end(RunEnd::Complete);
    assert_eq!(remote(&attacked, "main"), before);
    assert_eq!(remote(&attacked, "other"), before);
    assert_eq!(remote(&attacked, "ralph/demo"), attacked.project.head());
}

#[test]
fn an_upstream_that_is_another_branch() {
    pushes_its_own_branch_alone(
        "git config push.default upstream && git config branch.ralph/demo.remote origin\n\
         git config branch.ralph/demo.merge refs/heads/main\n",
    );
}

#[test]
fn a_mirror_that_deletes_other_branches() {
    pushes_its_own_branch_alone("git config remote.origin.mirror true");
}

#[test]
fn refs_that_a_remote_is_to_get_with_every_push() {
    pushes_its_own_branch_alone("git config remote.origin.push '+refs/heads/*:refs/heads/main'");
}

const COMMIT_WRONG: &str = "#!/bin/sh\\ntouch ~/ran\\ngrep -q approved ralph/tasks.json || exit 0\\n\
                            echo wrong > src/code.txt\\ngit commit -q -a -m later\\n";

#[test]
fn a_hook_in_the_users_own_settings() {
    let script = format!(
        "mkdir ~/hooks && printf '{COMMIT_WRONG}' > ~/hooks/pre-push && chmod +x ~/hooks/pre-push\n\
         git config --global core.hooksPath ~/hooks\n"
    );
    let attacked = approved(with_remote(), &script);
    let run = attacked.project.run([]);
    assert!(!attacked.project.has("../home/ran"), "the agent's hook ran");
    assert_text(&run.stderr, contains("core.hookspath"));
    let next = attacked.project.run([]);
    next.assert_exit(2);
    assert!(!attacked.project.has("../home/ran"), "the agent's hook ran");
}

/// A hook of the user's own that runs what the agent can write.
#[test]
fn a_hook_that_commits_what_was_not_judged() {
    let target = with_remote();
    let hook = target.project.path().join(".git/hooks/pre-push");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nsh tools/pre-push.sh\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = format!("mkdir tools && printf '{COMMIT_WRONG}' > tools/pre-push.sh");
    let attacked = approved(target, &script);
    let run = attacked.project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(attacked.project.has("../home/ran"), "the user's own hook runs");
    assert_eq!(attacked.project.git(&["show", "HEAD:src/code.txt"]), "right");
    assert_eq!(attacked.project.read("src/code.txt"), "right\n");
    assert_eq!(attacked.project.story(STORY)["passes"], true);
    let printed = runner_text(&run);
    assert_text(&printed, contains("a git hook made commits"));
}
