//! What the coordinator records of an ended iteration, and which attempts it counts.

use events::{AgentOutcome, Gate, LoopEvent};
use serde_json::json;
use tasks::{Mode, ReviewVerdict};

use crate::control::Step;
use crate::control::decide::book;
use crate::in_process::project::{Project, id, story};
use crate::lane::story_record::IterationFailure;

#[test]
fn an_accepted_step_clears_the_failure_and_its_notices_wait_for_the_review() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.story(&id("US-1")).failure =
        Some(IterationFailure { findings: vec!["x".into()], ..Default::default() });
    run.state.story(&id("US-1")).unsubmitted = 2;
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    run.booked(&played.iteration, Step::Accepted, AgentOutcome::Answered);
    let saved = project.saved().run;
    let record = &saved.stories[&id("US-1")];
    assert_eq!((record.failure.as_ref(), record.unsubmitted), (None, 0));
    assert_eq!((record.iterations, record.attempts.len()), (1, 0));
    assert!(project.saved().lane.running.is_none() && saved.failed_last.is_none());
    assert_eq!(record.work.len(), 1);
    assert_eq!(record.work[0].to, project.git(&["rev-parse", "HEAD"]));
}

#[test]
fn a_failed_check_is_an_attempt_with_the_error_of_the_check() {
    let project = Project::new(&["fail error: sum is wrong"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    for number in 1..=2 {
        let played = run.played(Mode::Implement, number, None, || project.submit("US-1"));
        run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    }
    let record = &run.state.stories[&id("US-1")];
    assert_eq!(record.attempts.len(), 2);
    assert_eq!(record.attempts[1].gate, Gate::Tests);
    assert!(record.attempts[1].symptom.error.contains("sum is wrong"));
    assert_eq!(record.attempts[0].symptom.hash, record.attempts[1].symptom.hash);
    assert_eq!(run.state.failed_last, Some(id("US-1")));
    let repeats = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::AttemptFailed(events::AttemptFailed { attempt, repeats, .. }) => {
            Some((attempt, repeats))
        }
        _ => None,
    });
    assert_eq!(repeats.collect::<Vec<_>>(), [(1, 1), (2, 2)]);
    assert!(project.read(".ralph/state.md").contains("task_id: "));
}

#[test]
fn a_session_without_a_result_is_an_attempt_and_one_with_work_is_not() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {});
    run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
    let record = &run.state.stories[&id("US-1")];
    assert_eq!((record.attempts.len(), record.attempts[0].gate), (1, Gate::Implement));
    assert!(record.failure.as_ref().unwrap().other.as_ref().unwrap().contains("had no result"));
    assert_eq!(run.state.counters.failed, 1);

    let played = run.played(Mode::Implement, 2, None, || project.write("src/new.rs", "work"));
    run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
    let record = &run.state.stories[&id("US-1")];
    assert_eq!((record.attempts.len(), record.unsubmitted), (1, 2));
    assert_eq!(run.state.counters.failed, 1);
}

#[test]
fn too_many_sessions_without_a_submission_are_attempts() {
    let mut project = Project::new(&[]);
    project.options.attempts.most = 2;
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    for number in 1..=3 {
        let name = format!("src/n{number}.rs");
        let played = run.played(Mode::Implement, number, None, || project.write(&name, "work"));
        run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
        let attempts = run.state.attempts(&id("US-1")).len();
        assert_eq!(attempts, usize::from(number > 2), "after iteration {number}");
    }
}

#[test]
fn a_crash_and_a_timeout_are_attempts_and_a_stop_is_none() {
    for (outcome, expected, text) in [
        (AgentOutcome::Crashed, 1, "the agent failed"),
        (AgentOutcome::TimedOut, 1, "exceeded its time limit"),
        (AgentOutcome::Stopped, 0, ""),
        (AgentOutcome::UsageLimit, 0, ""),
    ] {
        let project = Project::new(&[]);
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        let iteration = run.started(Mode::Implement, "US-1", 1);
        let played = run.settled(iteration, outcome, None);
        run.booked(&played.iteration, Step::None, outcome);
        let attempts = run.state.attempts(&id("US-1"));
        assert_eq!(attempts.len(), expected, "{outcome:?}");
        if let Some(attempt) = attempts.first() {
            assert!(attempt.output.join("\n").contains(text), "{:?}", attempt.output);
        }
    }
}

