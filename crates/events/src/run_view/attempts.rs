//! What went wrong in iterations: failed attempts, void verdicts, weakened tests and rollbacks.

use std::collections::BTreeMap;

use serde::Serialize;
use tasks::StoryId;

use super::RunView;
use crate::{EscalationTier, Gate, LoopEvent, RolledBack};

/// The failures of a run. Some belong to an iteration of an earlier run, which this one judged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failures {
    /// Of each story, oldest first.
    pub attempts: BTreeMap<StoryId, Vec<FailedAttempt>>,
    /// Escalations for the next attempt.
    escalations: BTreeMap<StoryId, Vec<EscalationTier>>,
    pub void_verdicts: Vec<VoidVerdict>,
    pub weakened_tests: Vec<WeakenedFile>,
    pub rollbacks: Vec<RolledBack>,
}

/// A failed attempt at a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedAttempt {
    pub attempt: u64,
    pub iteration: u64,
    #[serde(skip)]
    pub of: u64,
    pub gate: Gate,
    pub error: String,
    pub error_hash: String,
    /// How often this failure occurred in a row.
    pub repeats: u64,
    /// Escalations that applied from this attempt on.
    pub given: Vec<EscalationTier>,
}

/// A review in which the task list and the reviewer's message gave different verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VoidVerdict {
    pub story: StoryId,
    pub iteration: u64,
    /// Both verdicts.
    pub text: String,
}

/// Tests of one file that an iteration deleted, skipped or loosened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WeakenedFile {
    pub story: StoryId,
    pub iteration: u64,
    pub path: String,
    pub findings: Vec<String>,
    /// The commit before the iteration.
    pub checkpoint: Option<String>,
}

impl RunView {
    /// These events may follow the end of the iteration that they name.
    pub(super) fn apply_to_failures(&mut self, lane: Option<u64>, event: &LoopEvent) {
        let place = self.last_place_in(lane);
        let record = place.and_then(|place| self.records.get_mut(place));
        let failures = &mut self.failures;
        match event {
            LoopEvent::AttemptFailed(event) => {
                let known = failures.attempts.entry(event.story.clone()).or_default();
                // A runner that replaces a killed one repeats its last events.
                let is_new = known.iter().all(|known| known.attempt != event.attempt);
                let given = failures.escalations.get_mut(&event.story).filter(|_| is_new);
                let failed = FailedAttempt {
                    attempt: event.attempt,
                    iteration: event.iteration,
                    of: event.of,
                    gate: event.gate,
                    error: event.error.clone(),
                    error_hash: event.error_hash.clone(),
                    repeats: event.repeats,
                    given: given.map(std::mem::take).unwrap_or_default(),
                };
                if let Some(record) = record.filter(|record| record.number == event.iteration) {
                    record.failed_attempt = Some(failed.clone());
                }
                known.extend(is_new.then_some(failed));
            }
            LoopEvent::Escalated { story, tier, .. } => {
                let given = failures.escalations.entry(story.clone()).or_default();
                if !given.contains(tier) {
                    given.push(*tier);
                }
            }
            LoopEvent::VerdictVoid { story, iteration, text, .. } => {
                let (story, iteration, text) = (story.clone(), *iteration, text.clone());
                failures.void_verdicts.push(VoidVerdict { story, iteration, text });
            }
            LoopEvent::TestsWeakened { story, iteration, files } => {
                let checkpoint = record.as_ref().map(|record| record.checkpoint.clone());
                let checkpoint = checkpoint.filter(|commit| !commit.is_empty());
                failures.weakened_tests.extend(files.iter().map(|file| WeakenedFile {
                    story: story.clone(),
                    iteration: *iteration,
                    path: file.path.clone(),
                    findings: file.findings.clone(),
                    checkpoint: checkpoint.clone(),
                }));
                if let Some(record) = record.filter(|record| record.number == *iteration) {
                    record.weakened_tests.extend(files.iter().cloned());
                }
            }
            LoopEvent::RolledBack(back) => {
                if let Some(record) = record.filter(|record| record.number == back.iteration) {
                    record.rolled_back = Some(back.clone());
                }
                let last = failures.rollbacks.last().map(|last| last.iteration);
                // A runner that resumes after a kill rolls back again, without changes to back up.
                if !back.backup.is_empty() || last != Some(back.iteration) {
                    failures.rollbacks.push(back.clone());
                }
            }
            _ => {}
        }
    }
}
