//! The most frequent failure of a loop without stories.

use events::{AgentOutcome, IterationRecord, IterationStatus, RunView};
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

#[derive(Debug)]
struct ObservedFailure {
    /// Equal for equal failures, regardless of variable output.
    signature: String,
    text: String,
    log: Option<String>,
}

impl RepeatedFailure {
    /// `None` for a run with stories, which record their own failures.
    pub(super) fn of(view: &RunView) -> Option<Self> {
        let mut tries = 0;
        let mut seen: Vec<(ObservedFailure, u64)> = Vec::new();
        for record in view.records.iter().filter(|record| record.story.is_none()) {
            let Some(end) = &record.end else { continue };
            tries += 1;
            let Some(failure) = ObservedFailure::of(record, end.status) else { continue };
            match seen.iter_mut().find(|(seen, _)| seen.signature == failure.signature) {
                Some((seen, times)) => (*seen, *times) = (failure, *times + 1),
                None => seen.push((failure, 1)),
            }
        }
        let (failure, times) = seen.into_iter().rev().max_by_key(|(_, times)| *times)?;
        let ObservedFailure { text, log, .. } = failure;
        (times >= FEWEST).then_some(Self { times, tries, text, log })
    }
}

impl ObservedFailure {
    fn of(record: &IterationRecord, status: IterationStatus) -> Option<Self> {
        if status == IterationStatus::Accepted {
            let why = record.refused_claim.as_ref()?;
            return Some(Self::from_text(format!("the agent reported completion, but {why}")));
        }
        let agent = record.agent.as_ref().filter(|end| end.outcome != AgentOutcome::Answered);
        if let Some(end) = agent {
            let colon = if end.detail.trim().is_empty() { "" } else { ": " };
            let text = format!("the agent {}{colon}{}", agent_outcome(end.outcome), end.detail);
            return Some(Self::from_text(text));
        }
        let failed = record.checks.iter().find_map(|check| {
            let how = check_failure(check.outcome)?;
            let symptom = failure_signature::examine(&check.tail.join("\n"));
            Some(Self {
                signature: format!("{}: {}", check.command, symptom.hash),
                text: format!("check `{}` failed ({how}): {}", check.command, symptom.error),
                log: Some(check.log.clone()).filter(|log| !log.is_empty()),
            })
        });
        failed.or_else(|| Some(Self::from_text(iteration_status(status, None).1.to_owned())))
    }

    fn from_text(text: String) -> Self {
        Self { signature: failure_signature::normalise(&text), text, log: None }
    }
}
