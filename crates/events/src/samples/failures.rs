//! A run of six stories: two are given up, one waits for them.

use crate::*;
use serde_json::json;
use tasks::{Mode, ReviewStatus};

use super::{every, id, like, story};

pub fn given_up(reason: GiveUpReason, commits: StoryCommits) -> GivenUp {
    GivenUp {
        given_up_at: super::at(4000),
        reason,
        attempts: 5,
        of: 5,
        reviews: 0,
        last_gate: Gate::Tests,
        error: "assertion `left == right` failed | src/auth.rs".into(),
        error_hash: "a3f2b7c1".into(),
        stuck: Stuck::Yes { repeats: 5, strategy_shifts: 2 },
        branch: Some("wip/ralph-fail-US-003-20261115-020640".into()),
        diagnostics: Some("ralph/failure-US-003.md".into()),
        commits,
        dependants: vec![id("US-006")],
    }
}

pub fn attempt_failed(iteration: u64, attempt: u64, gate: Gate, repeats: u64) -> LoopEvent {
    let fields =
        json!({"iteration": iteration, "attempt": attempt, "gate": gate, "repeats": repeats});
    like("attempt-failed", fields)
}

pub fn escalated(tier: EscalationTier, files: &[&str]) -> LoopEvent {
    let text = match tier {
        EscalationTier::StrategyShift => "must try something fundamentally different",
        EscalationTier::ContextExpansion => "given the files that the error names",
        EscalationTier::StrongerModel => {
            "opus gets the story after 5 failed attempts, which cost $1.24"
        }
        EscalationTier::Candidates => {
            "3 candidates get the story after 7 failed attempts, which cost $2.80"
        }
        EscalationTier::OtherAgent => {
            "codex gets the story after 6 failed attempts, which cost $2.08"
        }
    };
    let files = files.iter().map(|&file| file.into()).collect();
    LoopEvent::Escalated { story: id("US-003"), tier, text: text.into(), files }
}

pub fn quality(outcome: QualityOutcome, warnings: &[&str]) -> LoopEvent {
    like("quality-checked", json!({"outcome": outcome, "warnings": warnings}))
}

/// The first final review, with one finding.
pub fn final_reviewed(outcome: FinalReviewOutcome) -> LoopEvent {
    like("final-reviewed", json!({"outcome": outcome}))
}

/// The second of two reviewers requests changes.
pub fn reviewer_verdict() -> LoopEvent {
    like("reviewer-verdict", json!({}))
}

pub fn weakened() -> LoopEvent {
    like("tests-weakened", json!({}))
}

/// The task list approved US-002 in iteration 3, and the reviewer did not.
pub fn verdict_void() -> LoopEvent {
    like("verdict-void", json!({}))
}

pub fn time_warning(what: TimedTask) -> LoopEvent {
    LoopEvent::TimeWarning { what, soft_seconds: 720.0, hard_seconds: Some(1200.0) }
}

const TITLES: [(&str, &str); 6] = [
    ("US-001", "A cart that keeps its items"),
    ("US-002", "Sums with tax"),
    ("US-003", "Add *authentication* | tokens"),
    ("US-004", "Log in with a token"),
    ("US-005", "Rate limiting"),
    ("US-006", "Show who is logged in"),
];

fn at_the_start() -> Vec<StoryBrief> {
    let open = |(name, title)| story(name, title, ReviewStatus::NotSubmitted, 0);
    TITLES.map(open).to_vec()
}

/// As the run counts them at its end.
fn at_the_end() -> Vec<StoryBrief> {
    let mut stories = at_the_start();
    let after = [(1, 0, 0.42), (5, 1, 3.10), (0, 5, 4.20), (2, 0, 0.80), (5, 3, 2.75), (0, 0, 0.0)];
    for (story, (reviews, failed_attempts, cost_usd)) in stories.iter_mut().zip(after) {
        (story.review_count, story.failed_attempts, story.cost_usd) =
            (reviews, failed_attempts, cost_usd);
    }
    for at in [0, 1, 3] {
        (stories[at].passes, stories[at].review_status) = (true, ReviewStatus::Approved);
    }
    stories[2].given_up = Some(given_up(GiveUpReason::Stuck, StoryCommits::Rewound));
    stories[4].given_up = Some(spec_failure());
    stories
}

