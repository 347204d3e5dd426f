//! Changes of the session that writes a commit message do not affect the commit of the runner and
//! do not count.

use events::{LoopEvent, RunEnd, ScmOutcome};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::attack_target::{AttackTarget, Attacked, STORY, runner_text};
use crate::outcome::Outcome;

/// The user lets the runner commit a file that is not committed. Right code is submitted and approved; `script`
/// runs in each session that is asked for a message.
fn asked(script: &str) -> Attacked {
    let AttackTarget { project } = AttackTarget::new();
    let project = project
        .settings(&json!({"scm": {"command": "git", "tasks": ["commit"]}}))
        .flags(["--allow-dirty"]);
    project.write("mine.txt", "changed by the user\n");
    // Without the user's file.
    let commit = || Act::bash("git commit -qm work src ralph");
    let implement = [Act::bash("echo right > src/code.txt"), Act::submit("done"), commit()];
    let review = [Act::approve("good"), commit()];
    let message = [Act::bash(script), Act::finish("Change my file")];
    let scenario = Scenario::new()
        .rule(When::any().prompt_contains("commit message for the changes"), message)
        .rule(When::mode(Mode::Implement), implement)
        .rule(When::mode(Mode::Review), review);
    AttackTarget { project }.scenario(scenario)
}

/// Nothing is committed with that message, `main` is as it was, and the branch of the run is what was approved.
#[track_caller]
fn is_undone(script: &str, reported: &str) {
    let attacked = asked(script);
    let main = attacked.project.git(&["rev-parse", "main"]);
    let run = attacked.project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(attacked.project.git(&["rev-parse", "main"]), main, "{:#?}", run.events);
    assert!(committed(&run).is_empty(), "{:#?}", run.events);
    let branch = attacked.project.git(&["symbolic-ref", "HEAD"]);
    assert_eq!(branch, "refs/heads/ralph/demo");
    assert_eq!(attacked.project.git(&["for-each-ref", "--format=%(symref)", "refs/heads"]), "");
    assert_eq!(attacked.project.git(&["show", "ralph/demo:src/code.txt"]), "right");
    assert_eq!(attacked.project.read("src/code.txt"), "right\n");
    assert_eq!(attacked.project.read("mine.txt"), "changed by the user\n");
    assert_eq!(attacked.project.story(STORY)["passes"], true);
    let printed = runner_text(&run);
    assert!(printed.contains(reported), "{reported:?} is not in: {printed}");
}

fn committed(run: &Outcome<'_>) -> Vec<String> {
    let texts = run.events.iter().filter_map(|event| match event {
        LoopEvent::ScmEnded { outcome: ScmOutcome::Done, text, .. } => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn an_honest_message_is_committed_with() {
    let attacked = asked("git diff");
    let run = attacked.project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(committed(&run), ["Change my file"], "{:#?}", run.events);
    assert_eq!(attacked.project.git(&["show", "ralph/demo:mine.txt"]), "changed by the user");
}

#[test]
fn the_branch_of_the_run_becomes_another_one() {
    is_undone("git symbolic-ref refs/heads/ralph/demo refs/heads/main", "symbolic reference");
}

#[test]
fn the_work_tree_is_on_another_branch() {
    is_undone("git branch -f x && git symbolic-ref HEAD refs/heads/x", "changed the branch");
    is_undone("git symbolic-ref HEAD refs/heads/main", "changed the branch");
}

#[test]
fn unjudged_work_is_committed() {
    is_undone("echo wrong > src/code.txt; git commit -qm later src/code.txt", "made commits");
}

#[test]
fn unjudged_work_is_left_on_disk() {
    is_undone("echo wrong > src/code.txt", "src/code.txt");
}

#[test]
fn git_is_to_wait_for_a_pipe() {
    is_undone("mkfifo .git/CHERRY_PICK_HEAD", ".git/CHERRY_PICK_HEAD");
}
