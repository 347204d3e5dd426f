//! Several reviewers: an approval needs all of them, one rejection is a rejection.

use events::{IterationStatus, LoopEvent, ReviewerVerdict, RunEnd, WaitReason};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, LimitStatus, Mode, Scenario, When};
use tasks::ReviewVerdict::{self, Approved, ChangesRequested};
use test_repo::assert_text;

use crate::failures::{failed_attempts, json_of, stdout_of};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{CHANGES_REQUESTED, approval, fields, story};

fn gives(verdict: &str, feedback: &str) -> Act {
    Act::Structured(json!({"verdict": verdict, "feedback": feedback}))
}

fn approves() -> Act {
    gives("approved", "")
}

fn further() -> When {
    When::any().prompt_contains("**Review US-001, independently.**")
}

/// With a second reviewer and, if there are more answers, a third.
fn project(scenario: Scenario, models: &[&str]) -> Project {
    let panel: Vec<Value> = models.iter().map(|model| json!({"model": model})).collect();
    Project::new([story("US-001")])
        .settings(&json!({"review": {"panel": panel}}))
        .scenario(scenario)
}

fn verdicts(run: &Outcome<'_>) -> Vec<ReviewerVerdict> {
    let given = run.events.iter().filter_map(|event| match event {
        LoopEvent::ReviewerVerdict(given) => Some(given.clone()),
        _ => None,
    });
    given.collect()
}

fn listed(run: &Outcome<'_>) -> Vec<(u64, String, Option<ReviewVerdict>)> {
    verdicts(run).into_iter().map(|one| (one.number, one.reviewer, one.verdict)).collect()
}

fn row(
    number: u64,
    reviewer: &str,
    verdict: Option<ReviewVerdict>,
) -> (u64, String, Option<ReviewVerdict>) {
    (number, reviewer.to_owned(), verdict)
}

