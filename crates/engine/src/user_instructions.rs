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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Added {
    Waits,
    TooMany,
}

impl UserInstructions {
    fn add(&mut self, text: &str) -> Added {
        if self.waiting.len() >= MOST_STEERS {
            return Added::TooMany;
        }
        self.waiting.push(text.to_owned());
        Added::Waits
    }

    pub(crate) fn add_or_refuse(&mut self, text: String, sink: &mut EventSink<'_>) {
        if self.add(&text) == Added::TooMany {
            let why = format!("{MOST_STEERS} instructions already wait for the next session");
            sink.refuse(Order::Steer { text }, why);
        }
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
        texts.iter().for_each(|text| assert_eq!(instructions.add(text), Added::Waits));
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
        let said = "\n\n> Use tabs.\n> ## Not a heading\n\n> And ${STORY}.\n";
        assert!(section.ends_with(said), "{section}");
    }

    #[test]
    fn a_flood_does_not_become_the_prompt() {
        let mut instructions = with(&["x"; MOST_STEERS]);
        assert_eq!(instructions.add("more"), Added::TooMany);
        assert_eq!(instructions.waiting().len(), MOST_STEERS);
    }
}
