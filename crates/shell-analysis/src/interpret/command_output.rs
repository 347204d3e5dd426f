//! The known part of a command's standard output.

use crate::invocation::Input;
use crate::word::{Unknown, Word};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    pub(crate) word: Word,
    /// The commands that print it.
    pub(crate) invocations: Vec<usize>,
    pub(crate) status: ExitStatus,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    Success,
    Failure,
    #[default]
    Unknown,
}

impl CommandOutput {
    pub(crate) fn unknown(invocation: usize) -> Self {
        let word = Word::of_unknown(Unknown::Output(vec![invocation]));
        Self { word, invocations: vec![invocation], status: ExitStatus::Unknown }
    }

    pub(crate) fn known(text: impl Into<String>, invocation: usize) -> Self {
        Self { word: Word::of(text), invocations: vec![invocation], status: ExitStatus::Success }
    }

    pub(crate) fn nothing(status: ExitStatus) -> Self {
        Self { status, ..Self::default() }
    }

    /// Appends later output.
    pub(crate) fn then(&mut self, next: Self) {
        self.word.append(next.word);
        self.invocations.extend(next.invocations);
        self.status = next.status;
    }

    /// Adds the output of an alternative branch.
    pub(crate) fn or(&mut self, other: Self) {
        let status = if self.status == other.status { self.status } else { ExitStatus::Unknown };
        if self.word.is_empty() {
            *self = other;
        } else if !other.word.is_empty() && self.word != other.word {
            self.invocations.extend(other.invocations);
            self.word = Word::of_unknown(Unknown::Output(self.invocations.clone()));
        }
        self.status = status;
    }

    /// The input of the next command in the pipe.
    pub(crate) fn into_input(self) -> Input {
        let is_nothing = self.word.is_empty() && self.status == ExitStatus::Success;
        if is_nothing || self.word.has_known_part() {
            Input::Text { text: self.word, from: self.invocations }
        } else {
            Input::Pipe { from: self.invocations }
        }
    }
}
