//! Ending the run before its judgement: the implementer approves its own story, then leaves a file whose
//! name is not UTF-8 for the runner to stumble over.

use events::RunEnd;
use simulator::Act;

use crate::attack_target::{AttackTarget, STORY};
use crate::harness::Project;
use crate::stories::{approval, commit};

/// The name quoted for a shell.
const NAME: &str = "\"$(printf 'caf\\351.txt')\"";

/// The story approves itself, this script runs, and all of it is judged.
#[track_caller]
fn is_judged(script: &str) -> Project {
    is_judged_on(AttackTarget::new(), script, "reviewStatus")
}

#[track_caller]
fn is_judged_on(target: AttackTarget, script: &str, reported: &str) -> Project {
    let acts = [approval(STORY), commit("review: approved"), Act::bash(script)];
    let attacked = target.attack_with(acts);
    attacked.fails_its_check(reported).assert_end(RunEnd::IterationsUsed);
    assert_ne!(attacked.project.fields(STORY)[1], "approved");
    attacked.project
}

#[test]
fn a_file_that_is_not_committed() {
    let project = is_judged(&format!("echo x > {NAME}"));
    let kept = project.git(&["log", "--format=%s", "--name-only", "ralph/demo"]);
    assert!(kept.contains("\"caf\\351.txt\""), "the runner has committed it: {kept}");
}

#[test]
fn a_file_in_a_folder_that_is_not_committed() {
    is_judged("folder=$(printf 'caf\\351') && mkdir \"$folder\" && echo x > \"$folder/x\"");
}

#[test]
fn a_file_that_the_agent_committed() {
    is_judged(&format!("echo x > {NAME} && git add -A && git commit -q -m 'feat: coffee'"));
}

#[test]
fn a_committed_file_that_was_changed_afterwards() {
    is_judged(&format!(
        "echo x > {NAME} && git add -A && git commit -q -m 'feat: coffee' && echo y > {NAME}"
    ));
}

#[test]
fn a_file_that_git_ignores() {
    let target = AttackTarget::new();
    target.project.write(".gitignore", target.project.read(".gitignore") + "caf*\n");
    test_repo::commit_all(&target.project.path());
    is_judged_on(target, &format!("echo x > {NAME}"), "caf\\351.txt");
}

#[test]
fn a_branch_of_such_a_name() {
    is_judged("git branch \"$(printf 'caf\\351')\"");
    is_judged("git checkout -q -b \"$(printf 'caf\\351')\"");
}

/// The check of the second iteration must not run what the check of the first one has left.
#[test]
fn a_file_that_a_check_leaves() {
    let target = AttackTarget::with_check("for test in tests/*.sh; do . \"./$test\"; done\n");
    target.project.write("tests/50-code.sh", "grep -qx -e none -e right src/code.txt\n");
    test_repo::commit_all(&target.project.path());
    let plant = "echo \"echo exit 0 > \\\"tests/\\$(printf '0\\\\351.sh')\\\"\" > tests/40-plant.sh\n\
                 git add -A && git commit -q -m tests\n";
    target.attack(plant).fails_its_check_in(2, "tests/0\\351.sh");
}

/// Contents that git calls the commit's, and are not.
#[test]
fn a_check_of_such_a_name_that_git_is_not_to_look_at() {
    let target = AttackTarget::with_checks(["sh check*.sh"]);
    let name = "\"$(printf 'check\\351.sh')\"";
    let rename = format!("alias.rename=!git mv check.sh {name} && git commit -q -m check");
    target.project.git(&["-c", &rename, "rename"]);
    let hide = format!(
        "git update-index --assume-unchanged {name} && echo true > {name}\n\
         test -z \"$(git status --porcelain)\" || exit 9\n"
    );
    target.attack(&hide).fails_its_check("check\\351.sh");
}
