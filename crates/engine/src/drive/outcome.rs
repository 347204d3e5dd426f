//! `outcome.json` in an iteration's folder: the result of the iteration.

use std::path::Path;

use events::{AgentOutcome, IterationMode, IterationStatus, TokenCount};
use serde::Serialize;
use tasks::StoryId;

use crate::own_file;
use crate::session::Session;

/// Data of the iteration besides its session.
pub(crate) struct OutcomeInput<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) iteration: u64,
    pub(crate) attempt: u64,
    pub(crate) mode: IterationMode,
    pub(crate) story: Option<&'a StoryId>,
    pub(crate) session: &'a str,
    /// The commit it started from; empty without git.
    pub(crate) checkpoint: &'a str,
    pub(crate) status: IterationStatus,
    pub(crate) agent: AgentOutcome,
    pub(crate) check_seconds: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    iteration: u64,
    attempt: u64,
    mode: IterationMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    story: Option<&'a StoryId>,
    status: IterationStatus,
    agent: AgentOutcome,
    detail: &'a str,
    /// The agent's last message.
    answer: &'a str,
    session: &'a str,
    model: Option<&'a str>,
    turns: Option<u64>,
    tokens: TokenCount,
    cost_usd: Option<f64>,
    agent_seconds: f64,
    check_seconds: f64,
    checkpoint: &'a str,
}

/// Errors are ignored, because nothing depends on the file.
pub(crate) fn write(account: &OutcomeInput<'_>, session: Option<&Session>) {
    let conclusion = session.map(|session| &session.conclusion);
    let result = conclusion.and_then(|conclusion| conclusion.result.as_ref());
    let outcome = Outcome {
        iteration: account.iteration,
        attempt: account.attempt,
        mode: account.mode,
        story: account.story,
        status: account.status,
        agent: account.agent,
        detail: conclusion.map_or("", |conclusion| &conclusion.detail),
        answer: result.map_or("", |result| &result.text),
        session: account.session,
        model: result.and_then(|result| result.model.as_deref()),
        turns: result.and_then(|result| result.turns),
        tokens: conclusion.map(|conclusion| conclusion.tokens()).unwrap_or_default(),
        cost_usd: conclusion.and_then(|conclusion| conclusion.cost_usd()),
        agent_seconds: session.map_or(0.0, |session| session.elapsed.as_secs_f64()),
        check_seconds: account.check_seconds,
        checkpoint: account.checkpoint,
    };
    if let Ok(text) = serde_json::to_string_pretty(&outcome) {
        let _ = own_file::write(&account.folder.join("outcome.json"), text + "\n");
    }
}
