//! The known part of a command's standard output.

use crate::invocation::Input;
use crate::shell::Run;
use crate::word::{Unknown, Word};

/// What a command prints.
pub(super) type Printed = Run<CommandOutput>;

/// The same, or `None` if a rule is not for the command.
pub(super) type Handled = Run<Option<CommandOutput>>;

#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct CommandOutput {
    pub(crate) word: Word,
    /// The commands that print it.
    pub(crate) invocations: Vec<usize>,
    /// Whether the command succeeds, if that is known.
    pub(crate) succeeds: Option<bool>,
}

impl CommandOutput {
    pub(crate) fn unknown(invocation: usize) -> Self {
        let word = Word::of_unknown(Unknown::Output(vec![invocation]));
        Self { word, invocations: vec![invocation], succeeds: None }
    }

    pub(crate) fn known(word: Word, invocation: usize) -> Self {
        Self { word, invocations: vec![invocation], succeeds: Some(true) }
    }

    /// Success without output.
    pub(crate) fn nothing() -> Self {
        Self { succeeds: Some(true), ..Self::default() }
    }

    /// Appends later output.
    pub(crate) fn then(&mut self, next: Self) {
        self.word.append(next.word);
        self.invocations.extend(next.invocations);
        self.succeeds = next.succeeds;
    }

    /// Adds the output of an alternative branch.
    pub(crate) fn or(&mut self, other: Self) {
        if self.word.is_empty() {
            *self = other;
        } else if !other.word.is_empty() && self.word != other.word {
            self.invocations.extend(other.invocations);
            self.word = Word::of_unknown(Unknown::Output(self.invocations.clone()));
        }
        self.succeeds = None;
    }

    /// The input of the next command in the pipe.
    pub(crate) fn into_input(self) -> Input {
        let is_nothing = self.word.is_empty() && self.succeeds == Some(true);
        if is_nothing || self.word.has_known_part() {
            Input::Text { text: self.word, from: self.invocations }
        } else {
            Input::Pipe { from: self.invocations }
        }
    }
}
