//! The most frequent failure of a loop without stories.

use events::{AgentOutcome, IterationStatus, LoopEvent};
use serde::Serialize;

use crate::report::format::{agent_outcome, check_failure, iteration_status};

/// The minimum number of equal failures.
const FEWEST: u64 = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RepeatedFailure {
    pub times: u64,
    /// Ended iterations, including retries.
    pub tries: u64,
    /// Without a full stop; names are in backticks.
    pub text: String,
    /// The full output of the check that failed last, relative to the project.
    pub log: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Failures {
    tries: u64,
    has_stories: bool,
    seen: Vec<(ObservedFailure, u64)>,
    /// Of the current iteration.
    failed: Option<ObservedFailure>,
    refused: Option<ObservedFailure>,
}

#[derive(Debug)]
struct ObservedFailure {
    /// Equal for equal failures, regardless of variable output.
    signature: String,
    text: String,
    log: Option<String>,
}

impl Failures {
    pub(super) fn apply(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::RunStarted { stories, .. } => self.has_stories |= !stories.is_empty(),
            LoopEvent::IterationStarted { .. } => (self.failed, self.refused) = (None, None),
            LoopEvent::AgentEnded { outcome, detail, .. } if *outcome != AgentOutcome::Answered => {
                let colon = if detail.trim().is_empty() { "" } else { ": " };
                let text = format!("the agent {}{colon}{detail}", agent_outcome(*outcome));
                self.failed.get_or_insert(ObservedFailure::from_text(text));
            }
            LoopEvent::CheckEnded { command, outcome, log, tail, .. } => {
                if let Some(how) = check_failure(*outcome) {
                    let symptom = failure_signature::examine(&tail.join("\n"));
                    self.failed.get_or_insert(ObservedFailure {
                        signature: format!("{command}: {}", symptom.hash),
                        text: format!("check `{command}` failed ({how}): {}", symptom.error),
                        log: Some(log.clone()).filter(|log| !log.is_empty()),
                    });
                }
            }
            LoopEvent::CompletionClaimed { accepted: false, why: Some(why), .. } => {
                let text = format!("the agent reported completion, but {why}");
                self.refused = Some(ObservedFailure::from_text(text));
            }
            LoopEvent::IterationEnded { status, .. } => self.ended(*status),
            _ => {}
        }
    }

    fn ended(&mut self, status: IterationStatus) {
        self.tries += 1;
        let failed = match status {
            IterationStatus::Accepted => None,
            status => self.failed.take().or_else(|| Some(ObservedFailure::status(status))),
        };
        let Some(failure) = failed.or_else(|| self.refused.take()) else { return };
        match self.seen.iter_mut().find(|(seen, _)| seen.signature == failure.signature) {
            Some((seen, times)) => (*seen, *times) = (failure, *times + 1),
            None => self.seen.push((failure, 1)),
        }
    }

    /// The most frequent failure; `None` for a run with stories, which record their own failures.
    pub(super) fn repeated(&self) -> Option<RepeatedFailure> {
        let (failure, times) = self.seen.iter().rev().max_by_key(|(_, times)| *times)?;
        (*times >= FEWEST && !self.has_stories).then(|| RepeatedFailure {
            times: *times,
            tries: self.tries,
            text: failure.text.clone(),
            log: failure.log.clone(),
        })
    }
}

impl ObservedFailure {
    fn from_text(text: String) -> Self {
        Self { signature: failure_signature::normalise(&text), text, log: None }
    }

    fn status(status: IterationStatus) -> Self {
        Self::from_text(iteration_status(status, None).1.to_owned())
    }
}
