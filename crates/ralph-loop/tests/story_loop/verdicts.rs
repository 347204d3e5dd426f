//! A verdict counts only if the task list and the reviewer's final message give the same one; else the
//! review is repeated, and the story pays nothing for it.

use events::{HookAnswerKind, IterationStatus, LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, ScenarioVerdict, When};
use tasks::ReviewVerdict;

use crate::failures::{failed_attempts, json_of, stdout_of};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{CHANGES_REQUESTED, NEEDS_REVIEW, fields, story_at};

/// A story that waits for its review, by a guard that does not insist for long.
fn reviewing(scenario: Scenario) -> Project {
    reviewing_at(0, scenario)
}

fn reviewing_at(reviews: u64, scenario: Scenario) -> Project {
    let settings = json!({"guard": {"maxBlocks": 1}});
    let story = story_at("US-001", NEEDS_REVIEW, reviews);
    Project::new([story]).settings(&settings).scenario(scenario)
}

fn review(visit: u64) -> When {
    When::mode(Mode::Review).visit(visit)
}

/// Approves in the task list; its message may differ.
fn approves(stated: ScenarioVerdict) -> [Act; 4] {
    [
        Act::Verdict(stated),
        Act::append("ralph/progress.txt", "looked at it\n"),
        Act::approve("fine"),
        Act::commit("review"),
    ]
}

type Void = (Option<ReviewVerdict>, Option<ReviewVerdict>, u64);

/// The verdicts of list and message, and the number of void reviews in a row.
fn voids(run: &Outcome<'_>) -> Vec<Void> {
    let void = run.events.iter().filter_map(|event| match event {
        LoopEvent::VerdictVoid { list, message, in_a_row, .. } => {
            Some((*list, *message, *in_a_row))
        }
        _ => None,
    });
    void.collect()
}

const APPROVED: Option<ReviewVerdict> = Some(ReviewVerdict::Approved);
const REJECTED: Option<ReviewVerdict> = Some(ReviewVerdict::ChangesRequested);

