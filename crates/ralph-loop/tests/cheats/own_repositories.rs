//! Folders with committed files that are made repositories of their own, so that git looks past them, and
//! names that show a reviewer other objects than those that are committed.

use events::{LoopEvent, RunEnd};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::attack_target::{AttackTarget, STORY, runner_text};
use crate::outcome::Outcome;

/// A reviewer that approves what it reads, by this command, if it is `right`.
fn reviewed_by_reading(read: &str) -> Vec<Act> {
    let review = format!(
        "if [ \"$({read})\" = right ]; then s=approved p=true; else s=changes_requested p=false; fi\n\
         sed -i \"s/\\\"passes\\\": false/\\\"passes\\\": $p/; s/\\\"needs_review\\\"/\\\"$s\\\"/; \
         s/\\\"reviewCount\\\": 0/\\\"reviewCount\\\": 1/; \
         s/\\\"reviewFeedback\\\": \\\"\\\"/\\\"reviewFeedback\\\": \\\"as it is\\\"/\" ralph/tasks.json\n\
         git commit -qam review"
    );
    vec![Act::bash(review)]
}

/// Every committed file on disk is what the commit has, whatever `script` does in the session or as a check
/// of the agent's own.
#[track_caller]
fn shows_what_is_committed(target: AttackTarget, acts: Vec<Act>, read: &str) -> String {
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), acts)
        .rule(When::mode(Mode::Review), reviewed_by_reading(read));
    let attacked = target.scenario(scenario);
    let run: Outcome<'_> = attacked.project.run(["-n", "2"]);
    let counts = |event: &LoopEvent| {
        matches!(
            event,
            LoopEvent::RunEnded(events::RunEnded { end: RunEnd::Complete, .. })
                | LoopEvent::StoryStatusChanged { passes: true, .. }
        )
    };
    assert!(!run.events.iter().any(counts), "{:#?}", run.events);
    assert_eq!(run.project.fields(STORY)[0], false);
    runner_text(&run)
}

fn wrong(script: &str) -> Vec<Act> {
    vec![
        Act::bash("echo wrong > src/code.txt"),
        Act::submit("done"),
        Act::commit("feat: done"),
        Act::bash(script),
    ]
}

#[test]
fn a_repository_that_a_check_makes_above_committed_files() {
    let target = AttackTarget::with_checks(["sh test.sh", "true"]);
    target.project.write("test.sh", "true\n");
    test_repo::commit_all(&target.project.path());
    let acts = vec![
        Act::bash(
            "echo wrong > src/code.txt\n\
             echo '[ -d src/.git ] || git init -q src; echo right > src/code.txt' > test.sh",
        ),
        Act::submit("done"),
        Act::commit("feat: done"),
    ];
    let printed = shows_what_is_committed(target, acts, "cat src/code.txt");
    assert_text(&printed, contains("src/.git hid committed files"));
    assert_text(&printed, contains("left a nested git repository").not());
}

#[test]
fn a_repository_that_a_session_makes_above_committed_files() {
    let target = AttackTarget::with_checks(["true"]);
    let script = "git update-index --assume-unchanged src/code.txt; git init -q src; \
                  echo right > src/code.txt";
    let printed = shows_what_is_committed(target, wrong(script), "cat src/code.txt");
    assert_text(&printed, contains("src/.git hid committed files"));
}

/// Nothing is hidden yet: a later check or session could use it.
#[test]
fn a_repository_above_files_that_are_as_committed() {
    let target = AttackTarget::with_checks(["true"]);
    let printed = shows_what_is_committed(target, wrong("git init -q src"), "cat src/code.txt");
    assert_text(&printed, contains("src/.git hid committed files"));
}

/// git does not commit what is inside of another repository.
#[test]
fn a_repository_above_files_that_are_not_committed_yet() {
    let script = "git init -q src; echo more > src/code.txt";
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), wrong(script));
    let attacked = AttackTarget::with_checks(["true"]).scenario(scenario);
    let run = attacked.project.run(["-n", "1"]);
    let printed = runner_text(&run);
    assert_text(&printed, contains("src/.git hid committed files"));
    assert_eq!(attacked.project.git(&["show", "HEAD:src/code.txt"]), "more", "nothing is lost");
}

#[test]
fn a_repository_in_the_place_of_a_committed_file() {
    let target = AttackTarget::with_checks(["true"]);
    let script = "git update-index --assume-unchanged src/code.txt; rm src/code.txt; \
                  git init -q src/code.txt; echo right > src/code.txt/code";
    let printed = shows_what_is_committed(target, wrong(script), "cat src/code.txt/code");
    assert_text(&printed, contains("src/code.txt"));
}

/// The commit has no `src` any more, the disk has one.
#[test]
fn a_repository_of_what_is_no_longer_committed() {
    let target = AttackTarget::with_checks(["true"]);
    let acts = vec![
        Act::submit("done"),
        Act::bash(
            "git rm -rq --cached src; git init -q src; echo right > src/code.txt; git commit -qam x",
        ),
    ];
    let printed =
        shows_what_is_committed(target, acts, "git show HEAD:src/code.txt | sed s/right/seen/");
    assert_text(&printed, contains("src/.git hid committed files"));
}

#[test]
fn a_replacement_of_a_committed_object() {
    let target = AttackTarget::with_checks(["true"]);
    let script =
        "git replace $(git rev-parse HEAD:src/code.txt) $(echo right | git hash-object -w --stdin)";
    let printed = shows_what_is_committed(target, wrong(script), "git show HEAD:src/code.txt");
    assert_text(&printed, contains("refs/replace/"));
}

/// A check leaves a file and keeps it from being moved.
#[test]
fn a_file_in_the_place_of_the_folder_that_leftovers_go_to() {
    let target = AttackTarget::with_checks(["sh test.sh", "test ! -e planted"]);
    target.project.write("test.sh", "true\n");
    test_repo::commit_all(&target.project.path());
    let acts = vec![
        Act::bash(
            "echo wrong > src/code.txt\n\
             echo 'echo x > planted; for run in .ralph/runs/*/*/; do echo x > $run/moved; done' > test.sh",
        ),
        Act::submit("done"),
        Act::commit("feat: done"),
    ];
    let printed = shows_what_is_committed(target, acts, "cat src/code.txt");
    assert_text(&printed, contains("planted"));
}

/// Without its `.git` the submodule is none to git, and its files are compared with nothing.
#[test]
fn a_submodule_that_is_none_any_more() {
    let AttackTarget { project } = AttackTarget::with_checks(["sh lib/check.sh"]);
    let lib = project.path().join("../lib");
    std::fs::create_dir(&lib).unwrap();
    test_repo::git(&lib, &["init", "-q"]);
    std::fs::copy(project.path().join("check.sh"), lib.join("check.sh")).unwrap();
    test_repo::commit_all(&lib);
    project.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../lib",
        "lib",
    ]);
    test_repo::commit_all(&project.path());
    let attacked = AttackTarget { project }.attack("rm lib/.git; echo true > lib/check.sh");
    attacked.fails_its_check("lib");
}
