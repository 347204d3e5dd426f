//! The one thread that reads all that happens to a child and decides.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::event::Event;
use crate::kept::Kept;
use crate::output::{Chunk, Tap};
use crate::timetable::{Step, Timetable};
use crate::{How, Line, Seen, Sign, Source, Stop, StopRequests};

/// From one tick to the next: somebody who waits for an answer hardly notices, nor does a battery.
pub const TICK: Duration = Duration::from_millis(250);

pub(crate) struct Watch<'a> {
    pub(crate) kept: Kept,
    pub(crate) stdout: Tap,
    pub(crate) stderr: Tap,
    pub(crate) timetable: Timetable,
    pub(crate) stop: &'a StopRequests,
    pub(crate) on_sign: &'a mut dyn FnMut(Sign<'_>) -> Seen,
    pub(crate) next_tick: Instant,
}

impl Watch<'_> {
    /// Until the child is gone and its pipes are empty, or are held for too long by somebody else.
    /// Says why the child was asked to end, if it was.
    pub(crate) fn until_gone(mut self, events: &Receiver<Event>) -> (Kept, Option<How>) {
        let mut open_pipes = 2;
        // A stop may have been raised before anybody listened.
        let mut step = self.heed_stop();
        loop {
            match step {
                Some(Step::Tell(limit)) => {
                    let seen = (self.on_sign)(Sign::SoftLimit(limit));
                    self.timetable.saw(seen);
                }
                Some(Step::AskToEnd) => self.kept.ask_to_end(),
                Some(Step::Kill) => self.kept.kill(),
                Some(Step::GiveUpKeeper) => self.kept.kill_keeper_too(),
                Some(Step::Leave) => break,
                None => {}
            }
            if open_pipes == 0 && self.timetable.is_gone() {
                break;
            }
            let deadline =
                self.timetable.deadline().map_or(self.next_tick, |at| at.min(self.next_tick));
            match next(events, deadline) {
                Ok(Event::Printed(source, chunk)) => self.deliver(source, chunk),
                Ok(Event::Closed(source)) => {
                    self.deliver_rest(source);
                    open_pipes -= 1;
                }
                Ok(Event::Gone) => self.timetable.gone(Instant::now()),
                Ok(Event::StopRaised) => {
                    // The reader reports it now, not with the next tick.
                    self.next_tick = Instant::now();
                    self.tick(self.next_tick);
                    step = self.heed_stop();
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Those who tell are gone, and with them the pipes and the child.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.tick(Instant::now());
            step = self.timetable.due(Instant::now());
        }
        self.deliver_rest(Source::Stdout);
        self.deliver_rest(Source::Stderr);
        (self.kept, self.timetable.reason())
    }

    fn tick(&mut self, now: Instant) {
        if now >= self.next_tick {
            self.next_tick = now + TICK;
            let seen = (self.on_sign)(Sign::Tick);
            self.timetable.saw(seen);
        }
    }

    fn deliver(&mut self, source: Source, chunk: Chunk) {
        let Self { stdout, stderr, timetable, on_sign, .. } = self;
        tap(source, stdout, stderr).take(chunk, |bytes, cut| {
            timetable.saw(on_sign(Sign::Line(Line { source, bytes, cut })))
        });
        timetable.printed(Instant::now());
    }

    /// A line that nobody will end.
    fn deliver_rest(&mut self, source: Source) {
        let Self { stdout, stderr, timetable, on_sign, .. } = self;
        tap(source, stdout, stderr)
            .finish(|bytes, cut| timetable.saw(on_sign(Sign::Line(Line { source, bytes, cut }))));
    }

    fn heed_stop(&mut self) -> Option<Step> {
        let now = Instant::now();
        match self.stop.current()? {
            Stop::AfterAnswer { grace } => {
                self.timetable.let_finish(grace, now);
                None
            }
            Stop::Politely => self.timetable.end(How::Stopped, now),
            Stop::Now => self.timetable.kill(now),
        }
    }
}

fn tap<'a>(source: Source, stdout: &'a mut Tap, stderr: &'a mut Tap) -> &'a mut Tap {
    match source {
        Source::Stdout => stdout,
        Source::Stderr => stderr,
    }
}

/// Whatever has happened counts before any deadline does.
fn next(events: &Receiver<Event>, deadline: Instant) -> Result<Event, RecvTimeoutError> {
    events.recv_timeout(deadline.saturating_duration_since(Instant::now()))
}