#[test]
fn a_verdict_that_the_reviewer_does_not_give_is_void_and_the_review_is_repeated() {
    for (stated, message) in
        [(ScenarioVerdict::ChangesRequested, REJECTED), (ScenarioVerdict::None, None)]
    {
        let project = reviewing(Scenario::new().rule(review(1), approves(stated)));
        let run = project.run(["-n", "1"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(voids(&run), [(APPROVED, message, 1)], "{:#?}", run.events);
        run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
        assert_eq!(project.git(&["status", "--porcelain", "ralph"]), "");
        assert_eq!(project.read("ralph/progress.txt"), "looked at it\n", "what it wrote stays");
        assert!(project.state()["counters"]["costUsd"].as_f64().unwrap() > 0.0, "it was paid for");

        let next = project.run(["--resume", "-n", "2"]);
        next.assert_end(RunEnd::Complete);
        next.assert_fields("US-001", &fields(true, "approved", 1, ""));
        assert_eq!(next.statuses(), [IterationStatus::Accepted]);
        let reported = "the task list says approved, the final message";
        assert!(next.prompt(1).contains(reported), "{}", next.prompt(1));
        for run in [&run, &next] {
            assert_eq!(failed_attempts(run).len(), 0, "{:#?}", run.events);
        }
    }
}

#[test]
fn a_request_for_changes_that_the_reviewer_does_not_give_is_void_too() {
    let acts = [
        Act::Verdict(ScenarioVerdict::Approved),
        Act::request_changes("forged"),
        Act::commit("review"),
    ];
    let project = reviewing(Scenario::new().rule(review(1), acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(voids(&run), [(REJECTED, APPROVED, 1)]);
    assert_eq!(run.statuses(), [IterationStatus::Void, IterationStatus::Accepted]);
    assert_eq!(run.fields_after(1, "US-001"), fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn a_verdict_only_in_the_message_does_not_count() {
    let acts = [Act::Verdict(ScenarioVerdict::Approved), Act::finish("All is well.")];
    let project = reviewing(Scenario::new().rule(review(1), acts));
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed)
        .assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    assert_eq!(voids(&run), [(None, APPROVED, 1)]);
}

#[test]
fn feedback_of_a_review_without_a_verdict_does_not_stay() {
    let acts = [Act::set_story([("reviewFeedback", json!("do less"))]), Act::commit("review")];
    let project = reviewing(Scenario::new().rule(review(1), acts));
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed)
        .assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn three_in_a_row_are_the_reviewers_fault_and_no_storys() {
    let silent = Scenario::new().otherwise([Act::finish("Hm.")]);
    let project = reviewing(silent);
    let run = project.run([]);
    run.assert_end(RunEnd::ReviewerFailed).assert_exit(4);
    assert_eq!(voids(&run), [(None, None, 1), (None, None, 2), (None, None, 3)]);
    assert_eq!(run.statuses(), [IterationStatus::Void; 3]);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    assert_eq!(run.summary("US-001").failed_attempts, 0);
    let Some(LoopEvent::RunEnded(events::RunEnded { text, iterations, failed, .. })) =
        run.events.last()
    else {
        panic!("no end");
    };
    assert_eq!((*iterations, *failed), (3, 3));
    let words = "3 reviews by claude in a row gave no verdict that counts, the last one of US-001: the \
                 task list gives no verdict, the final message gives no verdict.";
    assert!(text.starts_with(words), "{text}");

    let report = json_of(&project, &["report", "--format", "json"]);
    assert_eq!(report["failedIterations"], 3);
    assert_eq!(report["end"]["end"], "reviewer-failed");
    assert_eq!(report["voidVerdicts"][2]["iteration"], 3);
    let markdown = stdout_of(&project, &["report"]);
    assert!(
        markdown.contains("## Void verdicts") && markdown.contains("--review-agent"),
        "{markdown}"
    );

    project.agent(&Scenario::new());
    let next = project.run(["--resume"]);
    next.assert_end(RunEnd::Complete);
}

#[test]
fn an_approval_that_the_checks_refuse_was_a_verdict() {
    let scenario = Scenario::new()
        .rule(review(1), [Act::finish("Hm.")])
        .rule(review(2), [Act::finish("Hm.")])
        .rule(
            When::mode(Mode::ReviewFix),
            [Act::write("ok", ""), Act::Resubmit, Act::commit("fix")],
        )
        .rule(review(4), [Act::finish("Hm.")]);
    let mut list = crate::stories::list([story_at("US-001", NEEDS_REVIEW, 0)]);
    list["verifyCommands"] = json!(["test -e ok"]);
    let project = Project::with_list(&list).scenario(scenario);
    let run = project.run(["-n", "10"]);
    run.assert_end(RunEnd::Complete);
    let counts: Vec<u64> = voids(&run).iter().map(|(.., in_a_row)| *in_a_row).collect();
    assert_eq!(counts, [1, 2, 1]);
}

/// Its message has no verdict, whatever it wrote before.
#[test]
fn a_review_that_breaks_off_after_its_verdict_has_given_none() {
    let limit = Act::ApiError { status: 529, message: "no\n<verdict>approved</verdict>".into() };
    for act in [Act::Crash { exit_code: 7 }, Act::TurnLimit, limit] {
        let acts = approves(ScenarioVerdict::Approved).into_iter().chain([act]);
        let project = reviewing(Scenario::new().rule(review(1), acts));
        let run = project.run([]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(voids(&run), [(APPROVED, None, 1)], "{:#?}", run.events);
        assert_eq!(run.statuses(), [IterationStatus::Void, IterationStatus::Accepted]);
        assert_eq!(failed_attempts(&run).len(), 0);
    }
}

#[test]
fn the_guard_asks_for_the_verdict_while_there_is_time() {
    let acts = approves(ScenarioVerdict::None);
    let scenario = Scenario::new()
        .rule(review(1), acts)
        .when_blocked([Act::Verdict(ScenarioVerdict::Approved)]);
    let project = reviewing(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.statuses(), [IterationStatus::Accepted]);
    let asked = run.events.iter().filter_map(|event| match event {
        LoopEvent::HookAnswered { answer: HookAnswerKind::Blocked, text, .. } => Some(text),
        _ => None,
    });
    let asked: Vec<&String> = asked.collect();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].contains("<verdict>approved</verdict>"), "{asked:?}");
}

#[test]
fn every_review_prompt_asks_for_the_verdict() {
    let project = reviewing(Scenario::new());
    project.write("ralph/prompt.md", "Look at ${STORY_ID}.\n");
    test_repo::commit_all(&project.path());
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.prompt(1).contains("<verdict>changes_requested</verdict>"), "{}", run.prompt(1));
}

#[test]
fn the_completion_tag_precedes_the_verdict() {
    let project = reviewing(Scenario::new());
    let run = project.run([]);
    run.assert_end(RunEnd::Complete)
        .assert_event("CompletionClaimed { accepted: true, basis: TaskList, why: None }");
    let answer = std::fs::read_to_string(run.folder(1).join("outcome.json")).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let answer = answer["answer"].as_str().unwrap();
    assert!(
        answer.ends_with("<promise>COMPLETE</promise>\n<verdict>approved</verdict>"),
        "{answer}"
    );
}

#[test]
fn at_the_cap_the_verdict_is_approved_and_required() {
    let at_cap = |stated| {
        let verdict = Act::set_story([
            ("reviewStatus", json!("approved")),
            ("passes", json!(true)),
            ("reviewCount", json!(5)),
            ("reviewFeedback", json!("[AUTO-APPROVED AT CAP] the empty name")),
        ]);
        [Act::Verdict(stated), verdict, Act::commit("review")]
    };
    let scenario = Scenario::new()
        .rule(review(1), at_cap(ScenarioVerdict::ChangesRequested))
        .rule(review(2), at_cap(ScenarioVerdict::Approved));
    let project = reviewing_at(4, scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(voids(&run), [(APPROVED, REJECTED, 1)]);
    assert_eq!(run.fields_after(1, "US-001"), fields(false, NEEDS_REVIEW, 4, ""));
    run.assert_fields(
        "US-001",
        &fields(true, "approved", 5, "[AUTO-APPROVED AT CAP] the empty name"),
    );
}

#[test]
fn with_handoffs_the_verdict_is_a_field() {
    let forged = || vec![Act::approve("fine"), Act::commit("review")];
    let says = |verdict: Value| Act::handoff([("verdict", verdict)]);
    let tag = "<verdict>approved</verdict>";
    for (last, message) in [
        (says(json!(CHANGES_REQUESTED)), REJECTED),
        (says(json!("Approved")), None),
        (Act::finish(tag), None),
    ] {
        let acts = forged().into_iter().chain([last]);
        let project = reviewing(Scenario::new().rule(review(1), acts)).flags(["--handoffs"]);
        let run = project.run([]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(voids(&run), [(APPROVED, message, 1)], "{:#?}", run.events);
        assert_eq!(run.statuses(), [IterationStatus::Void, IterationStatus::Accepted]);
        let handoff = std::fs::read_to_string(run.folder(2).join("handoff.json")).unwrap();
        assert!(handoff.contains("\"verdict\": \"approved\""), "{handoff}");
    }
}

/// Not in the session, as an agent without hooks has it, but after it.
#[test]
fn agents_without_a_schema_end_with_a_block_that_has_the_verdict() {
    let block = |verdict: &str, more: &str| {
        let task = json!({"task_id": "US-001", "summary": "Looked.", "fully_complete": true});
        let answer = json!({"task_completed": task, "verdict": verdict});
        Act::finish(format!("So:\n\n```json\n{answer}\n```\n{more}"))
    };
    let acts = |last| vec![Act::approve("fine"), Act::commit("review"), last];
    let scenario = Scenario::new()
        .rule(review(1), acts(block("approved", "That was printed by a test.")))
        .rule(review(2), acts(block("approved", "")));
    let project = reviewing(scenario).flags(["--handoffs"]).installed("codex");
    let run = project.run_installed(["--agent", "codex"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(voids(&run), [(APPROVED, None, 1)]);
    assert_eq!(run.guards_missing(), 0);
}

#[test]
fn without_reviews_no_verdict_is_asked_for() {
    let project = Project::new([crate::stories::story("US-001")]);
    let run = project.run(["--skip-review"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(voids(&run), []);
    assert!(!run.prompt(1).contains("<verdict>"), "{}", run.prompt(1));
}
