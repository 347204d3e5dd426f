//! The context of the current command.

use crate::invocation::{Input, Launcher, Mode, Repetition};
use crate::word::Word;

#[derive(Debug, Clone, Default)]
pub(crate) struct InvocationContext {
    pub(crate) launchers: Vec<Launcher>,
    pub(crate) mode: Mode,
    pub(crate) repetition: Repetition,
    pub(crate) input: Input,
    /// The file that `exec >` redirects all output to.
    pub(crate) output: Option<Word>,
    /// The number of pipes and background jobs around it.
    pub(crate) multiplying: usize,
}

/// Iterates over the possible values of variables, round by round.
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

    /// Begins the first round, unless an outer command already iterates.
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
