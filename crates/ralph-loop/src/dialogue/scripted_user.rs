//! A scripted user for tests: answers in order, then end of input.

use std::collections::VecDeque;

use super::{NoAnswer, UserIo};

#[derive(Debug)]
pub(super) struct ScriptedUser {
    answers: VecDeque<&'static str>,
    output: String,
}

impl ScriptedUser {
    pub(super) fn new(answers: impl IntoIterator<Item = &'static str>) -> Self {
        Self { answers: answers.into_iter().collect(), output: String::new() }
    }

    /// All output and questions; each question ends its line.
    pub(super) fn output(&self) -> &str {
        &self.output
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.answers.is_empty()
    }
}

impl UserIo for ScriptedUser {
    fn say(&mut self, text: &str) -> Result<(), NoAnswer> {
        self.output.push_str(text);
        Ok(())
    }

    fn ask(&mut self, question: &str) -> Result<String, NoAnswer> {
        self.output.push_str(question);
        self.output.push('\n');
        self.answers.pop_front().map(str::to_owned).ok_or(NoAnswer::End)
    }
}
