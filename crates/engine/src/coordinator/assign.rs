//! Chooses the agent and the model of an iteration: stronger help for a story that would otherwise be given up, and
//! another agent while one is at its usage limit.

use chrono::{DateTime, Utc};
use events::{AgentOutcome, AgentReplaced, LoopEvent};
use tasks::{Mode, StoryId};

use crate::RunError;
use crate::control::{IterationAttempt, IterationResult, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::escalation::{self, NextAttempt};
use crate::lane::{Assignment, ChosenAgent, ExtraHelp, SettledStep, Settlement, StoryWork};

impl Coordinator<'_> {
    pub(crate) fn assign(
        &mut self,
        attempt: IterationAttempt,
        work: StoryWork,
    ) -> Result<Assignment, RunError> {
        self.expected_tasks()?;
        let mut assignment = Assignment::new(attempt, work);
        let help = self.next_help(&assignment.story).filter(|_| assignment.mode != Mode::Review);
        let now = events::now();
        let (names, avoided) = self.possible_agents(&assignment, help.as_ref());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let wanted = names[0];
        let limits = &self.state.usage_limits;
        let agent = limits.first_free(&names, avoided.as_deref(), now).unwrap_or(wanted);
        if agent != wanted {
            self.control.sink.emit(LoopEvent::AgentReplaced(AgentReplaced {
                story: assignment.story.clone(),
                mode: assignment.mode.into(),
                agent: agent.to_owned(),
                instead_of: wanted.to_owned(),
                until: limits.until(wanted, now),
            }));
        }
        let model = match help {
            Some(ExtraHelp::Model(model)) if agent == wanted => Some(model),
            // The strongest one.
            Some(ExtraHelp::Candidates) if agent == wanted => {
                self.options.others.models.last().cloned()
            }
            _ => None,
        };
        let of_mode = self.options.agent_of(assignment.mode).name();
        let agent = (agent != of_mode).then(|| agent.to_owned());
        assignment.worker = ChosenAgent { agent, model };
        Ok(assignment)
    }

    /// The help of the story's next attempt. `None` if the story is to be given up.
    pub(crate) fn next_help(&self, story: &StoryId) -> Option<ExtraHelp> {
        let list = self.judged.as_ref().map(|judged| &judged.list);
        let model = list.and_then(|list| list.story(story)?.model.as_deref());
        let (attempts, limits) = (self.state.attempts(story), &self.options.attempts);
        match escalation::next(attempts, limits, &self.options.stronger_help(model)) {
            NextAttempt::Try(help) => Some(help),
            NextAttempt::GiveUp(_) => None,
        }
    }

    /// The names of the agents for this work, the wanted one first, and the one to avoid: a review is not by the agent
    /// that implemented, unless the settings want that.
    fn possible_agents(
        &self,
        assignment: &Assignment,
        help: Option<&ExtraHelp>,
    ) -> (Vec<String>, Option<String>) {
        let worker = self.options.run.agent.name();
        let wanted = match help {
            Some(ExtraHelp::Agent(name)) => name.clone(),
            _ => self.options.agent_of(assignment.mode).name(),
        };
        let fallbacks = &self.options.others.fallbacks;
        let mut names = vec![wanted.clone()];
        if assignment.mode == Mode::Review && !self.options.panel.is_empty() {
            // The reviewers must differ: another one could be among the further ones.
            return (names, None);
        }
        if !fallbacks.is_empty() {
            names.extend(fallbacks.iter().cloned().chain([worker.clone()]));
        }
        let record = self.state.stories.get(&assignment.story);
        let implemented = record.and_then(|record| record.implemented_by.clone());
        let implemented = implemented.unwrap_or_else(|| worker.clone());
        let is_wanted = implemented == wanted && implemented == worker;
        (names, (assignment.mode == Mode::Review && !is_wanted).then_some(implemented))
    }

    /// What follows from the session's end. At a usage limit, another agent takes over if one is left.
    pub(crate) fn iteration_result(
        &mut self,
        assignment: &Assignment,
        settlement: &Settlement,
        (step, outcome): (Step, AgentOutcome),
        resets_at: Option<DateTime<Utc>>,
    ) -> IterationResult {
        let result = IterationResult { outcome, step, resets_at, is_taken_over: false };
        if settlement.result == SettledStep::ReviewerLimited {
            let limited = settlement.reviewers.last();
            return IterationResult { resets_at: limited.and_then(|it| it.resets_at), ..result };
        }
        if self.options.others.fallbacks.is_empty() || outcome != AgentOutcome::UsageLimit {
            return result;
        }
        let now = events::now();
        let agent = self.lane.agent(assignment).name();
        self.state.usage_limits.add(agent, resets_at, now);
        let help = self.next_help(&assignment.story).filter(|_| assignment.mode != Mode::Review);
        let (names, _) = self.possible_agents(assignment, help.as_ref());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let limits = &self.state.usage_limits;
        let is_taken_over = limits.first_free(&names, None, now).is_some();
        let resets_at = limits.first_reset(&names, now).filter(|_| !is_taken_over);
        IterationResult { resets_at, is_taken_over, ..result }
    }
}
