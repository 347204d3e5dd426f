//! Extra help for an attempt whose predecessors failed with the same error, and the events that report it.

use events::{EscalationTier, LoopEvent};
use tasks::{Mode, StoryId};

use crate::coordinator::core::Coordinator;
use crate::coordinator::escalation::{self, NextAttempt};
use crate::lane::{Assignment, Escalation, strategy_shifts};

impl Coordinator<'_> {
    /// Empty for a review: a reviewer gets no advice.
    pub(crate) fn escalation_for(&self, assignment: &Assignment) -> Escalation {
        let attempts = self.state.attempts(&assignment.story);
        let limits = &self.options.attempts;
        let (NextAttempt::Try(help), Some(last)) =
            (escalation::next(attempts, limits), attempts.last())
        else {
            return Escalation::default();
        };
        if assignment.mode == Mode::Review {
            return Escalation::default();
        }
        let files = if help.expands() { self.lane.files_about(&last.symptom) } else { Vec::new() };
        Escalation {
            help,
            shift_number: strategy_shifts(attempts) + 1,
            shifts_allowed: limits.strategy_shifts,
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
        for (tier, text, files) in reports {
            let story = story.clone();
            self.control.sink.emit(LoopEvent::Escalated { story, tier, text, files });
        }
    }
}
