//! Chooses the agent and the model of an iteration: stronger help for a story that would otherwise be given up, and
//! another agent while one is at its usage limit.

use chrono::{DateTime, Utc};
use events::{AgentOutcome, LoopEvent};
use tasks::{Mode, StoryId};

use crate::RunError;
use crate::control::{AgentChoice, IterationAttempt, IterationResult, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::escalation::{self, NextAttempt};
use crate::lane::{Assignment, ChosenAgent, ExtraHelp, SettledStep, Settlement, StoryWork};
use crate::options::AgentOptions;

impl<'a> Coordinator<'a> {
    pub(crate) fn assign(
        &mut self,
        attempt: IterationAttempt,
        work: StoryWork,
    ) -> Result<Assignment, RunError> {
        self.expected_tasks()?;
        let mut assignment = Assignment::new(attempt, work);
        let (help, choice) = self.help_and_choice(&assignment);
        let limits = &self.state.usage_limits;
        let agent = choice.choose(limits, events::now());
        let about = (Some(assignment.story.clone()), Some(assignment.mode.into()));
        let replacement = choice.replacement(agent, limits, about);
        let is_wanted = replacement.is_none();
        replacement.into_iter().for_each(|it| self.control.sink.emit(LoopEvent::AgentReplaced(it)));
        let model = match help {
            Some(ExtraHelp::Model(model)) if is_wanted => Some(model),
            // The strongest one.
            Some(ExtraHelp::Candidates) if is_wanted => self.options.help.models.last().cloned(),
            _ => None,
        };
        let agent = agent.name();
        let of_mode = self.options.agent_of(assignment.mode).name();
        assignment.worker = ChosenAgent { agent: (agent != of_mode).then_some(agent), model };
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

    /// A reviewer gets no help. A review is not by the agent that implemented, unless the settings want that.
    fn help_and_choice(&self, assignment: &Assignment) -> (Option<ExtraHelp>, AgentChoice<'a>) {
        let options = self.options;
        let is_review = assignment.mode == Mode::Review;
        let help = self.next_help(&assignment.story).filter(|_| !is_review);
        let named = match &help {
            Some(ExtraHelp::Agent(name)) => options.coding_agent(name),
            _ => None,
        };
        let wanted = named.unwrap_or_else(|| options.agent_of(assignment.mode));
        let choice = AgentChoice::new(&options.run, wanted);
        let choice = match is_review {
            false => choice,
            // The reviewers must differ: another one could be among the further ones.
            true if !options.panel.is_empty() => choice.fixed(),
            true => choice.avoiding(self.implementers([&assignment.story], wanted)),
        };
        (help, choice)
    }

    /// The agents that implemented these stories. None if the settings want the implementing agent to review.
    pub(crate) fn implementers<'s>(
        &self,
        stories: impl IntoIterator<Item = &'s StoryId>,
        reviewer: &AgentOptions,
    ) -> Vec<String> {
        let worker = self.options.run.agent.name();
        let by = |story| self.state.stories.get(story)?.implemented_by.clone();
        let by = stories.into_iter().map(|story| by(story).unwrap_or_else(|| worker.clone()));
        by.filter(|by| *by != worker || reviewer.name() != worker).collect()
    }

    /// What follows from the session's end. At a usage limit, another agent takes over if one is left.
    pub(crate) fn iteration_result(
        &mut self,
        assignment: &Assignment,
        settlement: &Settlement,
        (step, outcome): (Step, AgentOutcome),
        resets_at: Option<DateTime<Utc>>,
    ) -> IterationResult {
        let result = IterationResult::new(outcome, step, resets_at);
        if settlement.result == SettledStep::ReviewerLimited {
            let limited = settlement.reviewers.last();
            return IterationResult { resets_at: limited.and_then(|it| it.resets_at), ..result };
        }
        let (_, choice) = self.help_and_choice(assignment);
        choice.after(self.lane.agent(assignment), &mut self.state.usage_limits, result)
    }
}