fn spec_failure() -> GivenUp {
    GivenUp {
        attempts: 3,
        last_gate: Gate::SpecReview,
        error: "Missing: password reset flow".into(),
        error_hash: "c4d5e6f7".into(),
        stuck: Stuck::No,
        branch: Some("wip/ralph-fail-US-005-20261115-021320".into()),
        diagnostics: Some("ralph/failure-US-005.md".into()),
        dependants: vec![],
        reviews: 5,
        ..given_up(
            GiveUpReason::ReviewCap,
            StoryCommits::Reverted {
                commit: "fedcba9876543210".into(),
                checks: ChecksWithout::Passed,
            },
        )
    }
}

fn moved(name: &str, to: ReviewStatus, reviews: u64, feedback: &str) -> LoopEvent {
    let (from, feedback) = (ReviewStatus::NeedsReview, feedback.into());
    LoopEvent::StoryStatusChanged { story: id(name), from, to, reviews, feedback, passes: false }
}

fn started(iteration: u64, name: &str) -> LoopEvent {
    let (_, title) = TITLES.into_iter().find(|(id, _)| *id == name).unwrap();
    let fields = json!({
        "iteration": iteration, "mode": Mode::Implement, "story": name, "title": title
    });
    like("iteration-started", fields)
}

fn ended(iteration: u64, name: &str, status: IterationStatus) -> LoopEvent {
    let fields = json!({
        "iteration": iteration, "mode": Mode::Implement, "story": name, "status": status,
        "totalCostUsd": 0.42 * iteration as f64,
    });
    like("iteration-ended", fields)
}

fn run_with_failures_ended() -> LoopEvent {
    let fields = json!({
        "end": RunEnd::StoriesFailed, "exitCode": 1,
        "text": "All is done but US-003 and US-005, which failed, and what waits for them.",
        "iterations": 14, "accepted": 6, "failed": 8, "seconds": 4800.0, "costUsd": 11.27,
        "stories": at_the_end(), "blocked": ["story US-006 waits for US-003"],
        "waiting": [{"story": "US-006", "waitsFor": ["US-003"]}],
    });
    like("run-ended", fields)
}

pub fn a_run_with_failures() -> Vec<Stamped> {
    let (branch, tag) = ("wip/ralph-fail-US-003-20261114-190000", "ralph-fail/US-003-20261114");
    let mut events = vec![
        like("run-started", json!({"stories": at_the_start(), "resumed": null})),
        LoopEvent::BranchArchived { branch: branch.into(), tag: tag.into() },
        moved("US-001", ReviewStatus::Approved, 1, ""),
        moved("US-002", ReviewStatus::Approved, 5, "[AUTO-APPROVED AT CAP] Rounding | *still* off"),
    ];
    events.extend((1..=5).flat_map(failing));
    let given_up = given_up(GiveUpReason::Stuck, StoryCommits::Rewound);
    events.extend([
        LoopEvent::StoryGivenUp { story: id("US-003"), given_up },
        started(9, "US-004"),
        weakened(),
        moved("US-004", ReviewStatus::Approved, 2, ""),
        ended(9, "US-004", IterationStatus::Accepted),
        LoopEvent::QualityStarted { story: id("US-004") },
        quality(
            QualityOutcome::Checked,
            &["login() does two things", "no test for an empty token"],
        ),
        LoopEvent::StoryGivenUp { story: id("US-005"), given_up: spec_failure() },
        run_with_failures_ended(),
    ]);
    every(120, events)
}

/// One attempt at US-003, in iterations 4 to 8.
fn failing(attempt: u64) -> Vec<LoopEvent> {
    let iteration = attempt + 3;
    let status =
        if attempt == 3 { IterationStatus::TimedOut } else { IterationStatus::ChecksFailed };
    let mut events = vec![started(iteration, "US-003")];
    if attempt == 3 {
        events.push(time_warning(TimedTask::Implement));
    }
    events.push(ended(iteration, "US-003", status));
    events.push(attempt_failed(iteration, attempt, Gate::Tests, attempt));
    match attempt {
        3 => events.push(escalated(EscalationTier::StrategyShift, &[])),
        4 => events.extend([
            escalated(EscalationTier::StrategyShift, &[]),
            escalated(EscalationTier::ContextExpansion, &["src/auth.rs", "src/token.rs"]),
        ]),
        _ => {}
    }
    events
}
