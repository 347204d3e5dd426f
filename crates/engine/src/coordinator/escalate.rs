//! Extra help for an attempt whose predecessors failed with the same error, and the events that report it.

use events::{EscalationTier, LoopEvent, format};
use tasks::{Mode, StoryId};

use crate::coordinator::core::Coordinator;
use crate::lane::{Assignment, Escalation, ExtraHelp, strategy_shifts};

impl Coordinator<'_> {
    /// Empty for a review: a reviewer gets no advice.
    pub(crate) fn escalation_for(&self, assignment: &Assignment) -> Escalation {
        let attempts = self.state.attempts(&assignment.story);
        let (Some(help), Some(last)) = (self.next_help(&assignment.story), attempts.last()) else {
            return Escalation::default();
        };
        if assignment.mode == Mode::Review {
            return Escalation::default();
        }
        let files = if help.expands() { self.lane.files_about(&last.symptom) } else { Vec::new() };
        Escalation {
            help,
            shift_number: strategy_shifts(attempts) + 1,
            shifts_allowed: self.options.attempts.strategy_shifts,
            files,
        }
    }

    pub(crate) fn report_escalation(&self, story: &StoryId, escalation: &Escalation) {
        let Escalation { help, shift_number, shifts_allowed, files } = escalation;
        let mut reports = Vec::new();
        if help.shifts() {
            let text = format!("asked for another approach ({shift_number} of {shifts_allowed})");
            reports.push((EscalationTier::StrategyShift, text, Vec::new()));
        }
        if help.expands() {
            let files: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
            let text = match files.len() {
                0 => "no file of the project matches the error".to_owned(),
                1 => "added the file that the error refers to".to_owned(),
                count => format!("added {count} files that the error refers to"),
            };
            reports.push((EscalationTier::ContextExpansion, text, files));
        }
        let candidates = self.candidates_text();
        let stronger = match help {
            ExtraHelp::Model(model) => Some((EscalationTier::StrongerModel, model)),
            ExtraHelp::Agent(agent) => Some((EscalationTier::OtherAgent, agent)),
            ExtraHelp::Candidates => Some((EscalationTier::Candidates, &candidates)),
            _ => None,
        };
        if let Some((tier, name)) = stronger {
            let record = self.state.stories.get(story);
            let cost = record.map_or(0.0, |record| record.cost_usd);
            let failed = self.state.attempts(story).len();
            let expected = self.expected_cost(help, cost / failed.max(1) as f64);
            let gets = if *help == ExtraHelp::Candidates { "get" } else { "gets" };
            let text = format!(
                "{name} {gets} the story after {failed} failed attempts, which cost {}{expected}",
                format::money(cost)
            );
            reports.push((tier, text, Vec::new()));
        }
        for (tier, text, files) in reports {
            let story = story.clone();
            self.control.sink.emit(LoopEvent::Escalated { story, tier, text, files });
        }
    }

    /// What the help costs if each attempt costs as much as the earlier ones. Empty if those reported no cost.
    fn expected_cost(&self, help: &ExtraHelp, of_attempt: f64) -> String {
        let (who, attempts) = match help {
            ExtraHelp::Candidates => ("they cost", self.candidate_count()),
            _ => ("its attempt costs", 1),
        };
        match of_attempt > 0.0 {
            true => {
                format!(
                    "; at that price {who} about {}",
                    format::money(of_attempt * attempts as f64)
                )
            }
            false => String::new(),
        }
    }

    /// Reports what the stronger help of the story's attempt cost, and whether the story is done with it.
    pub(crate) fn report_help_ended(&mut self, story: &StoryId, solved: bool) {
        let record = self.state.story(story);
        let cost_usd = std::mem::take(&mut record.help_cost_usd);
        let help = match record.help_given.clone() {
            ExtraHelp::Model(help) | ExtraHelp::Agent(help) => help,
            ExtraHelp::Candidates => self.candidates_text(),
            _ => return,
        };
        let story = story.clone();
        self.control.sink.emit(LoopEvent::EscalationEnded { story, help, cost_usd, solved });
    }

    /// `3 candidates`
    fn candidates_text(&self) -> String {
        format!("{} candidates", self.candidate_count())
    }

    fn candidate_count(&self) -> u64 {
        self.options.help.candidates.as_ref().map_or(0, |options| options.count)
    }
}
