//! A prompt loop as events.

use crate::*;
use serde_json::json;

use super::{like, stamped};

pub fn a_prompt_loop(kind: LoopKind, branch: &str, cost: f64) -> Vec<Stamped> {
    let mode = match kind {
        LoopKind::Plan => IterationMode::Plan,
        LoopKind::Build => IterationMode::Build,
        LoopKind::Stories | LoopKind::Prompt => IterationMode::Prompt,
    };
    let start = json!({
        "loop": kind, "name": "PROMPT.md", "branch": branch, "base": null, "agent": "codex", "model": null,
        "maxIterations": 10, "reviewCap": null, "ceilingUsd": null, "maxAttempts": null, "maxSeconds": null,
        "resumed": null, "stories": [],
    });
    let iteration = json!({"iteration": 1, "mode": mode, "story": null, "title": "PROMPT.md"});
    let ended = json!({
        "iteration": 1, "mode": mode, "story": null, "costUsd": cost, "totalCostUsd": cost, "done": 0, "stories": 0,
    });
    let end = json!({
        "end": RunEnd::Complete, "exitCode": 0, "text": "", "iterations": 3, "accepted": 2, "failed": 1,
        "seconds": 12.0, "costUsd": cost, "stories": [], "blocked": [],
    });
    let events = [
        (0, like("run-started", start)),
        (1, like("iteration-started", iteration)),
        (253, like("iteration-ended", ended)),
        (254, like("run-ended", end)),
    ];
    events.into_iter().map(|(seconds, event)| stamped(seconds, event)).collect()
}

/// The same with a session that reports this cost and no tokens.
pub fn a_prompt_loop_reporting(reported: Option<f64>) -> Vec<Stamped> {
    let mut events = a_prompt_loop(LoopKind::Prompt, "main", 0.0);
    let silent = json!({"costUsd": reported, "tokens": TokenCount::default(), "leftovers": []});
    events.insert(2, stamped(252, like("agent-ended", silent)));
    events
}
