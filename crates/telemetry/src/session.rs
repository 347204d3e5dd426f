//! A session of an agent that runs, and its span.

use chrono::{DateTime, Utc};
use events::{AgentEnded, AgentOutcome, IterationRecord, LoopEvent, Traceparent};

use crate::otlp::{Attributes, word};
use crate::span::Span;

const OPERATION: &str = "invoke_agent";

#[derive(Debug, Clone)]
pub(crate) struct OpenSession {
    pub(crate) id: Traceparent,
    pub(crate) parent: Traceparent,
    pub(crate) agent: String,
    pub(crate) started: DateTime<Utc>,
    /// `implement`, `review` and the like; of a session outside iterations, what it is for.
    pub(crate) mode: String,
    pub(crate) requested_model: Option<String>,
    model: Option<String>,
    /// Of the iteration.
    about: Attributes,
    /// Of a session on another machine.
    job: Option<String>,
    node: Option<String>,
}

impl OpenSession {
    pub(crate) fn new(
        id: Traceparent,
        parent: Traceparent,
        agent: &str,
        mode: String,
        started: DateTime<Utc>,
    ) -> Self {
        let agent = agent.to_owned();
        let (requested_model, model, job, node) = (None, None, None, None);
        let about = Attributes::default();
        Self { id, parent, agent, started, mode, requested_model, model, about, job, node }
    }

    /// The session that does the work of an iteration.
    pub(crate) fn of_iteration(self, iteration: &IterationRecord) -> Self {
        Self {
            requested_model: iteration.model.clone(),
            about: about(iteration).text("gen_ai.conversation.id", &iteration.session),
            ..self
        }
    }

    pub(crate) fn apply(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::SessionStarted { model, .. } if !model.is_empty() => {
                self.model = Some(model.clone());
            }
            LoopEvent::JobWaiting { job, .. } => self.job = Some(job.clone()),
            LoopEvent::JobStarted { job, node, .. } => {
                (self.job, self.node) = (Some(job.clone()), Some(node.clone()));
            }
            _ => {}
        }
    }

    /// What metrics of its agent and model have.
    pub(crate) fn labels(&self) -> Vec<(&'static str, String)> {
        let model = self.requested_model.clone().or_else(|| self.model.clone());
        let model = model.unwrap_or_else(|| "default".to_owned());
        vec![
            ("gen_ai.operation.name", OPERATION.to_owned()),
            ("gen_ai.provider.name", provider(&self.agent).to_owned()),
            ("gen_ai.request.model", model),
        ]
    }

    /// `None` for `ended` if the runner was killed.
    pub(crate) fn span(self, at: DateTime<Utc>, ended: Option<&AgentEnded>) -> Span {
        let outcome = ended.map_or(AgentOutcome::RunnerDied, |ended| ended.outcome);
        let tokens = ended.map(|ended| ended.tokens);
        let input = tokens.map(|all| all.input + all.cache_read + all.cache_creation);
        let attributes = self
            .about
            .text("gen_ai.operation.name", OPERATION)
            .text("gen_ai.provider.name", provider(&self.agent))
            .text("gen_ai.agent.name", &self.agent)
            .maybe("gen_ai.request.model", self.requested_model)
            .maybe("gen_ai.response.model", self.model)
            .int("gen_ai.usage.input_tokens", input)
            .int("gen_ai.usage.output_tokens", tokens.map(|all| all.output))
            .int("gen_ai.usage.cache_read.input_tokens", tokens.map(|all| all.cache_read))
            .int("gen_ai.usage.cache_creation.input_tokens", tokens.map(|all| all.cache_creation))
            .text("ralph.mode", &self.mode)
            .text("ralph.outcome", word(&outcome))
            .float("ralph.cost", ended.and_then(|ended| ended.cost_usd))
            .int("ralph.turns", ended.and_then(|ended| ended.turns))
            .maybe("ralph.job", self.job)
            .maybe("ralph.node", self.node);
        let error = error_of(outcome);
        Span {
            id: self.id,
            parent: Some(self.parent),
            name: format!("{OPERATION} {}", self.agent),
            is_call: true,
            time: (self.started, at),
            attributes: attributes.maybe("error.type", error.as_ref()),
            error,
        }
    }
}

/// `None` if it did not fail: the user may stop it.
pub(crate) fn error_of(outcome: AgentOutcome) -> Option<String> {
    let is_good = outcome.is_answer() || outcome == AgentOutcome::Stopped;
    (!is_good).then(|| word(&outcome))
}

/// The attributes of an iteration that its session has too.
pub(crate) fn about(iteration: &IterationRecord) -> Attributes {
    Attributes::default()
        .int("ralph.iteration", Some(iteration.number))
        .int("ralph.attempt", Some(iteration.attempt))
        .maybe("ralph.story", iteration.story.as_ref())
        .int("ralph.lane", iteration.lane)
}

/// The conventions name those of some models; other agents can use several.
fn provider(agent: &str) -> &str {
    match agent {
        "claude" => "anthropic",
        "codex" => "openai",
        "gemini" => "gcp.gemini",
        other => other,
    }
}
