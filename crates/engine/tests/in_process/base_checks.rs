//! Checks that fail before the first story.

use events::{KnownFailure, LoopEvent, RunEnd};
use serde_json::{Value, json};
use tasks::Mode;

use crate::control::Step;
use crate::in_process::agent;
use crate::in_process::lanes::Lanes;
use crate::in_process::project::{Project, id, story};
use crate::options::BaseChecks;

/// Fails with the text of the file, if there is one.
const CHECK: &str = "prints old.txt";

fn project(stories: &[Value]) -> Project {
    let mut project = Project::with(stories, &[CHECK, "pass"]);
    project.options.base_checks = BaseChecks::Excuse;
    project.options.attempts.most = 2;
    project.commit("old.txt", "error: the year is wrong\n");
    project
}

fn two() -> Vec<Value> {
    ["US-1", "US-2"].map(story).to_vec()
}

/// The failures that each check of the base found.
fn known(project: &Project) -> Vec<Vec<String>> {
    let found = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::BaseChecked { failures, .. } => Some(failures),
        _ => None,
    });
    let commands = |failures: Vec<KnownFailure>| failures.into_iter().map(|it| it.command);
    found.map(|failures| commands(failures).collect()).collect()
}

fn fixed(project: &Project) -> Vec<String> {
    let fixed = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::KnownFailureFixed { story, command } => Some(format!("{story} {command}")),
        _ => None,
    });
    fixed.collect()
}

#[test]
fn a_check_that_failed_before_is_not_held_against_a_story_and_sessions_know_it() {
    let project = project(&two());
    let mut prompts = Vec::new();
    let finished = project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        agent::work(&project, true)
    });
    assert_eq!(finished.end, RunEnd::Complete);
    assert_eq!(known(&project), [[CHECK]]);
    let told = "- `prints old.txt` (failed before the work on this story and does not have to pass: error: the year is wrong)";
    assert!(prompts.iter().all(|prompt| prompt.contains(told)), "{prompts:?}");
    let run = project.options.run.layout.run_dir(&finished.run_id);
    let record = std::fs::read(run.join("001-implement-US-1").join("validation.json")).unwrap();
    let record: Value = serde_json::from_slice(&record).unwrap();
    let result = &record["results"][0];
    assert_eq!((&result["holdsUp"], &result["knownFailure"]), (&json!(false), &json!(true)));
    assert_eq!(record["verdict"], "passed");
}

