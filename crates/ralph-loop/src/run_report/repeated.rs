//! The most frequent failure of a loop without stories.

use events::{AgentOutcome, IterationRecord, IterationStatus, RunView};
use serde::Serialize;

use crate::report::format::{agent_outcome, check_failure, iteration_status};

/// The minimum number of equal failures.
const FEWEST: u64 = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepeatedFailure {
    pub times: u64,
    /// Ended iterations, including retries.
    pub tries: u64,
    /// Without a full stop; names are in backticks.
    pub text: String,
    /// The full output of the check that failed last, relative to the project.
    pub log: Option<String>,
}

impl RepeatedFailure {
    /// `None` for a run with stories, which record their own failures.
    pub(super) fn of(view: &RunView) -> Option<Self> {
        let mut tries = 0;
        let mut seen: Vec<(String, Self)> = Vec::new();
        let without_story = view.records.iter().filter(|record| record.story.is_none());
        for record in without_story.filter(|record| record.is_over()) {
            tries += 1;
            let Some((signature, failure)) = observed(record) else { continue };
            match seen.iter_mut().find(|(seen, _)| *seen == signature) {
                Some((_, seen)) => *seen = Self { times: seen.times + 1, ..failure },
                None => seen.push((signature, failure)),
            }
        }
        let (_, failure) = seen.into_iter().rev().max_by_key(|(_, failure)| failure.times)?;
        (failure.times >= FEWEST).then_some(Self { tries, ..failure })
    }
}

/// The failure of one iteration, with a signature that is equal for equal failures, regardless of variable output.
fn observed(record: &IterationRecord) -> Option<(String, RepeatedFailure)> {
    let status = record.end.as_ref()?.status;
    let once = |text, log| RepeatedFailure { times: 1, tries: 1, text, log };
    let from_text = |text: String| Some((failure_signature::normalise(&text), once(text, None)));
    if status == IterationStatus::Accepted {
        let why = record.refused_claim.as_ref()?;
        return from_text(format!("the agent reported completion, but {why}"));
    }
    let agent = record.agent.as_ref().filter(|end| end.outcome != AgentOutcome::Answered);
    if let Some(end) = agent {
        let colon = if end.detail.trim().is_empty() { "" } else { ": " };
        return from_text(format!("the agent {}{colon}{}", agent_outcome(end.outcome), end.detail));
    }
    let failed = record.checks.iter().find_map(|check| {
        let how = check_failure(check.outcome)?;
        let symptom = failure_signature::examine(&check.tail.join("\n"));
        let text = format!("check `{}` failed ({how}): {}", check.command, symptom.error);
        let log = Some(check.log.clone()).filter(|log| !log.is_empty());
        Some((format!("{}: {}", check.command, symptom.hash), once(text, log)))
    });
    failed.or_else(|| from_text(iteration_status(status, None).1.to_owned()))
}
