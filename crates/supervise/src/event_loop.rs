//! The loop that handles all events of a child.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::child_event::Event;
use crate::child_handle::ChildHandle;
use crate::output::{Chunk, PipeReader};
use crate::timetable::{Step, Timetable};
use crate::{ChildEvent, EndReason, OutputLine, Reaction, Source, Stop, StopRequests};

/// Short enough for a waiting user, long enough for a battery.
pub const TICK: Duration = Duration::from_millis(250);

pub(crate) struct EventLoop<'a> {
    pub(crate) child: ChildHandle,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
    pub(crate) timetable: Timetable,
    pub(crate) stop: &'a StopRequests,
    pub(crate) on_event: &'a mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    pub(crate) next_tick: Instant,
}

impl EventLoop<'_> {
    /// Runs until the child has ended and its pipes are empty, or another process holds them for
    /// too long. Returns why the child was asked to end, if it was.
    pub(crate) fn until_gone(
        mut self,
        events: &Receiver<Event>,
    ) -> (ChildHandle, Option<EndReason>) {
        let mut open_pipes = 2;
        // A stop may have been raised before the listener was registered.
        let mut step = self.apply_stop();
        loop {
            match step {
                Some(Step::Report(limit)) => {
                    let reaction = (self.on_event)(ChildEvent::SoftLimit(limit));
                    self.timetable.apply(reaction);
                }
                Some(Step::AskToEnd) => self.child.ask_to_end(),
                Some(Step::Kill) => self.child.kill(),
                Some(Step::GiveUpKeeper) => self.child.kill_keeper_too(),
                Some(Step::Leave) => break,
                None => {}
            }
            if open_pipes == 0 && self.timetable.is_gone() {
                break;
            }
            let deadline =
                self.timetable.deadline().map_or(self.next_tick, |at| at.min(self.next_tick));
            // Pending events come before deadlines.
            match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Event::Printed(source, chunk)) => self.deliver(source, Some(chunk)),
                Ok(Event::Closed(source)) => {
                    self.deliver(source, None);
                    open_pipes -= 1;
                }
                Ok(Event::Gone) => self.timetable.gone(Instant::now()),
                Ok(Event::StopRaised) => {
                    // The reader reports it at once, not with the next tick.
                    self.next_tick = Instant::now();
                    self.tick(self.next_tick);
                    step = self.apply_stop();
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // All senders are gone, so the pipes and the child are, too.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.tick(Instant::now());
            step = self.timetable.due(Instant::now());
        }
        self.deliver(Source::Stdout, None);
        self.deliver(Source::Stderr, None);
        (self.child, self.timetable.reason())
    }

    fn tick(&mut self, now: Instant) {
        if now >= self.next_tick {
            self.next_tick = now + TICK;
            let reaction = (self.on_event)(ChildEvent::Tick);
            self.timetable.apply(reaction);
        }
    }

    /// The lines of a chunk, or without one, a last line without a newline.
    fn deliver(&mut self, source: Source, chunk: Option<Chunk>) {
        let Self { stdout, stderr, timetable, on_event, .. } = self;
        let reader = match source {
            Source::Stdout => stdout,
            Source::Stderr => stderr,
        };
        let mut pass_on = |bytes: &[u8], cut| {
            timetable.apply(on_event(ChildEvent::Line(OutputLine { source, bytes, cut })));
        };
        let Some(chunk) = chunk else { return reader.finish(pass_on) };
        reader.take(chunk, &mut pass_on);
        timetable.printed(Instant::now());
    }

    fn apply_stop(&mut self) -> Option<Step> {
        let now = Instant::now();
        match self.stop.current()? {
            Stop::AfterAnswer { grace } => {
                self.timetable.let_finish(grace, now);
                None
            }
            Stop::Politely => self.timetable.end(EndReason::Stopped, now),
            Stop::Now => self.timetable.kill(now),
        }
    }
}
