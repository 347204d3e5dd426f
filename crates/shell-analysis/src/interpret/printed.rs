//! What a command writes to standard output, as far as that is known.

use crate::act::Input;
use crate::word::{Unknown, Word};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Printed {
    pub(crate) word: Word,
    /// Who prints it.
    pub(crate) acts: Vec<usize>,
    pub(crate) status: Status,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Status {
    Success,
    Failure,
    #[default]
    Unknown,
}

impl Printed {
    pub(crate) fn unknown(act: usize) -> Self {
        let word = Word::of_unknown(Unknown::Output(vec![act]));
        Self { word, acts: vec![act], status: Status::Unknown }
    }

    pub(crate) fn known(text: impl Into<String>, act: usize) -> Self {
        Self { word: Word::of(text), acts: vec![act], status: Status::Success }
    }

    pub(crate) fn nothing(status: Status) -> Self {
        Self { status, ..Self::default() }
    }

    /// Adds what comes after it.
    pub(crate) fn then(&mut self, next: Self) {
        self.word.append(next.word);
        self.acts.extend(next.acts);
        self.status = next.status;
    }

    /// Adds what another branch prints instead.
    pub(crate) fn or(&mut self, other: Self) {
        self.status = if self.status == other.status { self.status } else { Status::Unknown };
        if self.word == other.word || other.word.is_empty() {
            return;
        }
        if self.word.is_empty() {
            self.word = other.word;
            self.acts = other.acts;
            return;
        }
        self.acts.extend(other.acts);
        self.word = Word::of_unknown(Unknown::Output(self.acts.clone()));
    }

    /// What the next in the pipe reads.
    pub(crate) fn into_input(self) -> Input {
        if self.word.has_known_part() {
            Input::Text { text: self.word, from: self.acts }
        } else if self.word.is_empty() && self.status == Status::Success {
            Input::Text { text: Word::default(), from: self.acts }
        } else {
            Input::Pipe { from: self.acts }
        }
    }
}
