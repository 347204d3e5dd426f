//! The runner is killed at moments that matter, and its children die with it.

use events::{LoopEvent, WaitReason};
use simulator::{Act, LimitStatus, Mode, Scenario, When};
use tasks::ReviewStatus;

use crate::harness::{Project, await_none_in, in_folder, program};

#[track_caller]
fn assert_resumes(project: &Project) -> crate::harness::Finished {
    let next = project.run(&[]);
    next.assert_exit(0);
    next.assert_event(
        "the marker that was left",
        |event| matches!(event, LoopEvent::LeftoverFound { text } if text.contains(".ralph-active")),
    );
    next.assert_event("that it resumes", |event| {
        matches!(event, LoopEvent::RunStarted { resumed: Some(_), .. })
    });
    project.assert_complete();
    next
}

#[test]
fn while_it_rests() {
    let project = Project::new(1, &[]);
    let limit = Act::Limit {
        status: LimitStatus::Rejected,
        resets_in_s: Some(3600),
        resets_at: None,
        utilization: None,
    };
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), [limit]));
    let mut runner = project.start(&[]);
    runner.wait_for("the rest", |event| {
        matches!(event, LoopEvent::Waiting(events::WaitView { reason: WaitReason::UsageLimit, .. }))
    });
    runner.kill();
    await_none_in(project.root(), None);
    assert_resumes(&project);
}

#[test]
fn while_a_check_runs_on_the_base_which_is_repeated() {
    let project = Project::new(1, &["true"]);
    let fast = project.beside("fast");
    project.set_checks(&[&format!("test -e '{}' || sleep 600", fast.display())]);
    let mut runner = project.start(&[]);
    runner.wait_for("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    std::fs::write(fast, "").unwrap();
    let ended = project.run(&[]);
    ended.assert_exit(0);
    let is_checked = |event: &LoopEvent| matches!(event, LoopEvent::BaseChecked { failures, .. } if failures.is_empty());
    assert_eq!(ended.count(is_checked), 1);
    project.assert_complete();
}

#[test]
fn while_a_check_runs_which_dies_with_it() {
    let project = Project::new(1, &["true"]).without_base_checks();
    let fast = project.beside("fast");
    // In its own session and ignoring signals, as a check that starts servers may be.
    let check = format!(
        "test -e '{}' || {{ trap '' TERM INT HUP; setsid sleep 601 & sleep 602; }}",
        fast.display()
    );
    project.set_checks(&[&check]);
    let mut runner = project.start(&[]);
    runner.wait_for("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    crate::harness::until("the check works", || {
        let running = in_folder(project.root(), None);
        let is_sleep = |process: &&String| {
            process.split_once(' ').is_some_and(|(_, command)| command.starts_with("sleep 60"))
        };
        (running.iter().filter(is_sleep).count() == 2).then_some(())
    });
    runner.kill();
    await_none_in(project.root(), None);
    std::fs::write(fast, "").unwrap();
    let next = assert_resumes(&project);
    next.assert_event("the step that the killed runner had not judged", |event| {
        matches!(event, LoopEvent::StoryStatusChanged { to: ReviewStatus::NeedsReview, .. })
    });
}

fn approves_itself(and_then: Act) -> Vec<Act> {
    let approval = Act::set_story([
        ("passes", true.into()),
        ("reviewStatus", "approved".into()),
        ("reviewCount", 1.into()),
        ("notes", "me".into()),
    ]);
    vec![approval, Act::commit("feat: done"), and_then]
}

#[test]
fn between_the_end_of_a_cheating_agent_and_the_judgement() {
    let project = Project::new(1, &[]);
    let cheat = approves_itself(Act::finish("Done."));
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), cheat));
    let mut runner = project.start(&[]);
    runner.wait_for("the end", |event| matches!(event, LoopEvent::AgentEnded { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    let next = project.run(&[]);
    next.assert_exit(0);
    project.assert_complete();
    assert_eq!(project.list().stories[0].review_count, 1);
    let progress = std::fs::read_to_string(project.root().join("ralph/progress.txt")).unwrap();
    assert!(progress.contains("US-1: approved"), "no review: {progress}");
}

#[test]
fn a_cheat_of_a_stopped_run_is_judged_even_if_the_agent_left_nothing_else() {
    let project = Project::new(1, &[]);
    let mut cheat = approves_itself(Act::say("Now I wait."));
    cheat.push(Act::Hang { ignores_signals: true });
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), cheat));
    let mut runner = project.start(&[]);
    runner.wait_for(
        "the cheat",
        |event| matches!(event, LoopEvent::AgentText { text } if text == "Now I wait."),
    );
    runner.kill();
    await_none_in(project.root(), None);
    assert!(project.list().stories[0].passes, "the cheat is on disk");
    let next = assert_resumes(&project);
    next.assert_event("what was undone", |event| {
        matches!(event, LoopEvent::ChangesReverted { .. })
    });
    next.assert_event("the review", |event| {
        matches!(
            event,
            LoopEvent::IterationStarted(events::IterationStarted {
                mode: events::IterationMode::Review,
                ..
            })
        )
    });
}