#[test]
fn the_same_crash_is_none_after_the_user_stopped_the_run() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let iteration = run.started(Mode::Implement, "US-1", 1);
    project.switch.request(events::StopSignal::Interrupt);
    let played = run.settled(iteration, AgentOutcome::Crashed, None);
    run.booked(&played.iteration, Step::None, AgentOutcome::Crashed);
    assert_eq!(run.state.attempts(&id("US-1")).len(), 0);
}

#[test]
fn a_rejection_is_an_attempt_with_the_feedback_and_a_void_review_is_none() {
    let project = Project::submitted(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Review, 1, None, || {});
    run.booked(&played.iteration, Step::Void, AgentOutcome::Answered);
    assert_eq!(run.state.attempts(&id("US-1")).len(), 0);
    let verdict = Some(ReviewVerdict::ChangesRequested);
    let played = run.played(Mode::Review, 2, verdict, || {
        project.set(
            "US-1",
            &[
                ("reviewStatus", json!("changes_requested")),
                ("reviewCount", json!(1)),
                ("reviewFeedback", json!("No reset.")),
            ],
        );
    });
    run.booked(&played.iteration, Step::Accepted, AgentOutcome::Answered);
    let attempts = run.state.attempts(&id("US-1"));
    assert_eq!((attempts.len(), attempts[0].gate), (1, Gate::SpecReview));
    assert_eq!(attempts[0].symptom.error, "No reset.");
}

#[test]
fn weakened_tests_are_recorded_for_the_review_that_approves() {
    let project = Project::new(&[]);
    project.commit("tests/sum.rs", "#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n");
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || {
        project.commit(
            "tests/sum.rs",
            "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n",
        );
        project.submit("US-1");
    });
    run.booked(&played.iteration, Step::Accepted, AgentOutcome::Answered);
    assert_eq!(run.state.stories[&id("US-1")].weakened.len(), 1);
    let played = run.played(Mode::Review, 2, Some(ReviewVerdict::Approved), || {
        project.set(
            "US-1",
            &[
                ("reviewStatus", json!("approved")),
                ("passes", json!(true)),
                ("reviewCount", json!(1)),
                ("notes", json!("n")),
            ],
        );
    });
    assert_eq!(played.step(), Some(Step::Accepted));
    run.booked(&played.iteration, Step::Accepted, AgentOutcome::Answered);
    assert_eq!(run.state.stories[&id("US-1")].weakened.len(), 0);
    assert!(run.is_done(&id("US-1")));
}

#[test]
fn booking_counts_iterations_failures_and_void_reviews() {
    let policy = &Project::new(&[]).options.run.policy;
    let now = events::now();
    let result = |step, outcome| crate::control::IterationResult::new(outcome, step, None);
    let mut counters = crate::control::Counters::default();
    for (step, outcome) in [
        (Step::Accepted, AgentOutcome::Answered),
        (Step::ChecksFailed, AgentOutcome::Answered),
        (Step::Void, AgentOutcome::Answered),
    ] {
        counters = book(policy, counters, &result(step, outcome), now);
    }
    assert_eq!((counters.iterations, counters.void_reviews), (3, 1));
    let again = book(policy, counters, &result(Step::Accepted, AgentOutcome::Answered), now);
    assert_eq!(again.void_reviews, 0);
}

#[test]
fn the_cost_of_a_session_counts_for_the_story_and_the_run() {
    let mut project = Project::new(&["pass"]);
    project.options.run.agent.agent = agents::Agent::Json;
    let filter = |code: &str| Some(agents::Filter::compile(code).unwrap());
    project.options.run.agent.filters = Some(agents::Filters {
        text: filter(".text"),
        cost_usd: filter(".cost"),
        ..Default::default()
    });
    let finished = project.finished(|_| {
        let text = crate::in_process::agent::work(&project, true);
        json!({"text": text, "cost": 0.25}).to_string()
    });
    assert_eq!(finished.end, events::RunEnd::Complete);
    let state = project.saved().run;
    assert_eq!((state.counters.cost_usd, state.stories[&id("US-1")].cost_usd), (0.5, 0.5));
    let costs = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::IterationEnded(events::IterationEnded {
            cost_usd,
            total_cost_usd,
            done,
            ..
        }) => Some((cost_usd, total_cost_usd, done)),
        _ => None,
    });
    assert_eq!(costs.collect::<Vec<_>>(), [(0.25, 0.25, 0), (0.25, 0.5, 1)]);
}

