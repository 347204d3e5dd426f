//! The failure that came again and again in a loop without stories, where no story names it.

use engine::{AgentOutcome, Claim, IterationStatus, LoopEvent};
use serde::Serialize;

use crate::report::words::{agent_outcome, gate_failure, iteration_status};

/// Fewer than this are no pattern.
const FEWEST: u64 = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RepeatedFailure {
    pub times: u64,
    /// Iterations that ended, with those that were tried again.
    pub tries: u64,
    /// Without a full stop; names are between backticks.
    pub text: String,
    /// The whole output of the check that failed last, from the project.
    pub log: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Failures {
    tries: u64,
    has_stories: bool,
    seen: Vec<(Failure, u64)>,
    /// Of the iteration that runs.
    failed: Option<Failure>,
    refused: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    /// Equal for failures that are alike, whatever noise surrounds them.
    likeness: String,
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
                self.failed.get_or_insert(Failure::told(text));
            }
            LoopEvent::CheckEnded { command, outcome, log, tail, .. } => {
                if let Some(how) = gate_failure(*outcome) {
                    let symptom = failure_signature::examine(&tail.join("\n"));
                    self.failed.get_or_insert(Failure {
                        likeness: format!("{command}: {}", symptom.hash),
                        text: format!("check `{command}` failed ({how}): {}", symptom.error),
                        log: Some(log.clone()).filter(|log| !log.is_empty()),
                    });
                }
            }
            LoopEvent::CompletionClaimed { claim: Claim::False, why: Some(why), .. } => {
                let text = format!("the agent reported that everything is done, but {why}");
                self.refused = Some(Failure::told(text));
            }
            LoopEvent::IterationEnded { status, .. } => self.ended(*status),
            _ => {}
        }
    }

    fn ended(&mut self, status: IterationStatus) {
        self.tries += 1;
        let failed = match status {
            IterationStatus::Accepted => None,
            status => self.failed.take().or_else(|| Some(Failure::status(status))),
        };
        let Some(failure) = failed.or_else(|| self.refused.take()) else { return };
        match self.seen.iter_mut().find(|(seen, _)| seen.likeness == failure.likeness) {
            Some((seen, times)) => (*seen, *times) = (failure, *times + 1),
            None => self.seen.push((failure, 1)),
        }
    }

    /// The one that came most often; None where stories tell their failures.
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

impl Failure {
    fn told(text: String) -> Self {
        Self { likeness: failure_signature::normalise(&text), text, log: None }
    }

    fn status(status: IterationStatus) -> Self {
        Self::told(iteration_status(status, None).1.to_owned())
    }
}
