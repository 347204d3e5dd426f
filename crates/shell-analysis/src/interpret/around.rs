//! What surrounds the command that is being looked at.

use crate::act::{Input, Mode, Repetition, Through};
use crate::word::Word;

#[derive(Debug, Clone)]
pub(crate) struct Around {
    pub(crate) through: Vec<Through>,
    pub(crate) mode: Mode,
    pub(crate) repetition: Repetition,
    pub(crate) input: Input,
    /// The file that `exec >` has all output go to.
    pub(crate) output: Option<Word>,
    /// How many pipes and background jobs are around it.
    pub(crate) multiplying: usize,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            through: Vec::new(),
            mode: Mode::Foreground,
            repetition: Repetition::Once,
            input: Input::Inherited,
            output: None,
            multiplying: 0,
        }
    }
}

/// Which of the values that variables may have is looked at, round by round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    round: Option<usize>,
    /// As many rounds as the variable with the most values needs.
    rounds: usize,
}

impl Choice {
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        self.rounds = self.rounds.max(count);
        self.round.unwrap_or(0).min(count.saturating_sub(1))
    }

    /// Begins the first round, unless a command further out goes through them already.
    pub(crate) fn begin(&mut self) -> Option<()> {
        if self.round.is_some() {
            return None;
        }
        *self = Self { round: Some(0), rounds: 1 };
        Some(())
    }

    pub(crate) fn next(&mut self) -> Option<()> {
        let next = self.round? + 1;
        self.round = (next < self.rounds).then_some(next);
        self.round.map(|_| ())
    }
}
