//! What the attempt that begins is given because those before it failed alike, and telling so.

use tasks::{Mode, StoryId};

use crate::stories::assignment::Assignment;
use crate::stories::attempt::strategy_shifts;
use crate::stories::escalation::{self, Next};
use crate::stories::prompt::Escalation;
use crate::stories::run::Run;
use crate::{LoopEvent, Tier};

impl Run<'_> {
    /// Nothing for a review: whoever judges is not told what to try.
    pub(crate) fn escalation_for(&self, assignment: &Assignment) -> Escalation {
        let attempts = self.state.attempts(&assignment.story);
        let limits = &self.options.attempts;
        let (Next::Try(help), Some(last)) = (escalation::next(attempts, limits), attempts.last())
        else {
            return Escalation::default();
        };
        if assignment.mode == Mode::Review {
            return Escalation::default();
        }
        let files = if help.expands() { self.files_about(&last.symptom) } else { Vec::new() };
        Escalation {
            help,
            shift_number: strategy_shifts(attempts) + 1,
            shifts_allowed: limits.strategy_shifts,
            files,
        }
    }

    pub(crate) fn report_escalation(&mut self, story: &StoryId) {
        let Escalation { help, shift_number, shifts_allowed, files } = &self.escalation;
        let mut told = Vec::new();
        if help.shifts() {
            let text = format!("told to try something else ({shift_number} of {shifts_allowed})");
            told.push((Tier::StrategyShift, text, Vec::new()));
        }
        if help.expands() {
            let files: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
            let text = match files.len() {
                0 => "the error names what no file of the project has".to_owned(),
                1 => "given the file that the error is about".to_owned(),
                count => format!("given {count} files that the error is about"),
            };
            told.push((Tier::ContextExpansion, text, files));
        }
        for (tier, text, files) in told {
            let story = story.clone();
            self.sink.emit(LoopEvent::Escalated { story, tier, text, files });
        }
    }
}
