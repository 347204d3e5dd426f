//! A review iteration with every event that an agent, its hooks and the checks can cause.

use crate::*;
use tasks::{Mode, ReviewStatus};

use super::{
    TimedEvent, agent_called, agent_ended, at, id, iteration_ended, iteration_started, scm_ended,
    story, tool, tool_ended,
};

pub(super) fn review() -> Vec<TimedEvent> {
    let item = |text: &str, state| TodoItem { text: text.into(), state };
    let diff: String = (1..=14).map(|line| format!("+\tlet tax = {line};\n")).collect();
    vec![
        (2, iteration_started(3, 1, Mode::Review)),
        (2, agent_called("claude -p --model opus", "Review the story US-002.\nBe strict.")),
        (3, LoopEvent::SessionStarted { model: "claude-opus-4".into(), version: "2.1.0".into() }),
        (
            4,
            LoopEvent::AgentText {
                text: "I will look at the diff first.\n\n\tlet x = 1;\x1b]0;pwned\x07\n".into(),
            },
        ),
        (5, tool("t1", "Bash", "git diff main...")),
        (6, tool_ended("t1", ToolOutcome::Ok, &diff)),
        (7, tool("t3", "Read", "src/cart.rs")),
        (7, tool("t4", "Bash", "git status --short")),
        (7, tool("t2", "Bash", "cargo test -p cart")),
        (8, tool_ended("t4", ToolOutcome::Ok, "M src/lib.rs\x1b[2J\n")),
        (8, tool_ended("t3", ToolOutcome::Ok, "")),
        (
            9,
            tool_ended("t2", ToolOutcome::Failed, "error[E0425]: cannot find `tax`\nexit code 101"),
        ),
        (
            9,
            LoopEvent::Todo {
                items: vec![
                    item("read", TodoState::Done),
                    item("judge", TodoState::InProgress),
                    item("tell", TodoState::Pending),
                ],
            },
        ),
        (
            9,
            LoopEvent::Todo {
                items: vec![
                    item("read", TodoState::Done),
                    item("judge", TodoState::InProgress),
                    item("tell", TodoState::Pending),
                ],
            },
        ),
        (10, LoopEvent::Context { tokens: 84_000, window: Some(200_000) }),
        (11, LoopEvent::Compacted { tokens_after: Some(30_000) }),
        (
            12,
            LoopEvent::ApiRetry {
                attempt: 1,
                of: 10,
                delay_ms: 1500,
                status: Some(529),
                reason: "overloaded".into(),
            },
        ),
        (
            13,
            LoopEvent::Quota {
                state: QuotaState::Allowed,
                window: "five_hour".into(),
                used: Some(0.1),
                resets_at: None,
            },
        ),
        (
            13,
            LoopEvent::Quota {
                state: QuotaState::Warning,
                window: "five_hour".into(),
                used: Some(0.82),
                resets_at: Some(at(5400)),
            },
        ),
        (
            14,
            LoopEvent::HookAnswered {
                hook: "stop-guard".into(),
                answer: HookAnswerKind::Blocked,
                text: "1\n2\n3\n4\n5\n6\n7\n8".into(),
            },
        ),
        (
            14,
            LoopEvent::HookAnswered {
                hook: "context-monitor".into(),
                answer: HookAnswerKind::Informed,
                text: "context 42% full".into(),
            },
        ),
        (15, LoopEvent::HookMissing { why: "the hook never answered".into() }),
        (15, LoopEvent::AgentStderr { text: "npm warn\x1b[2J old".into() }),
        (230, agent_ended(AgentOutcome::Answered, "", &["node server.js (pid 77)"])),
        (
            230,
            LoopEvent::CompletionChecked {
                wanted: "<promise>COMPLETE</promise>".into(),
                found: Some("COMPLETE".into()),
                near_miss: None,
            },
        ),
        (
            231,
            LoopEvent::ChangesReverted {
                findings: vec![
                    "story US-003: passes went from false to true".into(),
                    "src/lib.rs was changed in a review".into(),
                ],
                corrections: vec!["the review fields of US-003 are as before".into()],
                commit: Some("fedcba9876543210".into()),
            },
        ),
        (
            232,
            LoopEvent::WorkCommitted {
                paths: ["a", "b", "c", "d", "e"].map(Into::into).to_vec(),
                commit: "abcdef0123456789".into(),
            },
        ),
        (232, LoopEvent::CheckStarted { command: "cargo test".into(), number: 1, of: 2 }),
        (
            244,
            LoopEvent::CheckEnded {
                command: "cargo test".into(),
                fail_action: FailAction::Append,
                outcome: CheckOutcome::Passed,
                seconds: 12.0,
                log: "x.log".into(),
                tail: vec![],
            },
        ),
        (244, LoopEvent::CheckStarted { command: "cargo clippy".into(), number: 2, of: 2 }),
        (
            252,
            LoopEvent::CheckEnded {
                command: "cargo clippy".into(),
                fail_action: FailAction::Append,
                outcome: CheckOutcome::Failed(Some(101)),
                seconds: 8.0,
                log: ".ralph/runs/r/003/guardrail_clippy.log".into(),
                tail: vec!["\x1b[1;31merror\x1b[0m: unused".into(), "\tcould not compile".into()],
            },
        ),
        (252, LoopEvent::ChecksJudged { tree: "7ree".into(), outcome: ChecksOutcome::Failed }),
        (
            253,
            LoopEvent::StoryStatusChanged {
                story: id("US-002"),
                from: ReviewStatus::NeedsReview,
                to: ReviewStatus::ChangesRequested,
                reviews: 2,
                feedback: "Round half to even.\nTest zero.".into(),
                passes: false,
            },
        ),
        (
            253,
            LoopEvent::StoryAdded {
                story: story("US-004", "Refunds", ReviewStatus::NotSubmitted, 0),
            },
        ),
        (
            254,
            LoopEvent::CompletionClaimed {
                accepted: false,
                basis: ClaimBasis::TaskList,
                why: None,
            },
        ),
        (254, scm_ended("commit", ScmOutcome::Done, "cart: sums with tax")),
        (254, scm_ended("push", ScmOutcome::Failed, "no upstream\nset one")),
        (254, iteration_ended(3, Mode::Review, IterationStatus::Accepted)),
        (
            255,
            LoopEvent::Waiting {
                reason: WaitReason::UsageLimit,
                text: "the usage limit is reached".into(),
                until: at(5400),
            },
        ),
    ]
}