#[test]
fn another_failure_of_the_same_check_counts() {
    let project = project(&[story("US-1")]);
    let finished = project.finished(|_| {
        project.write("old.txt", "error: the month is wrong\n");
        agent::work(&project, true)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed);
}

#[test]
fn a_check_that_a_criterion_names_has_to_pass() {
    let mut about = story("US-1");
    about["acceptanceCriteria"] = json!(["`prints old.txt` passes"]);
    let project = project(&[about]);
    let mut prompts = Vec::new();
    let finished = project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        agent::work(&project, true)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    assert!(prompts.iter().all(|prompt| !prompt.contains("does not have to pass")));
}

#[test]
fn a_story_that_fixes_a_check_is_credited_and_no_later_one_may_break_it() {
    let project = project(&two());
    let finished = project.finished(|_| {
        match project.story("US-1")["passes"] == true {
            true => project.write("old.txt", "error: the year is wrong\n"),
            false => drop(std::fs::remove_file(project.root().join("old.txt"))),
        }
        agent::work(&project, true)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    assert_eq!(fixed(&project), ["US-1 prints old.txt"]);
    assert_eq!(project.story("US-1")["passes"], true);
    assert_eq!(project.story("US-2")["passes"], false);
}

#[test]
fn a_session_cannot_break_a_check_to_have_it_excused() {
    let mut project = project(&[story("US-1")]);
    project.git(&["rm", "-q", "old.txt"]);
    project.git(&["commit", "-q", "-m", "fixed"]);
    project.options.run.policy.max_iterations = 1;
    project.options.attempts.most = 3;
    let work = |project: &Project| {
        project.commit("old.txt", "error: the year is wrong\n");
        agent::work(project, true)
    };
    project.finished(|_| work(&project));
    assert_eq!(known(&project), [Vec::<String>::new()]);
    // Neither the next iteration nor a resumed run checks its work as if it were the base.
    project.options.run.policy.max_iterations = 20;
    let finished = project.finished(|_| work(&project));
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    assert_eq!(known(&project).len(), 1);
}

#[test]
fn the_base_is_checked_again_if_another_program_committed() {
    let project = project(&two());
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.check_new_base().unwrap();
    run.check_new_base().unwrap();
    assert_eq!(known(&project).len(), 1);
    run.moving_base(|_| {
        project.commit("src/a.rs", "of the run");
        Ok(())
    })
    .unwrap();
    run.check_new_base().unwrap();
    assert_eq!(known(&project).len(), 1);
    project.commit("src/b.rs", "of the user");
    run.moving_base(|_| {
        project.commit("src/c.rs", "of the run");
        Ok(())
    })
    .unwrap();
    run.check_new_base().unwrap();
    assert_eq!(known(&project).len(), 2);
    // Work on a story is not accepted yet.
    let played =
        run.played(Mode::Implement, 1, None, || project.commit("src/d.rs", "of a session"));
    run.booked(&played.iteration, Step::None, events::AgentOutcome::Answered);
    project.commit("src/e.rs", "of the user");
    run.check_new_base().unwrap();
    assert_eq!(known(&project).len(), 2);
}

#[test]
fn a_killed_run_continues_with_what_it_knew() {
    let project = project(&[story("US-1")]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.check_new_base().unwrap();
    let played = run.moving_base(|run| {
        let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
        run.booked(&played.iteration, Step::Accepted, events::AgentOutcome::Answered);
        Ok(played)
    });
    assert_eq!(played.unwrap().step(), Some(Step::Accepted));
    run.save().unwrap();
    let (saved, mut observer) = (project.saved(), project.events.clone());
    let mut next = project.resumed(saved, &mut observer);
    next.check_new_base().unwrap();
    assert_eq!(known(&project), [[CHECK], [CHECK]], "the user is told again");
    assert_eq!(
        project.processes.checks_run.lock().unwrap().len(),
        5,
        "two, one again, and the step"
    );
    let played = next.played(Mode::Review, 2, Some(tasks::ReviewVerdict::Approved), || {
        agent::approve(&project, "US-1", 1);
    });
    assert_eq!(played.step(), Some(Step::Accepted), "{}", played.findings());
    assert!(next.state.stories[&id("US-1")].tolerated.iter().any(|it| it.command == CHECK));
}

#[test]
fn a_run_that_requires_it_does_not_start_on_a_failing_base() {
    let mut project = project(&[story("US-1")]);
    project.options.base_checks = BaseChecks::Require;
    let finished = project.finished(|_| panic!("no session"));
    assert_eq!((finished.end, finished.end.exit_code()), (RunEnd::BaseFails, 2));
    assert!(finished.error.unwrap().to_string().contains("`prints old.txt` fail"));
    project.git(&["rm", "-q", "old.txt"]);
    project.git(&["commit", "-q", "-m", "fixed"]);
    assert_eq!(project.finished(|_| agent::work(&project, true)).end, RunEnd::Complete);
}

#[test]
fn in_lanes_the_base_is_the_branch_of_the_run() {
    let mut lanes = Lanes::new(2, &two(), &[CHECK, "pass"]);
    lanes.project.options.base_checks = BaseChecks::Excuse;
    lanes.project.git(&["switch", "-q", crate::in_process::project::BRANCH]);
    lanes.project.commit("old.txt", "error: the year is wrong\n");
    lanes.project.git(&["switch", "-q", "main"]);
    lanes.completes(|project, story| {
        if story == "US-2" {
            let _ = std::fs::remove_file(project.root().join("old.txt"));
        }
        agent::work_on(project, story)
    });
    assert_eq!(known(&lanes.project), [[CHECK]]);
    assert_eq!(fixed(&lanes.project), ["US-2 prints old.txt"]);
    let base = lanes.project.saved().run.checked_base.unwrap();
    assert!(base.known.list().is_empty());
}
