//! Computes when a child must be asked to end, killed or abandoned, and when a soft limit is
//! reported.
//!
//! Pure arithmetic on instants.

use std::time::{Duration, Instant};

use crate::{EndReason, Limits, Reaction, SoftLimit};

/// What a keeper needs at most, beyond the grace, to end a tree.
const KEEPER_MARGIN: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub(crate) struct Timetable {
    /// Reported soft limits are removed.
    limits: Limits,
    started: Instant,
    last_output: Instant,
    answer_complete: bool,
    /// When a child that may finish is ended anyway.
    stop_at: Option<Instant>,
    stage: Stage,
    reason: Option<EndReason>,
}

/// The next action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Report(SoftLimit),
    AskToEnd,
    Kill,
    /// The keeper did not respond in time.
    GiveUpKeeper,
    /// Another process holds the pipes longer than the drain limit.
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running,
    Ending { give_up: Option<Instant> },
    Gone { leave: Option<Instant> },
}

impl Timetable {
    pub(crate) fn new(limits: Limits, now: Instant) -> Self {
        Self {
            limits,
            started: now,
            last_output: now,
            answer_complete: false,
            stop_at: None,
            stage: Stage::Running,
            reason: None,
        }
    }

    /// When to check again if nothing happens before.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match self.stage {
            Stage::Running => {
                let hard = self.limit().map(|(at, _)| at);
                self.soft_limit().map(|(at, _)| at).or(hard)
            }
            Stage::Ending { give_up } => give_up,
            Stage::Gone { leave } => leave,
        }
    }

    pub(crate) fn due(&mut self, now: Instant) -> Option<Step> {
        if self.deadline().is_none_or(|at| now < at) {
            return None;
        }
        match self.stage {
            Stage::Running => match self.soft_limit() {
                Some((_, which)) => {
                    self.limits.soft.take(which);
                    Some(Step::Report(which))
                }
                None => {
                    let (_, how) = self.limit()?;
                    self.end(how, now)
                }
            },
            Stage::Ending { .. } => {
                self.stage = Stage::Ending { give_up: None };
                Some(Step::GiveUpKeeper)
            }
            Stage::Gone { .. } => Some(Step::Leave),
        }
    }

    /// The first reason counts.
    pub(crate) fn end(&mut self, how: EndReason, now: Instant) -> Option<Step> {
        if self.stage != Stage::Running {
            return None;
        }
        self.reason = Some(how);
        let patience = self.limits.grace.saturating_add(KEEPER_MARGIN);
        self.stage = Stage::Ending { give_up: now.checked_add(patience) };
        Some(Step::AskToEnd)
    }

    /// Regardless of earlier requests.
    pub(crate) fn kill(&mut self, now: Instant) -> Option<Step> {
        self.end(EndReason::Stopped, now);
        (!self.is_gone()).then_some(Step::Kill)
    }

    /// A child that may finish has `grace` from the first such request.
    pub(crate) fn let_finish(&mut self, grace: Duration, now: Instant) {
        self.stop_at = self.stop_at.or(now.checked_add(grace));
    }

    pub(crate) fn printed(&mut self, now: Instant) {
        self.last_output = now;
    }

    pub(crate) fn apply(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::Nothing => {}
            Reaction::Result => self.answer_complete = true,
            Reaction::MoreToCome => self.answer_complete = false,
            Reaction::Enough => self.stop_at = Some(self.started),
        }
    }

    pub(crate) fn gone(&mut self, now: Instant) {
        self.stage = Stage::Gone { leave: now.checked_add(self.limits.drain) };
    }

    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.stage, Stage::Gone { .. })
    }

    /// Why it was asked to end, if it was.
    pub(crate) fn reason(&self) -> Option<EndReason> {
        self.reason
    }

    fn limit(&self) -> Option<(Instant, EndReason)> {
        let quiet = match self.answer_complete {
            false => self.limits.idle.map(|idle| (idle, EndReason::IdleLimit)),
            true => Some((self.limits.linger, EndReason::Lingered)),
        };
        let quiet = quiet.and_then(|(long, how)| Some((self.last_output.checked_add(long)?, how)));
        let total = self.limits.total.and_then(|total| self.started.checked_add(total));
        let total = total.map(|at| (at, EndReason::TotalLimit));
        let stop = self.stop_at.map(|at| (at, EndReason::Stopped));
        [quiet, total, stop].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// The next soft limit that passes before the child must end.
    fn soft_limit(&self) -> Option<(Instant, SoftLimit)> {
        let end = self.limit().map(|(at, _)| at);
        let all = self.limits.soft.iter();
        all.filter_map(|(which, long)| Some((self.started.checked_add(long)?, which)))
            .filter(|(at, _)| end.is_none_or(|end| *at < end))
            .min_by_key(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests;
