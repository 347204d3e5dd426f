//! The other side of a dialogue, for tests: answers in order, then nothing more.

use std::collections::VecDeque;

use super::{Silence, Talk};

#[derive(Debug)]
pub(super) struct Script {
    answers: VecDeque<&'static str>,
    said: String,
}

impl Script {
    pub(super) fn new(answers: impl IntoIterator<Item = &'static str>) -> Self {
        Self { answers: answers.into_iter().collect(), said: String::new() }
    }

    /// All that was said and asked; a question ends its line.
    pub(super) fn said(&self) -> &str {
        &self.said
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.answers.is_empty()
    }
}

impl Talk for Script {
    fn say(&mut self, text: &str) -> Result<(), Silence> {
        self.said.push_str(text);
        Ok(())
    }

    fn ask(&mut self, question: &str) -> Result<String, Silence> {
        self.said.push_str(question);
        self.said.push('\n');
        self.answers.pop_front().map(str::to_owned).ok_or(Silence::End)
    }
}
