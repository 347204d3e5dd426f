//! A run with a large number of iterations.

use crate::*;
use serde_json::json;
use tasks::{Mode, ReviewStatus};

use super::{RUN, like, stamped, story, tool};

/// Seconds per iteration.
const SECONDS: i64 = 90;

/// Stories are implemented and approved in turns; every seventh iteration fails at a check, and the last
/// iteration still runs.
pub fn a_long_run(iterations: u64) -> Vec<Stamped> {
    let open = |number| {
        let name = format!("US-{number:04}");
        story(&name, "One of very many stories", ReviewStatus::NotSubmitted, 0)
    };
    let stories: Vec<StoryBrief> = (0..iterations.div_ceil(2)).map(open).collect();
    let start = json!({"stories": stories, "maxIterations": iterations, "resumed": null});
    let mut events = vec![stamped(0, like("run-started", start))];
    for number in 1..=iterations {
        let of = &stories[((number - 1) / 2) as usize];
        events.extend(iteration(number, of, iterations));
    }
    events
}

fn iteration(number: u64, of: &StoryBrief, iterations: u64) -> impl Iterator<Item = Stamped> {
    let is_review = number.is_multiple_of(2);
    let fails = number.is_multiple_of(7);
    let mode = if is_review { Mode::Review } else { Mode::Implement };
    let status = if fails { IterationStatus::ChecksFailed } else { IterationStatus::Accepted };
    let begun = json!({"iteration": number, "mode": mode, "story": of.id, "title": of.title});
    let mut events = vec![
        (0, like("iteration-started", begun)),
        (5, LoopEvent::AgentText { text: format!("Working on {} <now> & here.", of.id) }),
        (9, tool(&format!("t{number}"), "Bash", "cargo test --workspace")),
        (20, LoopEvent::Context { tokens: 20_000 + number * 7, window: Some(200_000) }),
    ];
    if number < iterations {
        let tokens =
            TokenCount { input: 900, output: 4_000, cache_read: 90_000, cache_creation: 2_000 };
        let session = json!({"costUsd": 0.25, "tokens": tokens, "seconds": 55.0, "leftovers": []});
        let check = json!({
            "command": "cargo test --workspace",
            "outcome": if fails { CheckOutcome::Failed(Some(1)) } else { CheckOutcome::Passed },
            "seconds": 9.5,
            "log": format!(".ralph/runs/{RUN}/guardrail_tests.log"),
            "tail": vec!["assertion failed: left == right"; usize::from(fails) * 5],
        });
        let outcome = if fails { ChecksOutcome::Failed } else { ChecksOutcome::Passed };
        events.extend([
            (60, like("agent-ended", session)),
            (70, like("check-ended", check)),
            (71, LoopEvent::ChecksJudged { tree: "5f3a".into(), outcome }),
        ]);
        if !fails {
            let changed = LoopEvent::StoryStatusChanged {
                story: of.id.clone(),
                from: if is_review {
                    ReviewStatus::NeedsReview
                } else {
                    ReviewStatus::NotSubmitted
                },
                to: if is_review { ReviewStatus::Approved } else { ReviewStatus::NeedsReview },
                reviews: u64::from(is_review),
                feedback: String::new(),
                passes: is_review,
            };
            events.push((72, changed));
        }
        let end = json!({
            "iteration": number, "mode": mode, "story": of.id, "status": status,
            "seconds": 60.0 + (number % 40) as f64, "agentSeconds": 55.0, "checkSeconds": 9.5,
            "costUsd": 0.25, "totalCostUsd": 0.25 * number as f64,
            "done": number / 2, "stories": iterations.div_ceil(2), "commit": format!("{number:040x}"),
        });
        events.push((75, like("iteration-ended", end)));
    }
    let begins = number as i64 * SECONDS;
    events.into_iter().map(move |(after, event)| stamped(begins + after, event))
}
