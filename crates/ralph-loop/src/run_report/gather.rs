//! Collects the data of a report from events, one at a time, because a log may be long.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use events::{
    AgentOutcome, CheckOutcome, EscalationTier, IterationMode, IterationStatus, LoopEvent,
    QualityOutcome, RunEnd, Stamped, TimedTask,
};
use tasks::{ReviewStatus, StoryId};

use super::repeated::Failures;
use super::{
    Attempt, MemoryReport, QualityReport, TimeLimitKind, TimeLimitReached, VoidVerdict,
    WeakenedFile, concerns_at_cap,
};
use crate::report::RunView;

#[derive(Debug, Default)]
pub(crate) struct Gathering {
    pub(super) view: RunView,
    pub(super) started: Option<DateTime<Utc>>,
    pub(super) last_event: Option<DateTime<Utc>>,
    pub(super) starts: u64,
    pub(super) stories: BTreeMap<StoryId, StoryData>,
    pub(super) void_verdicts: Vec<VoidVerdict>,
    pub(super) weakened_tests: Vec<WeakenedFile>,
    pub(super) time_limits: Vec<TimeLimitReached>,
    pub(super) memory: MemoryReport,
    pub(super) log_alterations: Vec<String>,
    pub(super) failures: Failures,
    /// The hard limit of the last soft-limit warning.
    announced_limit: Option<f64>,
    pub(super) last_outcome: Option<AgentOutcome>,
    /// Of the latest iteration.
    checkpoint: Option<String>,
}

/// Data of a story besides its state.
#[derive(Debug, Default)]
pub(super) struct StoryData {
    pub(super) history: Vec<Attempt>,
    /// Escalations for the next attempt.
    given: Vec<EscalationTier>,
    pub(super) auto_approved: Option<String>,
    pub(super) quality: Option<QualityReport>,
}

impl Gathering {
    pub(crate) fn apply(&mut self, stamped: &Stamped) {
        let at = stamped.at;
        self.started.get_or_insert(at);
        self.last_event = Some(at);
        self.starts += u64::from(matches!(stamped.event, LoopEvent::RunStarted { .. }));
        self.apply_to_stories(&stamped.event);
        self.apply_to_times(&stamped.event);
        self.memory.apply(&stamped.event);
        self.failures.apply(&stamped.event);
        match &stamped.event {
            LoopEvent::AgentEnded { outcome, .. } => self.last_outcome = Some(*outcome),
            LoopEvent::LogAltered { text, .. } => self.log_alterations.push(text.clone()),
            LoopEvent::IterationStarted { checkpoint, .. } => {
                self.checkpoint = Some(checkpoint.clone()).filter(|commit| !commit.is_empty());
            }
            _ => {}
        }
        self.view.apply(stamped);
    }

    /// The process of the last start.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.view.start.as_ref().map(|start| start.pid)
    }

    fn apply_to_stories(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::AttemptFailed { story, attempt, .. } => {
                let data = self.stories.entry(story.clone()).or_default();
                // A runner that replaces a killed one repeats its last events.
                if data.history.iter().all(|known| known.attempt != *attempt) {
                    let given = std::mem::take(&mut data.given);
                    data.history.extend(Attempt::of(event, given));
                }
            }
            LoopEvent::Escalated { story, tier, .. } => {
                let given = &mut self.stories.entry(story.clone()).or_default().given;
                if !given.contains(tier) {
                    given.push(*tier);
                }
            }
            LoopEvent::StoryStatusChanged { story, to, feedback, .. } => {
                let concerns = concerns_at_cap(feedback).filter(|_| *to == ReviewStatus::Approved);
                self.stories.entry(story.clone()).or_default().auto_approved =
                    concerns.map(ToOwned::to_owned);
            }
            LoopEvent::VerdictVoid { story, iteration, text, .. } => {
                let (story, iteration, text) = (story.clone(), *iteration, text.clone());
                self.void_verdicts.push(VoidVerdict { story, iteration, text });
            }
            LoopEvent::QualityChecked { story, outcome, warnings, .. } => {
                let report = QualityReport {
                    story: story.clone(),
                    outcome: *outcome,
                    warnings: warnings.clone(),
                };
                self.stories.entry(story.clone()).or_default().quality = Some(report);
            }
            LoopEvent::TestsWeakened { story, iteration, files } => {
                self.weakened_tests.extend(files.iter().map(|file| WeakenedFile {
                    story: story.clone(),
                    iteration: *iteration,
                    path: file.path.clone(),
                    findings: file.findings.clone(),
                    checkpoint: self.checkpoint.clone(),
                }));
            }
            _ => {}
        }
    }

    fn apply_to_times(&mut self, event: &LoopEvent) {
        match event {
            LoopEvent::TimeWarning { what, soft_seconds, hard_seconds } => {
                self.announced_limit = *hard_seconds;
                self.reached(*what, TimeLimitKind::Soft, Some(*soft_seconds));
            }
            LoopEvent::IterationEnded { mode, status: IterationStatus::TimedOut, .. } => {
                let what = match mode {
                    IterationMode::Review => TimedTask::Review,
                    _ => TimedTask::Implement,
                };
                self.reached(what, TimeLimitKind::Hard, None);
            }
            LoopEvent::CheckEnded { outcome: CheckOutcome::TimedOut, seconds, .. } => {
                self.reached(TimedTask::Check, TimeLimitKind::Hard, Some(*seconds));
            }
            LoopEvent::QualityChecked { outcome: QualityOutcome::TimedOut, seconds, .. } => {
                self.reached(TimedTask::Quality, TimeLimitKind::Hard, Some(*seconds));
            }
            LoopEvent::AgentEnded { outcome: AgentOutcome::TimedOut, seconds, .. }
                if self.view.compaction().is_some() =>
            {
                self.reached(TimedTask::Memory, TimeLimitKind::Hard, Some(*seconds));
            }
            LoopEvent::RunEnded { end: RunEnd::TimeUsed, .. } => {
                let most = self.view.start.as_ref().and_then(|start| start.max_seconds);
                self.reached(TimedTask::Run, TimeLimitKind::Hard, most);
            }
            _ => {}
        }
    }

    /// A hard limit replaces the warning at the soft limit.
    fn reached(&mut self, what: TimedTask, limit: TimeLimitKind, mut seconds: Option<f64>) {
        let running = self.view.iteration.as_ref().filter(|_| what != TimedTask::Run);
        let iteration = running.map(|iteration| iteration.number);
        let story = running.and_then(|iteration| iteration.story.clone());
        if limit == TimeLimitKind::Hard
            && let Some(last) = self.time_limits.last()
            && (last.what, last.limit, last.iteration) == (what, TimeLimitKind::Soft, iteration)
        {
            self.time_limits.pop();
            seconds = self.announced_limit.or(seconds);
        }
        self.time_limits.push(TimeLimitReached { what, limit, seconds, iteration, story });
    }
}
