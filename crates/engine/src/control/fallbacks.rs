//! Which agent gets a session while others are at their usage limits.

use chrono::{DateTime, Utc};
use events::{AgentOutcome, AgentReplaced, IterationMode};
use tasks::StoryId;

use crate::control::decide::{IterationResult, Step};
use crate::control::usage_limits::UsageLimits;
use crate::options::{AgentOptions, RunOptions};
use crate::session::Conclusion;

/// The agents for one piece of work.
pub(crate) struct AgentChoice<'o> {
    run: &'o RunOptions,
    wanted: &'o AgentOptions,
    is_replaceable: bool,
    /// These get the work only if no other agent is left.
    avoided: Vec<String>,
}

impl<'o> AgentChoice<'o> {
    /// The wanted agent, else a fallback, else the implementing agent.
    pub(crate) fn new(run: &'o RunOptions, wanted: &'o AgentOptions) -> Self {
        Self { run, wanted, is_replaceable: true, avoided: Vec::new() }
    }

    /// No other agent may do the work.
    pub(crate) fn fixed(self) -> Self {
        Self { is_replaceable: false, ..self }
    }

    pub(crate) fn avoiding(self, avoided: Vec<String>) -> Self {
        Self { avoided, ..self }
    }

    /// In the order in which they are asked.
    pub(crate) fn agents(&self) -> Vec<&'o AgentOptions> {
        let mut agents = vec![self.wanted];
        if self.is_replaceable && !self.run.fallbacks.is_empty() {
            agents.extend(self.run.fallbacks.iter().chain([&self.run.agent]));
        }
        agents
    }

    /// The wanted agent if all are limited: the wait for the reset precedes the session.
    pub(crate) fn choose(&self, limits: &UsageLimits, now: DateTime<Utc>) -> &'o AgentOptions {
        self.first_free(limits, now).unwrap_or(self.wanted)
    }

    fn first_free(&self, limits: &UsageLimits, now: DateTime<Utc>) -> Option<&'o AgentOptions> {
        let agents = self.agents().into_iter();
        let mut free = agents.filter(|agent| limits.until(&agent.name(), now).is_none());
        let first = free.clone().next();
        free.find(|agent| !self.avoided.contains(&agent.name())).or(first)
    }

    /// `None` for the wanted agent.
    pub(crate) fn replacement(
        &self,
        chosen: &AgentOptions,
        limits: &UsageLimits,
        (story, mode): (Option<StoryId>, Option<IterationMode>),
    ) -> Option<AgentReplaced> {
        let (agent, instead_of) = (chosen.name(), self.wanted.name());
        let until = limits.until(&instead_of, events::now());
        (agent != instead_of).then_some(AgentReplaced { story, mode, agent, instead_of, until })
    }

    /// What a session of `agent` means for the run. At its usage limit another agent takes over, if one is left.
    pub(crate) fn after(
        &self,
        agent: &AgentOptions,
        limits: &mut UsageLimits,
        result: IterationResult,
    ) -> IterationResult {
        if self.run.fallbacks.is_empty() || result.outcome != AgentOutcome::UsageLimit {
            return result;
        }
        let now = events::now();
        limits.add(agent.name(), result.resets_at, now);
        let is_taken_over = self.first_free(limits, now).is_some();
        let resets = self.agents().into_iter().filter_map(|it| limits.until(&it.name(), now));
        let resets_at = resets.min().filter(|_| !is_taken_over);
        IterationResult { resets_at, is_taken_over, ..result }
    }

    /// Whether another agent gets a session, outside the iterations, that `agent` ended so.
    pub(crate) fn takes_over(
        &self,
        agent: &AgentOptions,
        limits: &mut UsageLimits,
        ended: &Conclusion,
    ) -> bool {
        let result = IterationResult::new(ended.outcome, Step::None, ended.resets_at);
        self.after(agent, limits, result).is_taken_over
    }
}
