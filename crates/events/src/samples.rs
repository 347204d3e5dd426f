//! Sample runs as events, with every kind of event at least once, for the tests of displays.

mod failures;
mod long;
mod memory;
mod prompt_loop;
mod review;

use ::isolation::Isolation;

use crate::*;
use chrono::{DateTime, TimeDelta, Utc};
use tasks::{Mode, ReviewStatus, StoryId};

use crate::Chain;

pub use failures::*;
pub use long::a_long_run;
pub use memory::*;
pub use prompt_loop::{a_prompt_loop, a_prompt_loop_reporting};

pub const RUN: &str = "20261115-010000-ab12";

pub fn at(seconds: i64) -> DateTime<Utc> {
    "2026-11-15T01:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::seconds(seconds)
}

pub fn id(text: &str) -> StoryId {
    StoryId::new(text).unwrap()
}

pub fn stamped(seconds: i64, event: LoopEvent) -> Stamped {
    Stamped { at: at(seconds), run: RUN.into(), event }
}

pub fn story(name: &str, title: &str, status: ReviewStatus, reviews: u64) -> StoryBrief {
    StoryBrief {
        id: id(name),
        title: title.into(),
        passes: status == ReviewStatus::Approved,
        review_status: status,
        review_count: reviews,
        failed_attempts: 0,
        cost_usd: 0.0,
        given_up: None,
    }
}

pub fn stories() -> Vec<StoryBrief> {
    vec![
        story("US-001", "A cart that keeps its items", ReviewStatus::Approved, 1),
        story("US-002", "Sums with tax\x1b[2J", ReviewStatus::NeedsReview, 1),
        story(
            "US-003",
            "日本語の領収書 (receipts in the customer's own language)",
            ReviewStatus::NotSubmitted,
            0,
        ),
    ]
}

/// A run of two iterations with every kind of event.
pub fn a_run() -> Vec<Stamped> {
    let parts = [beginning(), review::review(), failure(), ending()];
    parts.into_iter().flatten().map(|(seconds, event)| stamped(seconds, event)).collect()
}

/// The log of these events as a runner writes it.
pub fn log(events: &[Stamped]) -> String {
    let (mut chain, mut text) = (Chain::default(), String::new());
    for stamped in events {
        let link = ChainLink::after(chain.head());
        let line = stamped.to_linked_line(link);
        chain.push(line.as_bytes(), Some(link));
        text += &(line + "\n");
    }
    text
}

type TimedEvent = (i64, LoopEvent);

fn beginning() -> Vec<TimedEvent> {
    vec![
        (
            0,
            LoopEvent::RunStarted {
                version: "0.1.0".into(),
                kind: LoopKind::Stories,
                program: "/usr/bin/claude".into(),
                pid: 4711,
                project: "/home/me/shop".into(),
                name: "shop".into(),
                branch: "ralph/shop".into(),
                base: Some("main".into()),
                agent: "claude".into(),
                model: Some("opus".into()),
                max_iterations: 15,
                review_cap: Some(5),
                ceiling_usd: Some(20.0),
                max_attempts: Some(5),
                only_story: None,
                max_seconds: Some(3600.0),
                checks: Some(2),
                resumed: Some(Resumed { iterations: 2, cost_usd: 1.5, seconds: None }),
                stories: stories(),
            },
        ),
        (
            0,
            LoopEvent::IsolationChosen {
                agent: "claude".into(),
                isolation: Isolation::Guard,
                network: None,
                passed_over: vec![UnusedIsolation {
                    isolation: Isolation::Os,
                    why: "bwrap is not in PATH".into(),
                    fix: Some("apt install bubblewrap".into()),
                }],
            },
        ),
        (
            0,
            LoopEvent::RunEstimated {
                estimate: Estimate {
                    stories: 2,
                    iterations_per_story: 3.0,
                    basis: EstimateBasis::Usual,
                    iterations: 6,
                    cost_per_iteration_usd: Some(0.75),
                    cost_usd: Some(4.5),
                    iterations_left: 13,
                    cost_left_usd: Some(18.5),
                },
            },
        ),
        (0, LoopEvent::LeftoverFound { text: "a marker of a run that was killed; removed".into() }),
        (
            1,
            LoopEvent::Warning {
                text: "the plugin is not installed\nhooks come from settings".into(),
            },
        ),
    ]
}