#[test]
fn consecutive_commits_of_a_story_are_one_range() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let start = project.git(&["rev-parse", "HEAD"]);
    let mut work = |story: &str, number: u64| {
        let iteration = run.started(Mode::Implement, story, number);
        project.commit(&format!("src/{number}.rs"), "work");
        let played = run.settled(iteration, AgentOutcome::Answered, None);
        run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
        project.git(&["rev-parse", "HEAD"])
    };
    work("US-1", 1);
    let second = work("US-1", 2);
    let third = work("US-2", 3);
    let fourth = work("US-1", 4);
    let ranges = |id_: &str| {
        let record = &project.saved().run.stories[&id(id_)];
        record.work.iter().map(|work| (work.from.clone(), work.to.clone())).collect::<Vec<_>>()
    };
    assert_eq!(ranges("US-1"), [(start, second.clone()), (third.clone(), fourth)]);
    assert_eq!(ranges("US-2"), [(second, third)]);
}

#[test]
fn a_commit_that_a_killed_runner_recorded_is_not_recorded_again() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.commit("src/1.rs", "work"));
    let commit = |text: &str| vcs::CommitId::new(text).unwrap();
    let head = commit(&project.git(&["rev-parse", "HEAD"]));
    let other = commit(&"a".repeat(40));
    run.record_commits(&played.iteration, &head, &head);
    assert!(run.state.story(&id("US-1")).work.is_empty(), "nothing new");
    run.record_commits(&played.iteration, &played.iteration.checkpoint, &head);
    run.record_commits(&played.iteration, &other, &head);
    assert_eq!(run.state.story(&id("US-1")).work.len(), 1);
}

#[test]
fn the_parts_of_a_split_story_inherit_what_its_reviewer_must_know() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let notice = crate::workspace::ReviewNotice {
        text: "ignored files".into(),
        names: Vec::new(),
        whole_list: None,
    };
    run.state.story(&id("US-1")).notices.push(notice.clone());
    let played = run.played(Mode::Implement, 1, None, || {
        let mut part = story("US-1a");
        part["splitFrom"] = json!("US-1");
        let mut list: serde_json::Value =
            serde_json::from_str(&project.read("ralph/tasks.json")).unwrap();
        list["userStories"] = json!([part]);
        project.commit("ralph/tasks.json", &list.to_string());
    });
    run.booked(&played.iteration, Step::None, AgentOutcome::Answered);
    let record = &project.saved().run.stories[&id("US-1a")];
    assert_eq!(record.notices, [notice]);
    assert_eq!(record.began_at, Some(played.iteration.checkpoint.to_string()));
    let split = |event: &LoopEvent| matches!(event, LoopEvent::StoryAdded { story } if story.id == id("US-1a"));
    assert!(project.events.all().iter().any(split));
}

#[test]
fn a_done_story_needs_no_outputs_of_its_failures() {
    let project = Project::new(&["fail once", "pass"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let played = run.played(Mode::Implement, 1, None, || project.submit("US-1"));
    run.booked(&played.iteration, Step::ChecksFailed, AgentOutcome::Answered);
    let attempt = &run.state.attempts(&id("US-1"))[0];
    assert!(attempt.output.iter().any(|line| line == "once"), "{:?}", attempt.output);
    assert!(project.root().join(".ralph/state.md").exists());
    run.lane_state.state_md_of = Some(id("US-9"));
    run.forget_outputs(&id("US-1"));
    assert!(project.root().join(".ralph/state.md").exists(), "of another story");
    run.lane_state.state_md_of = Some(id("US-1"));
    run.forget_outputs(&id("US-1"));
    assert!(run.state.attempts(&id("US-1"))[0].output.is_empty());
    assert!(!project.root().join(".ralph/state.md").exists());
}

#[test]
fn the_handoff_of_a_failed_iteration_says_so() {
    for (step, expected) in [
        (Step::ChecksFailed, crate::memory::WorkResult::NotAccepted),
        (Step::Void, crate::memory::WorkResult::NotAccepted),
        (Step::Accepted, crate::memory::WorkResult::Kept),
        (Step::None, crate::memory::WorkResult::Kept),
    ] {
        let mut project = Project::new(&[]);
        project.options.memory = Some(crate::options::MemoryOptions {
            agent: project.options.run.agent.clone(),
            context_tokens: 8000,
            compact_after_iterations: 100,
            compact_after_bytes: 1_000_000,
        });
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        let played = run.played(Mode::Implement, 1, None, || project.commit("src/1.rs", "work"));
        run.booked(&played.iteration, step, AgentOutcome::Answered);
        assert_eq!(run.state.memory.uncompacted[0].result, expected, "{step:?}");
    }
}
