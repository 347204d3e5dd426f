//! A run with a large number of iterations.

use crate::{
    AgentOutcome, CheckOutcome, ChecksOutcome, IterationStatus, LoopEvent, Stamped, StoryBrief,
    TokenCount,
};
use tasks::{Mode, ReviewStatus};

use super::{a_run, id, stamped, story};

/// Seconds per iteration.
const SECONDS: i64 = 90;

/// Stories are implemented and approved in turns; every seventh iteration fails at a check, and the last
/// iteration still runs.
pub fn a_long_run(iterations: u64) -> Vec<Stamped> {
    let stories: Vec<StoryBrief> = (0..iterations.div_ceil(2))
        .map(|number| {
            let name = format!("US-{number:04}");
            story(&name, "One of very many stories", ReviewStatus::NotSubmitted, 0)
        })
        .collect();
    let mut start = a_run().swap_remove(0);
    if let LoopEvent::RunStarted { stories: listed, max_iterations, resumed, .. } = &mut start.event
    {
        (*listed, *max_iterations, *resumed) = (stories.clone(), iterations, None);
    }
    let mut events = vec![start];
    for number in 1..=iterations {
        let of = &stories[((number - 1) / 2) as usize];
        let mode = if !number.is_multiple_of(2) { Mode::Implement } else { Mode::Review };
        let last = number == iterations;
        events.extend(iteration(number, mode, of, iterations, last));
    }
    events
}

fn iteration(
    number: u64,
    mode: Mode,
    of: &StoryBrief,
    iterations: u64,
    last: bool,
) -> impl Iterator<Item = Stamped> {
    let begins = number as i64 * SECONDS;
    let fails = number.is_multiple_of(7);
    let check = if fails { CheckOutcome::Failed(Some(1)) } else { CheckOutcome::Passed };
    let judged = if fails { ChecksOutcome::Failed } else { ChecksOutcome::Passed };
    let status = if fails { IterationStatus::ChecksFailed } else { IterationStatus::Accepted };
    let (from, to) = match mode {
        Mode::Review => (ReviewStatus::NeedsReview, ReviewStatus::Approved),
        Mode::Implement | Mode::ReviewFix => {
            (ReviewStatus::NotSubmitted, ReviewStatus::NeedsReview)
        }
    };
    let mut events = vec![
        (0, super::iteration_started(number, 1, mode)),
        (5, LoopEvent::AgentText { text: format!("Working on {} <now> & here.", of.id) }),
        (9, super::tool(&format!("t{number}"), "Bash", "cargo test --workspace")),
        (20, LoopEvent::Context { tokens: 20_000 + number * 7, window: Some(200_000) }),
    ];
    if let LoopEvent::IterationStarted { story, title, .. } = &mut events[0].1 {
        (*story, *title) = (Some(of.id.clone()), of.title.clone());
    }
    if !last {
        let tokens =
            TokenCount { input: 900, output: 4_000, cache_read: 90_000, cache_creation: 2_000 };
        events.push((
            60,
            LoopEvent::AgentEnded {
                outcome: AgentOutcome::Answered,
                detail: String::new(),
                cost_usd: Some(0.25),
                tokens,
                turns: Some(12),
                seconds: 55.0,
                context_window: Some(200_000),
                leftovers: Vec::new(),
            },
        ));
        events.push((
            70,
            LoopEvent::CheckEnded {
                command: "cargo test --workspace".into(),
                outcome: check,
                seconds: 9.5,
                fail_action: crate::FailAction::Append,
                log: format!(".ralph/runs/{}/guardrail_tests.log", super::RUN),
                tail: vec!["assertion failed: left == right".into(); usize::from(fails) * 5],
            },
        ));
        events.push((71, LoopEvent::ChecksJudged { tree: "5f3a".into(), outcome: judged }));
        if !fails {
            let story = of.id.clone();
            let (reviews, passes) = (u64::from(mode == Mode::Review), mode == Mode::Review);
            let feedback = String::new();
            events.push((
                72,
                LoopEvent::StoryStatusChanged { story, from, to, reviews, feedback, passes },
            ));
        }
        events.push((
            75,
            LoopEvent::IterationEnded {
                iteration: number,
                mode: mode.into(),
                story: Some(id(of.id.as_str())),
                status,
                seconds: 60.0 + (number % 40) as f64,
                agent_seconds: 55.0,
                check_seconds: 9.5,
                cost_usd: 0.25,
                total_cost_usd: 0.25 * number as f64,
                done: number / 2,
                stories: iterations.div_ceil(2),
                commit: Some(format!("{number:040x}")),
            },
        ));
    }
    events.into_iter().map(move |(after, event)| stamped(begins + after, event))
}
