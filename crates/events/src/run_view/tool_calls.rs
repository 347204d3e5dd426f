//! The tool calls of a session, in an iteration or between two.

use crate::{LoopEvent, ToolOutcome};
use serde::Serialize;

use super::iteration::first_line;

/// Open calls that are kept; more than any agent has at once. Each new call searches all of them.
const MOST_RUNNING: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCalls {
    /// Running calls; only the latest if there are very many.
    #[serde(rename = "tools")]
    pub running: Vec<ToolView>,
    /// Tools that were called in the session, and those that failed.
    #[serde(rename = "toolCalls")]
    pub made: u64,
    #[serde(rename = "toolErrors")]
    pub failed: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    pub id: String,
    pub name: String,
    pub summary: String,
    #[serde(skip)]
    /// Whether other tools were called before this one ended.
    pub concurrent: bool,
}

impl ToolCalls {
    pub(super) fn apply(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::AgentCalled { .. } => *self = Self::default(),
            LoopEvent::ToolStarted { id, name, summary } => {
                self.made += 1;
                let concurrent = !self.running.is_empty();
                self.running.iter_mut().for_each(|tool| tool.concurrent = true);
                if self.running.len() == MOST_RUNNING {
                    self.running.remove(0);
                }
                let (id, name) = (id.clone(), name.clone());
                self.running.push(ToolView { id, name, summary: first_line(summary), concurrent });
            }
            LoopEvent::ToolEnded { id, outcome, .. } => {
                self.failed += u64::from(*outcome == ToolOutcome::Failed);
                self.running.retain(|tool| tool.id != *id);
            }
            LoopEvent::AgentEnded { .. } => self.running.clear(),
            _ => {}
        }
    }

    pub fn running(&self, id: &str) -> Option<&ToolView> {
        self.running.iter().find(|tool| tool.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a call does not depend on the number of earlier ones.
    #[test]
    fn calls_without_an_answer_do_not_pile_up() {
        let mut calls = ToolCalls::default();
        for number in 0..20_000 {
            let (id, name) = (number.to_string(), "Bash".to_owned());
            calls.apply(&LoopEvent::ToolStarted { id, name, summary: String::new() });
        }
        assert_eq!((calls.made, calls.running.len()), (20_000, MOST_RUNNING));
        assert_eq!(calls.running.last().unwrap().id, "19999");
        assert!(calls.running("0").is_none());
    }
}