pub fn iteration_started(iteration: u64, attempt: u64, mode: Mode) -> LoopEvent {
    LoopEvent::IterationStarted {
        iteration,
        attempt,
        mode: mode.into(),
        story: Some(id("US-002")),
        title: "Sums with tax\x1b[2J".into(),
        model: None,
        session: "5e551011-0000".into(),
        folder: format!(".ralph/runs/{RUN}/003-review-US-002"),
        checkpoint: "0123456789abcdef".into(),
    }
}

pub fn agent_ended(outcome: AgentOutcome, detail: &str, leftovers: &[&str]) -> LoopEvent {
    LoopEvent::AgentEnded {
        outcome,
        detail: detail.into(),
        cost_usd: Some(0.42),
        tokens: TokenCount {
            input: 50_000,
            output: 45_000,
            cache_read: 850_000,
            cache_creation: 300_000,
        },
        turns: Some(12),
        seconds: 230.0,
        context_window: Some(200_000),
        leftovers: leftovers.iter().map(|&text| text.into()).collect(),
    }
}

pub fn iteration_ended(iteration: u64, mode: Mode, status: IterationStatus) -> LoopEvent {
    LoopEvent::IterationEnded {
        iteration,
        mode: mode.into(),
        story: Some(id("US-002")),
        status,
        seconds: 252.0,
        agent_seconds: 230.0,
        check_seconds: 20.0,
        cost_usd: 0.42,
        total_cost_usd: 1.92 + 0.42 * (iteration - 3) as f64,
        done: 1,
        stories: 3,
        commit: Some("4d3c2b1a00".into()),
    }
}

pub fn agent_called(command: &str, prompt: &str) -> LoopEvent {
    LoopEvent::AgentCalled {
        agent: "claude".into(),
        command: command.into(),
        prompt_bytes: prompt.len() as u64,
        prompt: prompt.into(),
    }
}

pub fn tool(id: &str, name: &str, summary: &str) -> LoopEvent {
    LoopEvent::ToolStarted { id: id.into(), name: name.into(), summary: summary.into() }
}

/// With an excerpt of the whole answer.
pub fn tool_ended(id: &str, outcome: ToolOutcome, answer: &str) -> LoopEvent {
    LoopEvent::ToolEnded {
        id: id.into(),
        outcome,
        summary: answer.lines().next().unwrap_or_default().into(),
        output: ToolOutput {
            excerpt: answer.trim_end().into(),
            lines: answer.trim_end().lines().count() as u64,
            chars: answer.chars().count() as u64,
        },
    }
}

pub fn scm_ended(task: &str, outcome: ScmOutcome, text: &str) -> LoopEvent {
    LoopEvent::ScmEnded { task: task.into(), outcome, text: text.into() }
}

fn failure() -> Vec<TimedEvent> {
    vec![
        (5400, iteration_started(4, 2, Mode::ReviewFix)),
        (
            5500,
            LoopEvent::StopRequested {
                signal: "SIGINT".into(),
                text: "finishing this answer, press Ctrl-C again to stop now".into(),
            },
        ),
        (5600, agent_ended(AgentOutcome::Crashed, "exit code 1", &[])),
        (
            5600,
            LoopEvent::LogAltered {
                line: 12,
                text: "the event log was altered: line 12 (event 14) does not follow line 11"
                    .into(),
            },
        ),
        (
            5600,
            LoopEvent::ChecksJudged {
                tree: "0123456789abc".into(),
                outcome: ChecksOutcome::PassedBefore,
            },
        ),
        (
            5600,
            LoopEvent::ChecksJudged { tree: "0123456789abc".into(), outcome: ChecksOutcome::None },
        ),
        (5652, iteration_ended(4, Mode::ReviewFix, IterationStatus::Failed)),
    ]
}

pub fn run_ended(end: RunEnd) -> LoopEvent {
    let mut stories = stories();
    stories[1].failed_attempts = 1;
    stories[1].cost_usd = 0.84;
    LoopEvent::RunEnded {
        end,
        exit_code: end.exit_code(),
        text: "Ctrl-C was pressed; run the same command to resume.".into(),
        iterations: 4,
        accepted: 3,
        failed: 1,
        seconds: 5652.0,
        cost_usd: 2.34,
        stories,
        blocked: vec!["story US-003 waits for US-002".into()],
        waiting: vec![],
    }
}

fn ending() -> Vec<TimedEvent> {
    vec![(5652, run_ended(RunEnd::Interrupted))]
}
