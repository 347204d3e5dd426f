//! With rollback: a failed iteration is rolled back, any other becomes one commit.

use events::{AgentOutcome, LoopEvent};
use tasks::Mode;

use crate::control::Step;
use crate::in_process::project::{Project, id};
use crate::options::RollbackOptions;

#[test]
fn with_rollback_a_failed_iteration_is_rolled_back_and_its_commit_kept_as_a_ref() {
    let mut project = Project::new(&["fail"]);
    project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let before = project.git(&["rev-parse", "HEAD"]);
    let played = run.played(Mode::Implement, 1, None, || {
        project.write("src/new.rs", "work");
        project.submit("US-1");
    });
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    assert!(project.saved().lane.rolling_back.is_some(), "planned on disk first");
    let point = played.iteration.rollback_point.as_ref();
    run.roll_back_to(point, vcs::NewIgnored::Removed).unwrap();
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
    assert!(!project.root().join("src/new.rs").exists());
    let saved = project.saved().run;
    assert!(project.saved().lane.rolling_back.is_none());
    let discarded = saved.stories[&id("US-1")].rolled_back.clone().unwrap();
    assert!(project.git(&["ls-tree", "-r", "--name-only", &discarded]).contains("src/new.rs"));
}

#[test]
fn with_rollback_an_accepted_iteration_becomes_one_commit() {
    let mut project = Project::new(&[]);
    project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let before = project.git(&["rev-parse", "HEAD"]);
    let played = run.played(Mode::Implement, 1, None, || {
        project.commit("src/new.rs", "one");
        project.submit("US-1");
    });
    run.conclude(&played.iteration, Step::Accepted, &[]).unwrap();
    let range = format!("{before}..HEAD");
    assert_eq!(project.git(&["rev-list", "--count", &range]), "1");
    assert_eq!(project.git(&["log", "-1", "--format=%s"]), "ralph[1]: US-1 — Sum");
}

#[test]
fn an_interrupted_session_is_rolled_back_and_other_work_is_not() {
    for (outcome, step, rolls_back) in [
        (AgentOutcome::TimedOut, Step::None, true),
        (AgentOutcome::UsageLimit, Step::None, true),
        (AgentOutcome::Answered, Step::None, false),
        (AgentOutcome::Answered, Step::Accepted, false),
        (AgentOutcome::Answered, Step::ChecksFailed, true),
        (AgentOutcome::Answered, Step::Void, false),
    ] {
        let mut project = Project::new(&[]);
        project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        let iteration = run.started(Mode::Implement, "US-1", 1);
        project.commit("src/new.rs", "work");
        let played = run.settled(iteration, outcome, None);
        run.booked(&played.iteration, step, outcome);
        let planned = project.saved().lane.rolling_back.is_some();
        assert_eq!(planned, rolls_back, "{outcome:?} {step:?}");
        assert_eq!(run.state.stories[&id("US-1")].work.is_empty(), rolls_back);
    }
}

#[test]
fn a_rollback_is_reported_with_its_backup() {
    let mut project = Project::new(&["fail"]);
    project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    project.options.attempts.most = 2;
    let before = project.git(&["rev-parse", "HEAD"]);
    project.write("target/kept.o", "before");
    project.finished(|_| {
        project.write("target/new.o", "x");
        project.write("src/lib.rs", "changed");
        crate::in_process::agent::work(&project, true)
    });
    let rolled = project.events.all().into_iter().find_map(|event| match event {
        LoopEvent::RolledBack(rolled) => Some(rolled),
        _ => None,
    });
    let rolled = rolled.unwrap();
    assert_eq!((rolled.iteration, rolled.story, rolled.to), (1, id("US-1"), before));
    let commit = project.git(&["rev-parse", &rolled.backup]);
    assert!(rolled.backup.ends_with(&format!("rolled-back-1-1-{}", &commit[..12])));
    assert!(project.git(&["ls-tree", "-r", "--name-only", &commit]).contains("src/US-1.rs"));
    assert!(rolled.removed > 0, "the new ignored file");
    assert!(rolled.left.is_empty(), "{:?}", rolled.left);
    assert!(!project.root().join("target/new.o").exists());
    assert_eq!(project.read("target/kept.o"), "before");
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    let run = project.saved().run;
    let folder = project.root().join(format!(".ralph/runs/{}/001-implement-US-1", run.run_id));
    assert!(!folder.join("checkpoint.json").exists());
    let given_up = run.stories[&id("US-1")].given_up.clone().unwrap();
    let files = project.git(&["ls-tree", "-r", "--name-only", &given_up.branch.unwrap()]);
    assert!(files.contains("src/US-1.rs"), "the rolled back work: {files}");
}

#[test]
fn a_lost_checkpoint_leaves_the_changes_with_a_warning() {
    let mut project = Project::new(&["fail"]);
    project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.commit("src/new.rs", "work"));
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    run.roll_back_to(None, vcs::NewIgnored::Kept).unwrap();
    assert!(project.root().join("src/new.rs").exists());
    assert!(run.lane_state.rolling_back.is_none());
    assert!(project.warnings().iter().any(|text| text.contains("the checkpoint of iteration 1")));
}

#[test]
fn a_rollback_that_a_killed_runner_planned_is_finished() {
    let mut project = Project::new(&["fail"]);
    project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    let before = project.git(&["rev-parse", "HEAD"]);
    let played = run.played(Mode::Implement, 1, None, || project.commit("src/new.rs", "work"));
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    drop(run);
    let mut run = project.resumed(project.saved(), &mut second);
    assert!(!run.lane_state.is_settled());
    run.finish_interrupted().unwrap();
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
    assert!(run.lane_state.is_settled() && project.saved().lane.rolling_back.is_none());
}

#[test]
fn the_one_commit_of_an_iteration_names_mode_attempt_and_the_commits_of_the_agent() {
    let mut project = Project::submitted(&[]);
    project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let mut iteration = run.started(Mode::ReviewFix, "US-1", 4);
    iteration.assignment.attempt = 2;
    project.commit("src/1.rs", "work");
    run.conclude(&iteration, Step::None, &[]).unwrap();
    let message = project.git(&["log", "-1", "--format=%B"]);
    assert_eq!(message, "ralph[4]: US-1 — Sum (review-fix), try 2\n\n- work");
    run.conclude(&iteration, Step::None, &[]).unwrap();
    let again = project.git(&["log", "-1", "--format=%B"]);
    assert_eq!(again, "ralph[4]: US-1 — Sum (review-fix), try 2", "repeated after a crash");
    let head = project.git(&["rev-parse", "HEAD"]);
    for step in [Step::ChecksFailed, Step::Undone] {
        project.commit("src/2.rs", "more");
        run.conclude(&iteration, step, &[]).unwrap();
        assert_eq!(project.git(&["rev-parse", "HEAD~1"]), head);
        project.git(&["reset", "-q", "--hard", "HEAD~1"]);
    }
}
