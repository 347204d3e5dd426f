//! When a running child has to be asked to end, given up, or left: plain arithmetic on instants.
//!
//! Not here: clocks, processes.

use std::time::{Duration, Instant};

use crate::{How, Limits, Seen};

/// What a keeper needs at most beyond the grace to end the worst of trees.
const KEEPER_MARGIN: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Timetable {
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
            Stage::Running => self.limit().map(|(at, _)| at),
            Stage::Ending { give_up } => give_up,
            Stage::Gone { leave } => leave,
        }
    }

    pub(crate) fn due(&mut self, now: Instant) -> Option<Step> {
        if self.deadline().is_none_or(|at| now < at) {
            return None;
        }
        match self.stage {
            Stage::Running => {
                let (_, how) = self.limit()?;
                self.end(how, now)
            }
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
        let wall = self.limits.wall.and_then(|wall| self.started.checked_add(wall));
        let wall = wall.map(|at| (at, How::WallLimit));
        let stop = self.stop_at.map(|at| (at, How::Stopped));
        [quiet, wall, stop].into_iter().flatten().min_by_key(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    const LIMITS: Limits = Limits {
        wall: Some(seconds(100)),
        idle: Some(seconds(10)),
        grace: seconds(5),
        linger: seconds(3),
        drain: seconds(2),
        longest_line: 80,
    };

    fn started(limits: Limits) -> (Timetable, Instant) {
        let start = Instant::now();
        (Timetable::new(limits, start), start)
    }

    #[test]
    fn silence_is_limited_and_output_breaks_it() {
        let (mut timetable, start) = started(LIMITS);
        assert_eq!(timetable.due(start + seconds(9)), None);
        timetable.printed(start + seconds(9));
        assert_eq!(timetable.deadline(), Some(start + seconds(19)));
        assert_eq!(timetable.due(start + seconds(19)), Some(Step::AskToEnd));
        assert_eq!(timetable.reason(), Some(How::IdleLimit));
    }

    #[test]
    fn no_output_moves_the_wall() {
        let (mut timetable, start) = started(LIMITS);
        timetable.printed(start + seconds(99));
        assert_eq!(timetable.due(start + seconds(99)), None);
        assert_eq!(timetable.due(start + seconds(100)), Some(Step::AskToEnd));
        assert_eq!(timetable.reason(), Some(How::WallLimit));
    }

    #[test]
    fn after_the_answer_only_lingering_counts_until_there_is_more_to_come() {
        let (mut timetable, start) = started(Limits { linger: seconds(30), ..LIMITS });
        timetable.saw(Seen::Result);
        timetable.saw(Seen::Nothing);
        assert_eq!(timetable.deadline(), Some(start + seconds(30)));
        timetable.printed(start + seconds(1));
        assert_eq!(timetable.deadline(), Some(start + seconds(31)));
        timetable.saw(Seen::MoreToCome);
        assert_eq!(timetable.deadline(), Some(start + seconds(11)));
        timetable.saw(Seen::Result);
        assert_eq!(timetable.due(start + seconds(31)), Some(Step::AskToEnd));
        assert_eq!(timetable.reason(), Some(How::Lingered));
    }

    #[test]
    fn a_child_let_finish_has_its_time_from_the_first_request() {
        let (mut timetable, start) = started(LIMITS);
        timetable.let_finish(seconds(4), start + seconds(1));
        timetable.let_finish(seconds(4), start + seconds(3));
        assert_eq!(timetable.due(start + seconds(5)), Some(Step::AskToEnd));
        assert_eq!(timetable.reason(), Some(How::Stopped));
    }

    #[test]
    fn the_first_reason_counts_and_is_asked_for_once() {
        let (mut timetable, start) = started(LIMITS);
        assert_eq!(timetable.end(How::Stopped, start), Some(Step::AskToEnd));
        assert_eq!(timetable.end(How::WallLimit, start), None);
        assert_eq!(timetable.due(start + seconds(14)), None);
        assert_eq!(timetable.due(start + seconds(15)), Some(Step::GiveUpKeeper));
        assert_eq!(timetable.deadline(), None);
        assert_eq!(timetable.reason(), Some(How::Stopped));
    }

    #[test]
    fn a_kill_comes_at_any_time_but_too_late() {
        let (mut timetable, start) = started(LIMITS);
        assert_eq!(timetable.kill(start), Some(Step::Kill));
        assert_eq!(timetable.reason(), Some(How::Stopped));
        assert_eq!(timetable.kill(start), Some(Step::Kill));
        timetable.gone(start);
        assert_eq!(timetable.kill(start), None);
    }

    #[test]
    fn pipes_are_left_when_the_drain_is_over() {
        let (mut timetable, start) = started(LIMITS);
        timetable.gone(start + seconds(50));
        assert_eq!(timetable.due(start + seconds(51)), None);
        assert_eq!(timetable.due(start + seconds(52)), Some(Step::Leave));
        assert_eq!(timetable.reason(), None);
    }

    #[test]
    fn limits_beyond_the_end_of_time_are_no_limits() {
        let forever = Limits {
            wall: Some(Duration::MAX),
            idle: None,
            grace: Duration::MAX,
            linger: Duration::MAX,
            drain: Duration::MAX,
            longest_line: 80,
        };
        let (mut timetable, start) = started(forever);
        timetable.saw(Seen::Result);
        timetable.let_finish(Duration::MAX, start);
        assert_eq!(timetable.deadline(), None);
        assert_eq!(timetable.end(How::Stopped, start), Some(Step::AskToEnd));
        assert_eq!(timetable.deadline(), None);
        timetable.gone(start);
        assert_eq!(timetable.deadline(), None);
    }
}
