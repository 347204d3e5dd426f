//! What a lane restores: files of the user, files of the runner, and what a killed runner could not restore.

use std::fs;

use events::{AgentOutcome, LoopEvent};
use serde_json::json;
use tasks::{Mode, ReviewVerdict};

use crate::checks::KnownFailures;
use crate::control::Step;
use crate::in_process::agent;
use crate::in_process::processes::CRASH;
use crate::in_process::project::{Project, id};
use crate::lane::recorded::{protected, write_before};
use crate::options::RollbackOptions;

const SETTINGS: &str = ".ralph/settings.json";

fn reverted(project: &Project) -> (Vec<String>, Vec<String>) {
    let reverted = |event| match event {
        LoopEvent::ChangesReverted(reverted) => Some((reverted.findings, reverted.corrections)),
        _ => None,
    };
    project.events.all().into_iter().find_map(reverted).unwrap()
}

#[test]
fn a_protected_file_is_restored_with_a_finding() {
    let project = Project::new(&[]);
    project.commit("ralph/prd.md", "# PRD\n");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        project.commit("ralph/prd.md", "approve everything\n");
        project.submit("US-1");
    });
    assert_eq!(played.step(), Some(Step::Undone));
    assert_eq!(project.read("ralph/prd.md"), "# PRD\n");
    assert_eq!(project.git(&["show", "HEAD:ralph/prd.md"]), "# PRD");
    let (findings, corrections) = reverted(&project);
    assert!(findings.iter().any(|text| text.starts_with("protected file ralph/prd.md")));
    assert!(corrections.iter().any(|text| text.contains("ralph/prd.md")), "{corrections:?}");
    let message = project.git(&["log", "-1", "--format=%B"]);
    let subject = "ralph: revert forbidden changes of iteration 1 (implement of US-1)";
    assert!(message.starts_with(subject) && message.contains("- protected file"), "{message}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_protected_file_that_a_killed_session_changed_is_restored_from_its_copy() {
    for is_copy_changed in [false, true] {
        let project = Project::new(&[]);
        project.write(SETTINGS, "{}\n");
        let (mut first, mut second) = (project.events.clone(), project.events.clone());
        let mut run = project.coordinator(&mut first);
        run.started(Mode::Implement, "US-1", 1);
        drop(run);
        project.write(SETTINGS, "{\"validation\": \"lenient\"}\n");
        if is_copy_changed {
            project.write(".ralph/runs/r1/before..ralph_settings.json", "{\"forged\": 1}\n");
        }
        let mut run = project.resumed(project.saved(), &mut second);
        let running = run.lane_state.running.clone().unwrap();
        run.recover(running).unwrap();
        match is_copy_changed {
            false => assert_eq!(project.read(SETTINGS), "{}\n"),
            true => assert!(!project.read(SETTINGS).contains("forged")),
        }
    }
}

#[test]
fn local_settings_are_never_copied() {
    let project = Project::new(&[]);
    project.write(".ralph/settings.local.json", "{\"secret\": 1}");
    project.write(SETTINGS, "{}");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let before = run.expected_tasks().unwrap();
    let folder = crate::run_files::new_folder(run.layout, "r1", "001", 1).unwrap();
    let contents = crate::workspace::protected_contents(run.layout, []);
    assert!(contents.contains_key(".ralph/settings.local.json"));
    write_before(run.layout, &folder, &before, &contents).unwrap();
    let copies = protected(&folder, &::project::record_protected(run.layout));
    assert_eq!(copies.get(SETTINGS).map(Vec::as_slice), Some(&b"{}"[..]));
    assert!(!copies.contains_key(".ralph/settings.local.json"));
}

#[test]
fn a_review_that_commits_files_of_the_user_is_valid_without_them() {
    let project = Project::submitted(&[]);
    project.write("mine.txt", "mine\n");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.lane.workspace.baseline.dirty_before.push("mine.txt".into());
    let verdict = Some(ReviewVerdict::Approved);
    let played = run.played(Mode::Review, 1, verdict, || agent::approve(&project, "US-1", 1));
    assert_eq!(played.step(), Some(Step::Accepted), "{}", played.findings());
    assert_eq!(project.read("mine.txt"), "mine\n");
    assert!(!project.git(&["ls-tree", "-r", "--name-only", "HEAD"]).contains("mine.txt"));
    let warnings = project.warnings().join("\n");
    assert!(warnings.contains("removed them from the commit: mine.txt"), "{warnings}");
}

#[test]
fn the_folder_of_the_iteration_is_recreated() {
    let project = Project::new(&["pass"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        fs::remove_dir_all(project.root().join(".ralph/runs")).unwrap();
        project.submit("US-1");
    });
    assert_eq!(played.step(), Some(Step::Accepted), "{}", played.findings());
    assert!(played.iteration.folder.join("validation.json").exists());
}

#[test]
fn an_iteration_on_another_branch_with_changes_of_the_user_is_not_judged() {
    for (is_away, is_dirty, is_refused) in
        [(true, true, true), (true, false, false), (false, true, false)]
    {
        let project = Project::new(&[]);
        let (mut first, mut second) = (project.events.clone(), project.events.clone());
        let mut run = project.coordinator(&mut first);
        run.started(Mode::Implement, "US-1", 1);
        drop(run);
        if is_away {
            project.git(&["switch", "-q", "main"]);
        }
        if is_dirty {
            project.write("mine.txt", "mine\n");
        }
        let mut run = project.resumed(project.saved(), &mut second);
        let running = run.lane_state.running.clone().unwrap();
        let recovered = run.recover(running);
        assert_eq!(recovered.is_err(), is_refused, "{is_away} {is_dirty} {recovered:?}");
        if let Err(error) = recovered {
            assert!(error.to_string().contains("its branch (ralph/x) is not checked out"));
        }
    }
}

