//! The start and the end of an iteration.

use super::{Form, Mark, Statement};
use crate::format::{duration, iteration_status, money, per_cent, tokens};
use crate::{IterationEnded, IterationStarted, Role, RunView};

pub(super) fn started(started: &IterationStarted, view: &RunView) -> Vec<Statement> {
    let IterationStarted { iteration, attempt, mode, story, title, .. } = started;
    let of = view.start.as_ref().map(|start| format!("/{}", start.max_iterations));
    let id = story.as_ref().map(|id| format!("{id} ")).unwrap_or_default();
    let mut parts = vec![
        (Role::Strong, format!("iteration {iteration}{}", of.unwrap_or_default())),
        (Role::Accent, mode.to_string()),
        (Role::Strong, format!("{id}{title}")),
    ];
    parts.extend(story.as_ref().and_then(|story| view.attempt_at(story)));
    if *attempt > 1 {
        parts.push((Role::Warn, format!("try {attempt}")));
    }
    let head = Statement::marked(Role::Accent, Mark::Rule).at(0).joined(Form::Parts, parts);
    vec![Statement::blank(), head]
}

/// `view` is the state before it ended.
pub(super) fn ended(ended: &IterationEnded, lane: Option<u64>, view: &RunView) -> Vec<Statement> {
    let IterationEnded { cost_usd, .. } = ended;
    let iteration = view.iteration_in(lane);
    let (done, total_cost_usd) = view.totals_after(lane, ended);
    let stories = lane.map_or(ended.stories, |_| view.stories.len() as u64);
    let verdict = iteration.and_then(|iteration| iteration.verdict);
    let (role, word) = iteration_status(ended.status, verdict);
    let mark = match role {
        Role::Good => Mark::Ok,
        Role::Bad => Mark::Failed,
        _ => Mark::Warning,
    };
    let (agent, checks) = (duration(ended.agent_seconds), duration(ended.check_seconds));
    let mut parts = vec![
        (role, word.to_owned()),
        (Role::Plain, format!("{} (agent {agent}, checks {checks})", duration(ended.seconds))),
    ];
    // 0 also means that the agent reports no cost.
    let known = |usd: f64| (usd > 0.0).then(|| money(usd));
    parts.extend(known(*cost_usd).map(|cost| (Role::Plain, cost)));
    if let Some(iteration) = iteration
        && let Some(used) = iteration.context_tokens
    {
        parts.push(context(used, iteration.context_window));
    }
    let progress = (stories > 0).then(|| format!("{done} of {stories} done"));
    let so_far: Vec<String> = progress.into_iter().chain(known(total_cost_usd)).collect();
    if !so_far.is_empty() {
        parts.push((Role::Dim, format!("so far {}", so_far.join(", "))));
    }
    vec![Statement::marked(role, mark).joined(Form::Parts, parts)]
}

/// `context 42%`, or the tokens if the size of the window is unknown.
pub fn context(used: u64, window: Option<u64>) -> (Role, String) {
    match window {
        None => (Role::Plain, format!("context {}", tokens(used))),
        Some(window) => {
            let is_nearly_full = used.saturating_mul(5) >= window.saturating_mul(4);
            let role = if is_nearly_full { Role::Warn } else { Role::Plain };
            (role, format!("context {}", per_cent(used, window)))
        }
    }
}
