//! Killed at every git that is called meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};

use test_repo::git;

use super::{
    ARGS, Besides, DECIDED, FAILED, Moment, about_to_fail, arm, assert_given_up, calls, cut_off,
    fresh_copy, run_killed, run_killed_since, tip,
};
use crate::harness::Project;

const LANES: usize = 3;

#[test]
fn at_every_git_that_it_calls() {
    sweep(Besides::Nothing, 1);
}

#[test]
fn with_changes_of_the_users() {
    sweep(Besides::UsersChanges, 3);
}

#[test]
fn when_one_commit_reverts_the_commits() {
    sweep(Besides::AnotherBranch, 3);
}

/// Kills a runner at every `stride`-th call.
#[track_caller]
fn sweep(besides: Besides, stride: usize) {
    let template = cut_off(2, besides);
    let tip = tip(&template);
    let counted = fresh_copy(&template);
    arm(&counted, DECIDED, usize::MAX, Moment::Before);
    let finished = counted.run(&ARGS);
    assert_given_up(&counted, &finished, &tip, besides, "killed before everything");
    let all = calls(&counted).len();
    assert!(all > 10, "{:?}", calls(&counted));
    let next = AtomicUsize::new(1);
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                loop {
                    let call = next.fetch_add(stride, Ordering::Relaxed);
                    if call > all {
                        return;
                    }
                    // Half of them each way: what git did or did not do shows at the next call.
                    let moment =
                        if call.is_multiple_of(2) { Moment::Before } else { Moment::During };
                    killed_and_finished(&template, &tip, call, moment, besides);
                }
            });
        }
    });
}

fn killed_and_finished(
    template: &Project,
    tip: &str,
    call: usize,
    moment: Moment,
    besides: Besides,
) {
    let project = fresh_copy(template);
    let what = run_killed(&project, call, moment);
    let known = git(project.root(), &["rev-list", "--all"]);
    assert!(known.lines().any(|commit| commit == tip), "{what}: {tip} is lost");
    let finished = project.run(&ARGS);
    assert_given_up(&project, &finished, tip, besides, &format!("{call} {what}"));
}

/// Nothing that is made while it decides counts before it is decided.
#[test]
fn while_it_decides() {
    let template = about_to_fail(2, Besides::Nothing);
    for words in ["rev-list", "for-each-ref", "commit-tree"] {
        let project = fresh_copy(&template);
        let what = run_killed_since(&project, FAILED, words, Moment::During);
        assert!(project.state().unwrap()["givingUp"].is_null(), "{what}");
        let tip = git(project.root(), &["rev-parse", "ralph/scratch"]);
        let finished = project.run(&ARGS);
        assert_given_up(&project, &finished, &tip, Besides::Nothing, &what);
    }
}