/// The next runner judges by the records of the killed one, not by the files in its folder.
#[test]
fn a_forged_copy_of_the_list_that_the_session_began_with_is_not_believed() {
    let project = Project::new(1, &[]);
    let forge = "for copy in .ralph/runs/*/*/tasks.before.json; do cp ralph/tasks.json $copy; done";
    let mut cheat = approves_itself(Act::bash(forge));
    cheat.extend([Act::say("Now I wait."), Act::Hang { ignores_signals: false }]);
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), cheat));
    let mut runner = project.start(&[]);
    runner.wait_for("its word", |event| matches!(event, LoopEvent::AgentText { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    let next = assert_resumes(&project);
    next.assert_event("what was undone", |event| {
        matches!(event, LoopEvent::ChangesReverted { .. })
    });
    next.assert_event("the review", |event| {
        matches!(
            event,
            LoopEvent::IterationStarted(events::IterationStarted {
                mode: events::IterationMode::Review,
                ..
            })
        )
    });
}

/// A list with "approved" before the checks of that approval ended.
#[test]
fn a_run_that_is_stopped_during_the_last_checks_is_not_complete() {
    let project = Project::new(1, &["true"]);
    let slow = project.beside("slow");
    let check = format!("test ! -e '{}' || sleep 600", slow.display());
    project.set_checks(&[&check]);
    project.run(&["-n", "1"]).assert_exit(1);
    std::fs::write(&slow, "").unwrap();
    let mut runner = project.start(&["--resume"]);
    runner.wait_for("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    runner.signal(rustix::process::Signal::TERM);
    let ended = runner.finish();
    ended.assert_exit(143);
    assert_eq!(ended.count(|event| matches!(event, LoopEvent::CompletionClaimed { .. })), 0);
    let archived = program(&[]).args(["archive", "-d"]).arg(project.root()).output().unwrap();
    assert_eq!(archived.status.code(), Some(2), "unjudged work is not archived");
    std::fs::remove_file(&slow).unwrap();
    project.run(&[]).assert_exit(0);
    project.assert_complete();
}

#[test]
fn untracked_files_of_the_user_are_restored_after_a_kill() {
    let project = Project::new(1, &[]);
    let prd = project.root().join("ralph/prd.md");
    std::fs::write(project.root().join(".git/info/exclude"), "ralph/prd.md\n").unwrap();
    std::fs::write(&prd, "only here\n").unwrap();
    let acts = [
        Act::write("ralph/prd.md", "easier\n"),
        Act::say("Changed."),
        Act::Hang { ignores_signals: false },
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let mut runner = project.start(&[]);
    runner.wait_for("its word", |event| matches!(event, LoopEvent::AgentText { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    project.run(&[]).assert_exit(0);
    assert_eq!(std::fs::read_to_string(prd).unwrap(), "only here\n");
}

/// A process that can kill the runner can also write its state.
#[test]
fn a_forged_verdict_in_the_state_is_ignored() {
    const CHECK: &str = "test ! -e broken";
    let project = Project::new(1, &[CHECK]);
    let acts = [
        Act::write("broken", ""),
        Act::submit("done"),
        Act::commit("feat: broken"),
        Act::say("Now."),
        Act::Hang { ignores_signals: false },
    ];
    project.scenario(&Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts));
    let mut runner = project.start(&[]);
    runner.wait_for("its word", |event| matches!(event, LoopEvent::AgentText { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    let mut state = project.state().unwrap();
    let tree = test_repo::git(project.root(), &["rev-parse", "HEAD^{tree}"]);
    state["gatesPassed"] = serde_json::json!({"tree": tree, "commands": [CHECK]});
    project.write(".ralph/state.json", &state.to_string());
    let next = project.run(&["-n", "1"]);
    next.assert_event("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    assert_eq!(project.list().stories[0].review_status, ReviewStatus::NotSubmitted);
}

#[test]
fn a_fresh_start_that_is_refused_leaves_no_run_behind() {
    let project = Project::new(1, &[]);
    project.run(&["-n", "1"]).assert_exit(1);
    project.write("mine.txt", "not committed\n");
    let runs = || std::fs::read_dir(project.layout().runs()).unwrap().count();
    let before = runs();
    let refused = project.run(&["--fresh"]);
    refused.assert_exit(2);
    assert_eq!(runs(), before);
}

#[test]
fn a_list_that_is_forged_before_a_step_is_taken_back_is_judged_first() {
    let project = Project::new(2, &["true"]).without_base_checks();
    let fast = project.beside("fast");
    project.set_checks(&[&format!("test -e '{}' || sleep 600", fast.display())]);
    let mut runner = project.start(&[]);
    runner.wait_for("the check", |event| matches!(event, LoopEvent::CheckStarted { .. }));
    runner.kill();
    await_none_in(project.root(), None);

    // As if the check had failed, and the runner had died before it could take the step back.
    let state = project.layout().state();
    let edit = |path: &std::path::Path, change: &dyn Fn(&mut serde_json::Value)| {
        let mut value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        change(&mut value);
        std::fs::write(path, value.to_string()).unwrap();
    };
    edit(&state, &|state| {
        let review = serde_json::json!({"passes": false, "reviewStatus": null, "reviewCount": 0});
        let taken = serde_json::json!([{"story": "US-1", "state": review, "feedback": ""}]);
        state["running"]["takenBack"] = taken;
    });
    edit(&project.layout().tasks(), &|list| {
        let story = &mut list["userStories"][1];
        for (field, value) in [
            ("passes", true.into()),
            ("reviewStatus", "approved".into()),
            ("reviewCount", 1.into()),
            ("notes", "me".into()),
            ("model", "gullible".into()),
        ] as [(&str, serde_json::Value); 5]
        {
            story[field] = value;
        }
    });
    std::fs::write(fast, "").unwrap();
    project.run(&["-n", "1"]);
    let list = project.list();
    assert!(!list.stories[1].passes);
    assert_eq!(list.stories[1].model, None);
    assert_eq!(list.stories[0].review_status, ReviewStatus::NotSubmitted);
}
