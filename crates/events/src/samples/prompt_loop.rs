//! A prompt loop as events.

use crate::*;
use tasks::Mode;

use super::{agent_ended, beginning, iteration_ended, iteration_started, stamped};

pub fn a_prompt_loop(kind: LoopKind, branch: &str, cost: f64) -> Vec<Stamped> {
    let mode = match kind {
        LoopKind::Plan => IterationMode::Plan,
        LoopKind::Build => IterationMode::Build,
        LoopKind::Stories | LoopKind::Prompt => IterationMode::Prompt,
    };
    let (mut started, mut iteration) =
        (beginning().remove(0).1, iteration_started(1, 1, Mode::Review));
    if let LoopEvent::RunStarted {
        kind: of,
        name,
        branch: on,
        base,
        agent,
        model,
        max_iterations,
        review_cap,
        ceiling_usd,
        max_attempts,
        max_seconds,
        resumed,
        stories,
        ..
    } = &mut started
    {
        (*of, *max_iterations, *review_cap, *ceiling_usd) = (kind, 10, None, None);
        (*name, *on, *agent, *model) = ("PROMPT.md".into(), branch.into(), "codex".into(), None);
        (*resumed, *stories, *max_attempts, *max_seconds) = (None, Vec::new(), None, None);
        *base = None;
    }
    if let LoopEvent::IterationStarted { mode: of, story, title, .. } = &mut iteration {
        (*of, *story, *title) = (mode, None, "PROMPT.md".into());
    }
    let mut ended = iteration_ended(3, Mode::Review, IterationStatus::Accepted);
    if let LoopEvent::IterationEnded {
        mode: of,
        story,
        cost_usd,
        total_cost_usd,
        done,
        stories,
        iteration,
        ..
    } = &mut ended
    {
        (*of, *story, *iteration, *done, *stories) = (mode, None, 1, 0, 0);
        (*cost_usd, *total_cost_usd) = (cost, cost);
    }
    let end = LoopEvent::RunEnded {
        end: RunEnd::Complete,
        exit_code: 0,
        text: String::new(),
        iterations: 3,
        accepted: 2,
        failed: 1,
        seconds: 12.0,
        cost_usd: cost,
        stories: vec![],
        blocked: vec![],
        waiting: vec![],
    };
    let events = [(0, started), (1, iteration), (253, ended), (254, end)];
    events.into_iter().map(|(seconds, event)| stamped(seconds, event)).collect()
}

/// The same with a session that reports this cost and no tokens.
pub fn a_prompt_loop_reporting(reported: Option<f64>) -> Vec<Stamped> {
    let mut events = a_prompt_loop(LoopKind::Prompt, "main", 0.0);
    let mut ended = agent_ended(AgentOutcome::Answered, "", &[]);
    if let LoopEvent::AgentEnded { cost_usd, tokens, .. } = &mut ended {
        (*cost_usd, *tokens) = (reported, TokenCount::default());
    }
    events.insert(2, stamped(252, ended));
    events
}
