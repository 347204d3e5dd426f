//! Changes by others and by the user between the death of the runner and the next run.

use events::LoopEvent;
use predicates::str::contains;
use serde_json::{Value, json};
use test_repo::assert_text;
use test_repo::git;

use super::{
    ARGS, Besides, DECIDED, Moment, about_to_fail, arm, assert_given_up, cut_off, disarm,
    failure_branches, fresh_copy, run_killed, tip,
};
use crate::harness::program;

fn is_finishing(event: &LoopEvent) -> bool {
    matches!(event, LoopEvent::LeftoverFound { text } if text.contains("giving up story US-2 was interrupted"))
}

#[test]
fn a_fresh_start_finishes_it_first() {
    let project = cut_off(2, Besides::Nothing);
    let tip = tip(&project);
    // Between files and branch: half of the files are changed, which is no failure.
    run_killed(&project, "--refresh", Moment::Before);
    let finished = project.run(&[&ARGS[..4], &["--fresh"]].concat());
    finished.assert_exit(1);
    finished.assert_event("what is being finished", is_finishing);
    let root = project.root();
    let archived = git(root, &["tag", "--list", "ralph-archive/*"]);
    assert_eq!(git(root, &["rev-parse", &format!("{archived}^")]), tip);
    assert_eq!(failure_branches(&project).len(), 1, "it failed once more");
    assert!(!root.join("broken").exists());
    assert_eq!(git(root, &["status", "--porcelain"]), "");
    project.assert_sound_repository();
}

#[test]
fn a_fresh_start_that_cannot_finish_it_names_the_obstacle() {
    let project = cut_off(2, Besides::Nothing);
    let (tip, root) = (tip(&project), project.root());
    let in_the_way = root.join(".git/CHERRY_PICK_HEAD");
    std::fs::write(&in_the_way, format!("{tip}\n")).unwrap();
    let refused = project.run(&["--fresh"]);
    refused.assert_exit(2);
    assert_text(&refused.stderr, contains("interrupted while it gave up story US-2"));
    assert_text(&refused.stderr, contains("a cherry-pick is in progress"));
    assert!(!project.state().unwrap()["givingUp"].is_null(), "nothing is forgotten");
    std::fs::remove_file(&in_the_way).unwrap();
    let finished = project.run(&ARGS);
    assert_given_up(&project, &finished, &tip, Besides::Nothing, "after the refusal");
    finished.assert_event("what is being finished", is_finishing);
}

#[test]
fn an_interrupt_waits_until_it_is_done() {
    let template = about_to_fail(3, Besides::Nothing);
    for words in ["refs/ralph/", "--index-info", "ralph: adopt"] {
        let project = fresh_copy(&template);
        arm(&project, DECIDED, words, Moment::Interrupt);
        let stopped = project.run(&ARGS);
        stopped.assert_exit(130);
        project.assert_quiet();
        assert!(project.state().unwrap()["givingUp"].is_null(), "{words}");
        assert_eq!(failure_branches(&project).len(), 1, "{words}");
        assert!(!project.root().join("broken").exists(), "{words}");
        disarm(&project);
        project.run(&ARGS).assert_exit(1);
        assert_eq!(failure_branches(&project).len(), 1, "{words}");
        assert_eq!(project.counter("iterations"), 5, "{words}");
    }
}

/// The checks of what is left have no time then.
#[test]
fn an_interrupt_leaves_unsaid_whether_the_rest_works() {
    let project = about_to_fail(3, Besides::AnotherBranch);
    arm(&project, DECIDED, "ralph: adopt", Moment::Interrupt);
    project.run(&ARGS).assert_exit(130);
    project.assert_quiet();
    let state = project.state().unwrap();
    assert!(state["givingUp"].is_null());
    let commits = &state["stories"]["US-2"]["givenUp"]["commits"];
    assert_eq!(commits["kind"], "reverted");
    assert_eq!(commits["checks"]["kind"], "not-run");
    disarm(&project);
    project.run(&ARGS).assert_exit(1);
    assert_eq!(failure_branches(&project).len(), 1);
}

/// No ref names the commits of a plan before they are needed.
#[test]
fn commits_that_git_cleaned_away_are_made_again() {
    let project = cut_off(2, Besides::Nothing);
    let (tip, root) = (tip(&project), project.root());
    git(root, &["gc", "-q", "--prune=now"]);
    let all = git(root, &["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]);
    let state = project.state().unwrap();
    for name in ["commit", "adopted"] {
        let planned = state["givingUp"]["kept"][name].as_str().unwrap();
        assert!(!all.contains(planned), "{name} is still there");
    }
    let finished = project.run(&ARGS);
    assert_given_up(&project, &finished, &tip, Besides::Nothing, "after a clean-up");
}

#[test]
fn foreign_commits_are_kept() {
    let template = cut_off(2, Besides::Nothing);
    let tip = tip(&template);
    for words in ["refs/ralph/", "ralph: adopt"] {
        let project = fresh_copy(&template);
        let root = project.root();
        run_killed(&project, words, Moment::During);
        project.write("theirs.txt", "mine, not the loop's\n");
        git(root, &["add", "theirs.txt"]);
        git(root, &["commit", "-q", "-m", "mine"]);
        let mine = git(root, &["rev-parse", "HEAD"]);
        project.run(&ARGS).assert_exit(1);
        git(root, &["merge-base", "--is-ancestor", &mine, "HEAD"]);
        assert_eq!(git(root, &["show", "HEAD:theirs.txt"]), "mine, not the loop's", "{words}");
        assert!(!root.join("broken").exists(), "{words}");
        let branches = failure_branches(&project);
        assert_eq!(branches.len(), 1, "{words}: {branches:?}");
        git(root, &["merge-base", "--is-ancestor", &tip, &branches[0]]);
        assert_eq!(git(root, &["status", "--porcelain"]), "", "{words}");
        project.assert_sound_repository();
    }
}

#[test]
fn an_edit_of_the_task_list_stays() {
    let project = cut_off(2, Besides::Nothing);
    let text = std::fs::read(project.layout().tasks()).unwrap();
    let mut list: Value = serde_json::from_slice(&text).unwrap();
    let mut added = list["userStories"][1].clone();
    added["id"] = json!("US-9");
    list["userStories"].as_array_mut().unwrap().push(added);
    project.write("ralph/tasks.json", &format!("{list:#}\n"));
    project.run(&ARGS).assert_exit(1);
    let done: Vec<bool> = project.list().stories.iter().map(|story| story.passes).collect();
    assert_eq!(done, [true, false, true], "the new story gets done");
    assert_eq!(failure_branches(&project).len(), 1);
    assert_eq!(git(project.root(), &["status", "--porcelain"]), "");
}

#[test]
fn another_checked_out_branch_is_switched_back() {
    let project = cut_off(2, Besides::Nothing);
    let tip = tip(&project);
    git(project.root(), &["switch", "-q", "main"]);
    let finished = project.run(&ARGS);
    assert_given_up(&project, &finished, &tip, Besides::Nothing, "from main");
}

#[test]
fn the_run_then_continues_with_the_other_stories_and_reports_all() {
    let project = cut_off(3, Besides::Nothing);
    project.run(&ARGS).assert_exit(1);
    let done: Vec<bool> = project.list().stories.iter().map(|story| story.passes).collect();
    assert_eq!(done, [true, false, true]);
    assert_eq!(project.counter("iterations"), 5);
    let branches = failure_branches(&project);
    assert_eq!(branches.len(), 1);
    let report = program(&[]).arg("report").current_dir(project.root()).output().unwrap();
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(report.contains(&branches[0]), "{report}");
}
