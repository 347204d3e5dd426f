//! Instructions of the user for the next implementing session, kept until one has received them.
//!
//! Never sent to a review: an agent could have written them to influence its own reviewer.

use project::orders::{MOST_STEERS, Order};
use serde::{Deserialize, Serialize};

use crate::event_sink::EventSink;

const HEADING: &str = "## Instructions from the user of this loop\n\nGiven while the loop was running. \
                       Follow them in this session:";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct UserInstructions {
    /// In the order they were given.
    waiting: Vec<String>,
    /// How many of the first are in the current prompt.
    given: usize,
}

impl UserInstructions {
    /// False if too many are waiting already.
    fn add(&mut self, text: &str) -> bool {
        let has_room = self.waiting.len() < MOST_STEERS;
        if has_room {
            self.waiting.push(text.to_owned());
        }
        has_room
    }

    pub(crate) fn add_or_refuse(&mut self, text: String, sink: &EventSink<'_>) {
        if !self.add(&text) {
            let why = format!("{MOST_STEERS} instructions already wait for the next session");
            sink.refuse(Order::Steer { text, story: None }, why);
        }
    }

    pub(crate) fn extend(&mut self, texts: Vec<String>) {
        self.waiting.extend(texts);
    }

    pub(crate) fn waiting(&self) -> &[String] {
        &self.waiting
    }

    /// An implementing session begins, with all of them.
    pub(crate) fn give(&mut self) {
        self.given = self.waiting.len();
    }

    /// A session begins without them.
    pub(crate) fn withhold(&mut self) {
        self.given = 0;
    }

    /// The iteration that received them counts.
    pub(crate) fn use_up(&mut self) {
        let given = std::mem::take(&mut self.given).min(self.waiting.len());
        self.waiting.drain(..given);
    }

    /// For the end of a prompt; `None` without instructions.
    pub(crate) fn section(&self) -> Option<String> {
        if self.waiting.is_empty() {
            return None;
        }
        let quoted =
            |text: &String| text.lines().map(|line| format!("> {line}\n")).collect::<String>();
        let all: Vec<String> = self.waiting.iter().map(quoted).collect();
        Some(format!("{HEADING}\n\n{}", all.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(texts: &[&str]) -> UserInstructions {
        let mut instructions = UserInstructions::default();
        texts.iter().for_each(|text| assert!(instructions.add(text)));
        instructions
    }

    #[test]
    fn an_instruction_during_a_session_waits_for_the_next_one() {
        let mut instructions = with(&["one"]);
        instructions.give();
        instructions.add("two");
        instructions.use_up();
        assert_eq!(instructions.waiting(), ["two"]);
        instructions.use_up();
        assert_eq!(instructions.waiting(), ["two"]);
    }

    #[test]
    fn a_session_without_instructions_keeps_them() {
        let mut instructions = with(&["one"]);
        instructions.give();
        instructions.withhold();
        instructions.use_up();
        assert_eq!(instructions.waiting(), ["one"]);
    }

    #[test]
    fn a_prompt_has_them_in_their_order_and_line_by_line() {
        assert_eq!(UserInstructions::default().section(), None);
        let section = with(&["Use tabs.\n## Not a heading", "And ${STORY}."]).section().unwrap();
        assert!(section.starts_with("## Instructions from the user of this loop\n"), "{section}");
        let quoted = "\n\n> Use tabs.\n> ## Not a heading\n\n> And ${STORY}.\n";
        assert!(section.ends_with(quoted), "{section}");
    }

    #[test]
    fn too_many_instructions_are_refused() {
        let mut instructions = with(&["x"; MOST_STEERS]);
        assert!(!instructions.add("more"));
        assert_eq!(instructions.waiting().len(), MOST_STEERS);
    }
}
