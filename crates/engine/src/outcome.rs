//! `outcome.json` in an iteration's folder: what became of it, for whoever opens that folder alone.

use serde::Serialize;
use tasks::{Mode, StoryId};

use crate::iteration::Iteration;
use crate::session::Session;
use crate::{AgentOutcome, IterationStatus, TokenCount};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    iteration: u64,
    attempt: u64,
    mode: Mode,
    story: &'a StoryId,
    status: IterationStatus,
    agent: AgentOutcome,
    /// How the agent failed, in a sentence.
    detail: &'a str,
    /// The agent's last message.
    answer: &'a str,
    session: &'a str,
    model: Option<&'a str>,
    turns: Option<u64>,
    tokens: TokenCount,
    cost_usd: Option<f64>,
    agent_seconds: f64,
    gate_seconds: f64,
    checkpoint: &'a str,
}

/// Nothing depends on the file, so nothing ends because of it.
pub(crate) fn write(
    iteration: &Iteration,
    agent: AgentOutcome,
    session: Option<&Session>,
    status: IterationStatus,
    gate_seconds: f64,
) {
    let conclusion = session.map(|session| &session.conclusion);
    let result = conclusion.and_then(|conclusion| conclusion.result.as_ref());
    let outcome = Outcome {
        iteration: iteration.assignment.iteration,
        attempt: iteration.assignment.attempt,
        mode: iteration.assignment.mode,
        story: &iteration.assignment.story,
        status,
        agent,
        detail: conclusion.map_or("", |conclusion| &conclusion.detail),
        answer: result.map_or("", |result| &result.text),
        session: &iteration.session,
        model: result.and_then(|result| result.model.as_deref()),
        turns: result.and_then(|result| result.turns),
        tokens: result.map(|result| result.tokens.into()).unwrap_or_default(),
        cost_usd: result.and_then(|result| result.cost_usd),
        agent_seconds: session.map_or(0.0, |session| session.elapsed.as_secs_f64()),
        gate_seconds,
        checkpoint: iteration.checkpoint.as_str(),
    };
    if let Ok(text) = serde_json::to_string_pretty(&outcome) {
        let _ = std::fs::write(iteration.folder.join("outcome.json"), text + "\n");
    }
}
