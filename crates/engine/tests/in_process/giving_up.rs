//! Which story is next, and which is given up.

use events::{AgentOutcome, ChecksWithout, Gate, GiveUpReason, LoopEvent, StoryCommits, Stuck};
use serde_json::json;
use tasks::{Mode, Selection};

use crate::control::{NextWork, Step};
use crate::coordinator::state::{GivingUp, KeptWork};
use crate::drive::Drivable;
use crate::in_process::project::{Project, id, story};
use crate::options::AtReviewCap;

#[test]
fn a_story_is_given_up_after_its_last_attempt_and_its_work_goes_to_a_branch() {
    let mut project = Project::with(&[story("US-1"), story("US-2")], &["fail"]);
    project.options.attempts.most = 2;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    for number in 1..=2 {
        let name = format!("src/n{number}.rs");
        let played = run.played(Mode::Implement, number, None, || {
            project.write(&name, "work");
            project.submit("US-1");
        });
        run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    }
    let NextWork::Work(next) = run.find_work().unwrap() else { panic!("US-2 is left") };
    assert_eq!(next.story, id("US-2"));
    let saved = project.saved().run;
    let given_up = saved.stories[&id("US-1")].given_up.clone().unwrap();
    assert_eq!(given_up.reason, GiveUpReason::AttemptsUsed);
    let branch = given_up.branch.unwrap();
    assert!(project.git(&["ls-tree", "-r", "--name-only", &branch]).contains("src/n2.rs"));
    assert!(!project.root().join("src/n2.rs").exists());
    assert!(project.saved().lane.giving_up.is_none());
    let is_it = |event: &LoopEvent| matches!(event, LoopEvent::StoryGivenUp { .. });
    assert_eq!(project.events.all().iter().filter(|event| is_it(event)).count(), 1);
}

#[test]
fn without_another_story_the_run_has_failed() {
    let mut project = Project::new(&["fail"]);
    project.options.attempts.most = 1;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    assert!(matches!(run.find_work().unwrap(), NextWork::Failed));
}

#[test]
fn a_skipped_story_is_given_up_and_an_unknown_one_is_refused() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.skips.extend([id("US-1"), id("US-9")]);
    let NextWork::Work(next) = run.find_work().unwrap() else { panic!("US-2 is left") };
    assert_eq!(next.story, id("US-2"));
    assert!(run.state.skips.is_empty());
    let given_up = run.state.stories[&id("US-1")].given_up.as_ref().unwrap();
    assert_eq!(given_up.reason, GiveUpReason::Skipped);
    let refused = |event: &LoopEvent| matches!(event, LoopEvent::OrderRefused { .. });
    assert!(project.events.all().iter().any(refused));
}

#[test]
fn an_order_to_skip_without_a_story_means_the_next_one() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.skip(None).unwrap();
    assert!(run.state.skips.contains(&id("US-1")));
    run.skip(Some(id("US-2"))).unwrap();
    assert_eq!(run.state.skips.len(), 2);
}

#[test]
fn at_the_cap_of_reviews_a_story_fails_only_if_the_settings_say_so() {
    for (at_cap, expected) in
        [(AtReviewCap::Fail, Some(GiveUpReason::ReviewCap)), (AtReviewCap::default(), None)]
    {
        let mut rejected = story("US-1");
        rejected["reviewStatus"] = json!("changes_requested");
        rejected["reviewCount"] = json!(3);
        rejected["reviewFeedback"] = json!("No.");
        let mut project = Project::with(&[rejected], &[]);
        project.options.at_review_cap = at_cap;
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        run.find_work().unwrap();
        let record = run.state.stories.get(&id("US-1"));
        let reason = record.and_then(|record| Some(record.given_up.as_ref()?.reason));
        assert_eq!(reason, expected, "{at_cap:?}");
    }
}

#[test]
fn a_list_whose_stories_pass_is_complete() {
    let mut done = story("US-1");
    done["passes"] = json!(true);
    done["reviewStatus"] = json!("approved");
    done["notes"] = json!("n");
    let project = Project::with(&[done], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    assert!(matches!(run.find_work().unwrap(), NextWork::Complete));
    assert_eq!(run.select_next().unwrap(), Selection::Complete);
}

#[test]
fn between_two_iterations_only_new_stories_priorities_and_notes_may_change() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.expected_tasks().unwrap();
    project.set("US-1", &[("notes", json!("remember"))]);
    assert_eq!(run.expected_tasks().unwrap().list.stories[0].notes, "remember");
    project.set("US-1", &[("passes", json!(true)), ("reviewStatus", json!("approved"))]);
    assert!(!run.expected_tasks().unwrap().list.stories[0].passes);
    assert_eq!(project.story("US-1")["passes"], false);
    let reverted = |event: &LoopEvent| matches!(event, LoopEvent::ChangesReverted { .. });
    assert!(project.events.all().iter().any(reverted));
}