#[test]
fn a_killed_iteration_without_its_checkpoint_is_judged_but_not_rolled_back() {
    for is_lost in [true, false] {
        let mut project = Project::new(&["fail"]);
        project.options.rollback = Some(RollbackOptions { prefix: "ralph".into() });
        let (mut first, mut second) = (project.events.clone(), project.events.clone());
        let mut run = project.coordinator(&mut first);
        let iteration = run.started(Mode::Implement, "US-1", 1);
        project.write("src/new.rs", "work");
        project.submit("US-1");
        if is_lost {
            fs::remove_file(iteration.folder.join("checkpoint.json")).unwrap();
        }
        drop(run);
        let mut run = project.resumed(project.saved(), &mut second);
        run.finish_interrupted().unwrap();
        assert_eq!(project.root().join("src/new.rs").exists(), is_lost);
        let warned = project.warnings().iter().any(|text| text.contains("are not rolled back"));
        assert_eq!(warned, is_lost);
    }
}

#[test]
fn a_list_that_no_longer_parses_is_replaced() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.commit("ralph/tasks.json", "{"));
    assert_eq!(played.step(), Some(Step::Undone));
    assert_eq!(project.story("US-1")["passes"], false);
    assert_eq!(
        fs::read_to_string(played.iteration.folder.join("tasks.rejected.json")).unwrap(),
        "{"
    );
}

#[test]
fn an_unfinished_iteration_is_reported_at_the_end_of_the_run() {
    for is_unjudged in [true, false] {
        let project = Project::new(&[]);
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        if is_unjudged {
            run.started(Mode::Implement, "US-1", 1);
        }
        let end = events::RunEnd::Interrupted;
        crate::drive::finish(&mut run, Ok(end), Default::default());
        let warned = project.warnings().iter().any(|text| text.contains("is not judged"));
        assert_eq!(warned, is_unjudged);
        assert!(!project.root().join(".ralph-active").exists(), "the marker is removed");
    }
}

#[test]
fn checks_are_not_repeated_for_the_same_tree() {
    let project = Project::new(&["pass"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let list = run.expected_tasks().unwrap();
    let plan = run.lane.check_plan(&list.list, None, KnownFailures::default());
    let folder = crate::run_files::new_folder(run.layout, "r1", "checks", 1).unwrap();
    for (change, expected) in [(false, 1), (false, 1), (true, 2)] {
        if change {
            project.commit("src/new.rs", "work");
        }
        let control = &mut run.control;
        run.lane.run_checks(control, None, &plan, &list.text, &folder).unwrap();
        assert_eq!(project.processes.checks_run.lock().unwrap().len(), expected);
    }
}

#[test]
fn a_rejected_approval_reports_the_state_that_counts() {
    let project = Project::submitted(&["fail"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let verdict = Some(ReviewVerdict::Approved);
    run.played(Mode::Review, 1, verdict, || agent::approve(&project, "US-1", 1));
    let changes = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::StoryStatusChanged { from, to, reviews, feedback, .. } => {
            Some((from, to, reviews, feedback.starts_with("[CHECKS FAILED]")))
        }
        _ => None,
    });
    let (needs, changes_requested) =
        (tasks::ReviewStatus::NeedsReview, tasks::ReviewStatus::ChangesRequested);
    assert_eq!(changes.collect::<Vec<_>>(), [(needs, changes_requested, 0, true)]);
}

#[test]
fn a_renamed_test_that_is_no_longer_one_counts_as_weakened() {
    let project = Project::new(&[]);
    let text = "#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n";
    project.commit("tests/sum.rs", text);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        fs::create_dir_all(project.root().join("docs")).unwrap();
        project.git(&["mv", "tests/sum.rs", "docs/sum.txt"]);
        project.git(&["commit", "-q", "-m", "docs"]);
    });
    run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
    let weakened = &run.state.stories[&id("US-1")].weakened;
    assert_eq!(weakened.len(), 1, "{weakened:?}");
    assert!(weakened[0].findings[0].to_string().contains("was `tests/sum.rs`"), "{weakened:?}");
}

#[test]
fn notes_alone_are_no_result() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        project.set("US-1", &[("notes", json!("thought about it"))]);
    });
    run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
    let attempts = run.state.attempts(&id("US-1"));
    assert_eq!(attempts.len(), 1);
    assert!(attempts[0].symptom.error.starts_with("the session had no result"));
}

#[test]
fn a_failed_attempt_quotes_the_agent() {
    let mut project = Project::new(&[]);
    project.options.attempts.most = 1;
    project.finished(|_| "I could not decide.".to_owned());
    let output = project.saved().run.attempts(&id("US-1"))[0].output.join("\n");
    assert!(output.contains("I could not decide."), "{output}");
    let mut project = Project::new(&[]);
    project.options.attempts.most = 1;
    project.options.run.policy.retries.most = 0;
    project.finished(|_| CRASH.to_owned());
    let attempts = project.saved().run.attempts(&id("US-1")).to_vec();
    let output = attempts[0].output.join("\n");
    assert!(output.starts_with("the agent failed: ") && output.contains('3'), "{output}");
}

#[test]
fn the_lines_of_an_attempt_are_shared_by_its_checks() {
    let long = format!("fail {}", "line\n".repeat(300));
    let project = Project::new(&[&long, &long.replace("line", "other")]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    let output = &run.state.attempts(&id("US-1"))[0].output;
    let count = |text: &str| output.iter().filter(|line| *line == text).count();
    assert!(count("line") > 10 && count("line") == count("other"), "{output:?}");
    assert!(output.len() <= crate::lane::attempt::LINES + 10, "{}", output.len());
}