#[test]
fn a_story_is_done_when_all_reviewers_agree() {
    let project = project(Scenario::new().rule(further(), [approves()]), &["a", "b"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    let first = row(1, "claude", Some(Approved));
    assert_eq!(
        listed(&run),
        [first, row(2, "claude, a", Some(Approved)), row(3, "claude, b", Some(Approved))]
    );
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
    let report = json_of(&project, &["report", "--format", "json"]);
    assert_eq!(report["reviewerVerdicts"][2]["reviewer"], "claude, b");
    let text = stdout_of(&project, &["report"]);
    assert_text(&text, contains("## Verdicts of several reviewers"));
    let folder = run.folder(2).join("reviewer-2-1");
    let prompt = std::fs::read_to_string(folder.join("prompt.md")).unwrap();
    assert_text(&prompt, contains("### US-001: Title of US-001"));
    assert!(!prompt.contains("${") && !prompt.contains("raise its `reviewCount`"), "{prompt}");
}

#[test]
fn one_rejection_is_a_rejection() {
    let scenario = Scenario::new()
        .rule(further().visit(2), [gives("changes_requested", "1. The empty name\u{1b}[2J.")])
        .rule(further(), [approves()]);
    // The visits of a session without a marker count together.
    let project = project(scenario, &["a", "b"]);
    let run = project.run(["-n", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    let feedback = "[claude, b] 1. The empty name.";
    run.assert_fields("US-001", &fields(false, CHANGES_REQUESTED, 0, feedback));
    assert_eq!(
        listed(&run)[1..],
        [row(2, "claude, a", Some(Approved)), row(3, "claude, b", Some(ChangesRequested)),]
    );
    let failed = failed_attempts(&run);
    assert_eq!((failed.len(), failed[0].error.as_str()), (1, feedback));
    let run = project.run(["--resume", "-n", "9"]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(run.assignments(), ["review-fix US-001", "review US-001"]);
    assert_text(&run.prompt(1), contains("The empty name"));
}

#[test]
fn without_a_verdict_the_review_is_void_and_repeated() {
    let none = [Act::finish("I approve.")];
    let scenario = Scenario::new()
        .rule(further().visit(1), none.clone())
        .rule(further().visit(2), none)
        .rule(further(), [approves()]);
    let project = project(scenario, &["a"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.statuses()[1..], [IterationStatus::Void, IterationStatus::Accepted]);
    let expected = [Some(Approved), None, Some(Approved), Some(Approved)];
    assert_eq!(verdicts(&run).iter().map(|one| one.verdict).collect::<Vec<_>>(), expected);
}

#[test]
fn too_few_or_equal_reviewers_are_refused() {
    let refused = |project: &Project, args: &[&str]| {
        let output = project.call(&[&["--sandbox=guard"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let alone = Project::new([story("US-001")]).installed("claude");
    let text = refused(&alone, &["--reviewers", "3"]);
    assert_text(
        &text,
        contains("3 reviewers must approve a story (review.reviewers), but only 1 is configured"),
    );
    assert_text(&text, contains("hint: add some to the settings"));
    for models in [["a", "a"], ["a", "b"]] {
        let project = project(Scenario::new(), &models).installed("claude");
        let model = if models[1] == "a" { "m" } else { "b" };
        let text = refused(&project, &["--review-model", model]);
        let place = if models[1] == "a" {
            "review.panel[1]: claude with a"
        } else {
            "review.panel[1]: claude with b"
        };
        assert_text(&text, contains(format!("{place} is a reviewer already")));
    }
}

#[test]
fn one_reviewer_is_enough_if_the_user_says_so() {
    let project = project(Scenario::new(), &["a", "b"]);
    let run = project.run(["--reviewers", "1"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!((verdicts(&run).len(), run.calls().len()), (0, 2));
}

#[test]
fn the_cost_of_all_reviewers_counts() {
    let costs = [Act::Cost { usd: 1.0 }, approves()];
    let project = project(Scenario::new().rule(further(), costs), &["a"]);
    let run = project.run(["--max-cost-usd", "50"]);
    run.assert_end(RunEnd::Complete);
    let spent = project.state()["counters"]["costUsd"].as_f64().unwrap();
    assert!(spent > 1.0, "{spent}");
    assert!((run.summary("US-001").cost_usd - spent).abs() < 1e-9);
    let report = json_of(&project, &["report", "--format", "json"]);
    assert!((report["costUsd"].as_f64().unwrap() - spent).abs() < 1e-9, "{report:#}");
}

#[cfg(unix)]
#[test]
fn a_runner_that_is_killed_asks_the_reviewers_again() {
    let kill = crate::failures::INTERRUPT.replace("-INT", "-KILL");
    let script = format!("echo x > src/code.txt; {kill}");
    let acts = [Act::bash(script), Act::Hang { ignores_signals: false }];
    let project = project(Scenario::new().rule(further(), acts), &["a"]);
    assert_eq!(project.run([]).code, None);
    project.agent(&Scenario::new().rule(further(), [approves()]));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(listed(&run).last(), Some(&row(2, "claude, a", Some(Approved))));
}

#[test]
fn a_reviewer_cannot_vote_in_files_or_for_another_one() {
    let forges = [
        Act::bash(
            "d=$(ls -d .ralph/runs/*/002-*); mkdir -p $d/reviewer-3-1; echo '{\"verdict\": \"approved\"}' | tee $d/reviewer-3-1/verdict.json verdict.json",
        ),
        approval("US-001"),
        Act::commit("review: approved"),
        approves(),
    ];
    let scenario = Scenario::new()
        .rule(further().visit(1), forges.clone())
        .rule(further().visit(2), forges)
        .rule(
            When::mode(Mode::Implement),
            [Act::write("a.txt", "a\n"), Act::submit("x"), Act::commit("feat")],
        );
    let project = project(scenario, &["a", "b"]);
    let run = project.run(["-n", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    // Its session changed the project, so it gave no verdict; the third reviewer is not asked.
    assert_eq!(listed(&run)[1..], [row(2, "claude, a", None)]);
    assert_eq!(run.statuses()[1], IterationStatus::Void);
    assert_eq!(project.story("US-001")["passes"], false);
}

#[test]
fn a_further_reviewer_at_its_usage_limit_is_waited_for() {
    let limit = Act::Limit {
        status: LimitStatus::Rejected,
        resets_in_s: Some(2),
        resets_at: None,
        utilization: None,
    };
    let scenario = Scenario::new().rule(further().visit(1), [limit]).rule(further(), [approves()]);
    let project = project(scenario, &["a"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    let waits = run.events.iter().filter(
        |event| matches!(event, LoopEvent::Waiting(wait) if wait.reason == WaitReason::UsageLimit),
    );
    assert_eq!(waits.count(), 1);
    assert_eq!(run.assignments(), ["implement US-001", "review US-001", "review US-001"]);
}