/// US-1 fails for good after US-2 was done.
fn interleaved(act: impl Fn(&Project, u64), checks: &[&str]) -> (Project, events::GivenUp) {
    let mut project = Project::with(&[story("US-1"), story("US-2")], checks);
    project.options.attempts.most = 1;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let mut work = |id_: &str, number: u64, step| {
        let iteration = run.started(Mode::Implement, id_, number);
        act(&project, number);
        let played = run.settled(iteration, AgentOutcome::Answered, None);
        run.booked(&played.iteration, step, AgentOutcome::Answered);
    };
    work("US-1", 1, Step::None);
    work("US-2", 2, Step::None);
    work("US-1", 3, Step::Undone);
    run.give_up_failed().unwrap();
    drop(run);
    let given_up = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap();
    (project, given_up)
}

#[test]
fn work_of_another_story_in_between_stays() {
    let act = |project: &Project, number| project.commit(&format!("src/{number}.rs"), "work");
    for (check, expected) in [("pass", ChecksWithout::Passed), ("fail", ChecksWithout::NotRun)] {
        let (project, given_up) = interleaved(act, &[check]);
        let StoryCommits::Reverted { checks, commit } = given_up.commits else {
            panic!("{given_up:?}");
        };
        let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(files.contains("src/2.rs") && !files.contains("src/1.rs"), "{files}");
        assert!(!files.contains("src/3.rs"), "{files}");
        match checks {
            ChecksWithout::Failed { command, approved, .. } => {
                assert_eq!((command.as_str(), check), ("fail", "fail"));
                assert!(approved.is_empty(), "US-2 is not approved");
            }
            other => assert_eq!(other, expected),
        }
        let message = project.git(&["log", "-1", "--format=%B", &commit]);
        assert!(message.starts_with("ralph: give up US-1 after 1 failed attempts"), "{message}");
    }
}

#[test]
fn work_that_later_work_depends_on_stays_with_the_conflicts() {
    let act = |project: &Project, number: u64| {
        let text = format!("line {number}\n").repeat(usize::try_from(number).unwrap());
        project.commit("src/same.rs", &text);
    };
    let (project, given_up) = interleaved(act, &[]);
    assert_eq!(given_up.commits, StoryCommits::Kept { conflicts: vec!["src/same.rs".into()] });
    assert!(project.root().join("src/same.rs").exists());
    let progress = project.read("ralph/progress.txt");
    assert!(progress.contains("still on this branch, unfinished"), "{progress}");
}

#[test]
fn the_failure_branch_and_progress_txt_describe_the_failure() {
    let mut project = Project::new(&["fail error: sum is wrong"]);
    project.options.attempts.most = 3;
    project.options.attempts.stuck_after = 2;
    project.finished(|_| crate::in_process::agent::work(&project, true));
    let given_up = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap();
    assert_eq!((given_up.attempts, given_up.of), (3, 3));
    assert_eq!(given_up.stuck, Stuck::Yes { repeats: 3, strategy_shifts: 1 });
    assert_eq!(given_up.diagnostics.as_deref(), Some("ralph/failure-US-1.md"));
    let branch = given_up.branch.unwrap();
    let message = project.git(&["log", "-1", "--format=%B", &branch]);
    assert!(message.starts_with("Ralph Loop failed: US-1\n\nIterations: 3/3\nLast gate: tests"));
    assert!(message.contains("Stuck: yes, the same error 3 times in a row"), "{message}");
    assert!(message.contains("1. iteration 1 (implement), tests"), "{message}");
    assert!(message.contains("3. iteration 3 (implement), tests"), "{message}");
    let file = project.git(&["show", &format!("{branch}:ralph/failure-US-1.md")]);
    assert!(file.contains("sum is wrong"), "{file}");
    let progress = project.git(&["show", "HEAD:ralph/progress.txt"]);
    assert!(progress.contains("## Ralph, US-1: given up"), "{progress}");
    assert!(progress.contains(&format!("on {branch}, not on this branch")), "{progress}");
    let refs = project.git(&["for-each-ref", "--format=%(refname)", "refs/ralph/"]);
    assert!(refs.contains("/set-aside-US-1-"), "{refs}");
    assert_eq!(project.git(&["log", "-1", "--format=%s"]), "ralph: record that US-1 was given up");
}

