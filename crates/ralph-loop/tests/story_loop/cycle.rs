//! The review cycle: implement, review, fix, review again, and when a run is complete.

use events::{IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;
use crate::stories::{NEEDS_REVIEW, approval, commit, fields, story, story_at};

const FEEDBACK: &str = "the empty name is not handled";

fn demanding() -> Scenario {
    Scenario::new().rule(
        When::mode(Mode::Review).visit(1),
        [Act::request_changes(FEEDBACK), Act::commit("review: changes requested")],
    )
}

fn claims(outcome: &crate::outcome::Outcome<'_>) -> Vec<bool> {
    let claims = outcome.events.iter().filter_map(|event| match event {
        LoopEvent::CompletionClaimed { accepted, .. } => Some(*accepted),
        _ => None,
    });
    claims.collect()
}

#[test]
fn one_iteration_implements_and_submits() {
    let project = Project::new([story("US-001")]);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    assert_eq!(run.assignments(), ["implement US-001"]);
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo");
}

#[test]
fn every_iteration_of_the_cycle_moves_exactly_its_own_fields() {
    let project = Project::new([story("US-001")]).scenario(demanding());
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        run.assignments(),
        ["implement US-001", "review US-001", "review-fix US-001", "review US-001"]
    );
    assert_eq!(run.statuses(), [IterationStatus::Accepted; 4]);
    let after = |number| run.fields_after(number, "US-001");
    assert_eq!(after(1), fields(false, NEEDS_REVIEW, 0, ""));
    assert_eq!(after(2), fields(false, "changes_requested", 1, FEEDBACK));
    assert_eq!(after(3), fields(false, NEEDS_REVIEW, 1, ""));
    assert_eq!(after(4), fields(true, "approved", 2, ""));
    assert!(run.prompt(3).contains(FEEDBACK), "{}", run.prompt(3));
    assert!(!run.prompt(4).contains(FEEDBACK), "the second review begins with fresh eyes");
    assert_eq!(claims(&run), [true]);
}

#[test]
fn the_list_completes_a_run_without_a_completion_tag() {
    let project =
        Project::new([story_at("US-001", NEEDS_REVIEW, 0)]).scenario(Scenario::new().rule(
            When::mode(Mode::Review),
            [Act::approve("fine"), Act::commit("review"), Act::finish("Approved.")],
        ));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert!(claims(&run).is_empty());
}

#[test]
fn a_false_promise_ends_nothing() {
    let project = Project::new([story("US-001")]).scenario(Scenario::new().rule(
        When::mode(Mode::Implement).visit(1),
        [Act::Finish { text: Some("All done.".into()), promise: true }],
    ));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(claims(&run), [false, true]);
    assert_eq!(run.statuses()[0], IterationStatus::NoProgress);
    assert_eq!(run.assignments().len(), 3);
}

#[test]
fn a_completion_tag_in_tool_output_does_not_count() {
    let project = Project::new([story("US-001")]).scenario(
        Scenario::new()
            .rule(When::mode(Mode::Implement), [Act::EchoPromise, Act::finish("Not yet.")]),
    );
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert!(claims(&run).is_empty());
}

#[test]
fn at_the_cap_a_review_approves_with_its_concerns_on_record() {
    let concerns = "[AUTO-APPROVED AT CAP] the empty name is not handled";
    let verdict = Act::set_story([
        ("passes", json!(true)),
        ("reviewStatus", json!("approved")),
        ("reviewCount", json!(1)),
        ("reviewFeedback", json!(concerns)),
    ]);
    let project = Project::new([story("US-001")])
        .scenario(Scenario::new().rule(When::mode(Mode::Review), [verdict, Act::commit("review")]));
    let run = project.run(["--review-cap", "1"]);
    run.assert_end(RunEnd::Complete);
    run.assert_fields("US-001", &fields(true, "approved", 1, concerns));
}

#[test]
fn at_the_cap_a_request_for_changes_is_undone() {
    let project = Project::new([story_at("US-001", NEEDS_REVIEW, 0)]).scenario(demanding());
    let run = project.run(["--review-cap", "1", "-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    assert!(run.findings().contains("the review cap is reached"), "{}", run.findings());
    project.run(["--review-cap", "1"]).assert_end(RunEnd::Complete);
}

#[test]
fn without_review_an_implementation_passes_by_itself() {
    let project = Project::new([story("US-001"), story("US-002")]);
    let run = project.run(["--skip-review"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-001", "implement US-002"]);
    run.assert_fields("US-001", &fields(true, Value::Null, 0, ""));
    run.assert_fields("US-002", &fields(true, Value::Null, 0, ""));
}

#[test]
fn stories_wait_for_what_they_depend_on_and_counts_are_right_at_the_end() {
    let mut last = story("US-001");
    last["dependsOn"] = json!(["US-003"]);
    let mut first = story("US-003");
    first["priority"] = json!(9);
    let project = Project::new([last, story("US-002"), first]).scenario(Scenario::new().rule(
        When::mode(Mode::Review).story("US-002").visit(1),
        [Act::request_changes(FEEDBACK), Act::commit("review")],
    ));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let expected = [
        "implement US-002",
        "review US-002",
        "review-fix US-002",
        "review US-002",
        "implement US-003",
        "review US-003",
        "implement US-001",
        "review US-001",
    ];
    assert_eq!(run.assignments(), expected);
    for (story, reviews) in [("US-001", 1), ("US-002", 2), ("US-003", 1)] {
        run.assert_fields(story, &fields(true, "approved", reviews, ""));
        assert_eq!(run.summary(story).review_count, reviews);
    }
}

#[test]
fn an_agent_that_puts_right_what_the_guard_holds_against_it_is_accepted() {
    let project = Project::new([story("US-001")]).scenario(
        Scenario::new()
            .rule(
                When::mode(Mode::Implement),
                [Act::write("work.txt", "x"), approval("US-001"), commit("feat")],
            )
            .when_blocked([
                Act::set_story([
                    ("passes", json!(false)),
                    ("reviewStatus", json!("needs_review")),
                    ("reviewCount", json!(0)),
                ]),
                commit("put right"),
            ]),
    );
    let run = project.run(["-n", "1"]);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
    run.assert_event("implement iterations cannot set passes=true");
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn verbose_prints_each_step_on_stderr() {
    let project = Project::with_checks([story("US-001")], ["true"]);
    let verbose = project.run(["-n", "1", "--verbose"]);
    for step in [
        "━━ iteration 1/1 · implement",
        "[ralph] agent command: ",
        "  › check 1/1  true\n",
        "  ✅ check 1/1  true  ",
        "[ralph] all checks passed",
    ] {
        assert_text(&verbose.stderr, contains(format!("\n{step}")));
    }
    assert!(!project.run(["-n", "1"]).stderr.contains("[ralph]"));
}
