//! When a running child has to be asked to end, given up, or left, and when it takes long enough to be
//! worth a word: plain arithmetic on instants.
//!
//! Not here: clocks, processes.

use std::time::{Duration, Instant};

use crate::{How, Limits, Seen, SoftLimit};

/// What a keeper needs at most beyond the grace to end the worst of trees.
const KEEPER_MARGIN: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub(crate) struct Timetable {
    /// Soft limits that were told are taken out.
    limits: Limits,
    started: Instant,
    last_output: Instant,
    answer: Answer,
    /// From when on a child that was let finish is not let finish any more.
    stop_at: Option<Instant>,
    stage: Stage,
    reason: Option<How>,
}

/// What is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Tell(SoftLimit),
    AskToEnd,
    Kill,
    /// The keeper has not done its work in time.
    GiveUpKeeper,
    /// Somebody holds the pipes for longer than anybody waits.
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Awaited,
    Complete,
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
            answer: Answer::Awaited,
            stop_at: None,
            stage: Stage::Running,
            reason: None,
        }
    }

    /// When to look again, if nothing happens before.
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
                    Some(Step::Tell(which))
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
    pub(crate) fn end(&mut self, how: How, now: Instant) -> Option<Step> {
        if self.stage != Stage::Running {
            return None;
        }
        self.reason = Some(how);
        let patience = self.limits.grace.saturating_add(KEEPER_MARGIN);
        self.stage = Stage::Ending { give_up: now.checked_add(patience) };
        Some(Step::AskToEnd)
    }

    /// Whatever was asked before.
    pub(crate) fn kill(&mut self, now: Instant) -> Option<Step> {
        self.end(How::Stopped, now);
        (!self.is_gone()).then_some(Step::Kill)
    }

    /// A child that is let finish has `grace` from the first such request.
    pub(crate) fn let_finish(&mut self, grace: Duration, now: Instant) {
        self.stop_at = self.stop_at.or(now.checked_add(grace));
    }

    pub(crate) fn printed(&mut self, now: Instant) {
        self.last_output = now;
    }

    pub(crate) fn saw(&mut self, seen: Seen) {
        match seen {
            Seen::Nothing => {}
            Seen::Result => self.answer = Answer::Complete,
            Seen::MoreToCome => self.answer = Answer::Awaited,
            Seen::Enough => self.stop_at = Some(self.started),
        }
    }

    pub(crate) fn gone(&mut self, now: Instant) {
        self.stage = Stage::Gone { leave: now.checked_add(self.limits.drain) };
    }

    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.stage, Stage::Gone { .. })
    }

    /// Why it was asked to end, if it was.
    pub(crate) fn reason(&self) -> Option<How> {
        self.reason
    }

    fn limit(&self) -> Option<(Instant, How)> {
        let quiet = match self.answer {
            Answer::Awaited => self.limits.idle.map(|idle| (idle, How::IdleLimit)),
            Answer::Complete => Some((self.limits.linger, How::Lingered)),
        };
        let quiet = quiet.and_then(|(long, how)| Some((self.last_output.checked_add(long)?, how)));
        let total = self.limits.total.and_then(|total| self.started.checked_add(total));
        let total = total.map(|at| (at, How::WallLimit));
        let stop = self.stop_at.map(|at| (at, How::Stopped));
        [quiet, total, stop].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// The next one to be told: it passes before the child has to end.
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