#[test]
fn a_progress_txt_of_the_user_is_not_committed() {
    let mut project = Project::new(&["fail"]);
    project.options.attempts.most = 1;
    project.options.allow_dirty = true;
    project.write("ralph/progress.txt", "mine\n");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.lane.workspace.baseline.dirty_before.push("ralph/progress.txt".into());
    run.state.skips.insert(id("US-1"));
    run.give_up_failed().unwrap();
    assert!(project.read("ralph/progress.txt").starts_with("mine\n## Ralph, US-1: given up"));
    assert!(!project.git(&["ls-files"]).contains("progress.txt"));
}

#[test]
fn a_skipped_story_without_attempts_says_who_skipped_it() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.skips.insert(id("US-1"));
    run.give_up_failed().unwrap();
    let given_up = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap();
    assert_eq!(
        (given_up.last_gate, given_up.error.as_str()),
        (Gate::Implement, "skipped by the user")
    );
    assert_eq!((given_up.stuck, given_up.commits), (Stuck::No, StoryCommits::Nothing));
    assert!(project.read("ralph/progress.txt").contains("- Skipped by the user\n"));
}

#[test]
fn skips_of_done_and_given_up_stories_are_refused() {
    let mut done = story("US-1");
    done["passes"] = json!(true);
    done["reviewStatus"] = json!("approved");
    done["notes"] = json!("n");
    let project = Project::with(&[done, story("US-2"), story("US-3")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.skips.insert(id("US-2"));
    run.give_up_skipped().unwrap();
    assert!(run.state.stories[&id("US-2")].given_up.is_some(), "at once");
    run.state.skips.extend([id("US-1"), id("US-2")]);
    run.drop_idle_skips().unwrap();
    assert!(run.state.skips.is_empty());
    let reasons = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::OrderRefused { why, .. } => Some(why),
        _ => None,
    });
    let reasons: Vec<_> = reasons.collect();
    assert_eq!(reasons, ["it is done already", "it is given up already"]);
    run.started(Mode::Implement, "US-3", 1);
    run.state.skips.insert(id("US-3"));
    run.give_up_skipped().unwrap();
    assert!(run.state.stories[&id("US-3")].given_up.is_none(), "after its iteration");
    assert!(run.is_skipped(&id("US-3")) && !run.is_skipped(&id("US-1")));
}

#[test]
fn a_skipped_story_gets_no_session() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.skips.insert(id("US-1"));
    let work = crate::lane::StoryWork { mode: Mode::Implement, story: id("US-1") };
    let attempt = crate::control::IterationAttempt { iteration: 1, attempt: 1 };
    let result = run.iterate(attempt, work).unwrap();
    assert_eq!((result.outcome, result.step), (AgentOutcome::Stopped, Step::None));
    assert!(run.lane_state.running.is_none());
}

#[test]
fn giving_up_that_a_killed_runner_began_is_finished() {
    for user_commits in [false, true] {
        let mut project = Project::new(&["fail"]);
        project.options.attempts.most = 1;
        project.finished(|_| crate::in_process::agent::work(&project, true));
        let mut saved = project.saved();
        let record = saved.run.stories.get_mut(&id("US-1")).unwrap();
        let outcome = record.given_up.take().unwrap();
        let branch = outcome.branch.clone().unwrap();
        let backup = project.git(&["for-each-ref", "--format=%(objectname)", "refs/ralph/"]);
        let tip = backup.lines().next_back().unwrap().to_owned();
        let from = record.began_at.clone().unwrap();
        record.work = vec![crate::lane::OwnCommits { from, to: tip.clone() }];
        let adopted = project.git(&["rev-parse", "HEAD~1"]);
        let commit = project.git(&["rev-parse", &branch]);
        project.git(&["reset", "-q", "--hard", &tip]);
        if user_commits {
            project.commit("mine.txt", "mine");
        }
        let at = outcome.given_up_at.format("%Y%m%d-%H%M%S").to_string();
        let kept = KeptWork { tip, commit, adopted: Some(adopted), at };
        saved.lane.giving_up = Some(GivingUp { story: id("US-1"), outcome, kept: Some(kept) });
        saved.run.ended = None;
        assert!(!saved.lane.is_settled());
        let mut observer = project.events.clone();
        let mut run = project.resumed(saved, &mut observer);
        run.finish_giving_up().unwrap();
        let given_up = run.state.stories[&id("US-1")].given_up.clone().unwrap();
        assert_eq!(given_up.branch, Some(branch), "no second branch");
        assert!(run.lane_state.giving_up.is_none());
        let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(!files.contains("src/US-1.rs"), "{files}");
        assert_eq!(files.contains("mine.txt"), user_commits);
    }
}
