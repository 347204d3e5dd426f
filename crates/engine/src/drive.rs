//! Performs what `decide` orders, for every kind of loop, until it orders to finish.

use std::time::Instant;

use chrono::{DateTime, Utc};
use supervise::{TICK, Waited};

use crate::clock::RunClock;
use crate::decide::{Counters, Ended, Happened, Order, Outlook, Try, decide};
use crate::event_sink::EventSink;
use crate::finish::Closing;
use crate::limits::TimeLimit;
use crate::options::RunOptions;
use crate::orders::{Course, Orders};
use crate::user_instructions::UserInstructions;
use crate::{LoopEvent, RestReason, RunEnd, RunError, StopSignal, StopSwitch, Timed};

/// A loop that can be driven: it knows its work, and does one iteration of it.
pub(crate) trait Driven<'a> {
    type Work;

    fn options(&self) -> &'a RunOptions;
    fn switch(&self) -> &'a StopSwitch;
    fn sink(&mut self) -> &mut EventSink<'a>;
    fn counters(&mut self) -> &mut Counters;
    fn clock(&mut self) -> &mut RunClock;
    fn orders(&mut self) -> &mut Orders;
    fn instructions(&mut self) -> &mut UserInstructions;
    /// Heeds what the user told the run, and keeps what is to be kept of it.
    fn take_orders(&mut self) -> Result<(), RunError>;
    fn report_stop(&mut self);
    /// Does what can be done of it while the run waits.
    fn obey_while_waiting(&mut self) -> Result<(), RunError>;
    fn save(&mut self) -> Result<(), RunError>;
    /// Remembers how the run ended, and gives back what it held.
    fn end(&mut self, end: RunEnd) -> Result<(), RunError>;
    fn closing(&mut self, end: RunEnd) -> Closing;
    /// Whether an iteration has ended that nobody has judged yet: until then, what there is to do
    /// cannot be known.
    fn is_unjudged(&self) -> bool;
    fn look(&mut self) -> Result<Outlook<Self::Work>, RunError>;
    fn iterate(&mut self, attempt: Try, work: Self::Work) -> Result<Ended, RunError>;
}

/// Goes on until there is nothing left to do, or no way to do it.
pub(crate) fn drive<'a, L: Driven<'a>>(driven: &mut L) -> Result<RunEnd, RunError> {
    let mut order = Order::Look;
    driven.clock().start(Instant::now());
    loop {
        driven.take_orders()?;
        let is_paused = driven.orders().course == Course::Pauses;
        if is_paused && matches!(order, Order::Iterate(..)) && driven.switch().heard().is_none() {
            pause(driven)?;
            // The user may have changed what there is to do.
            order = Order::Look;
        }
        // What has ended is booked, and work that is complete is complete: only new work is not
        // begun.
        if matches!(order, Order::Iterate(..) | Order::Rest { .. }) {
            apply_time_limits(driven)?;
        }
        // A run that is to stop does not rest, but it may have nothing left to do.
        if matches!(order, Order::Rest { .. }) && driven.switch().heard().is_some() {
            order = Order::Look;
        }
        let begins = matches!(order, Order::Iterate(..));
        if (begins || driven.is_unjudged())
            && let Some(stop) = stopped(driven)
        {
            order = next(driven, stop)?;
        }
        let happened = match order {
            Order::Look => Happened::Looked(driven.look()?),
            Order::Iterate(attempt, work) => Happened::Ended(driven.iterate(attempt, work)?),
            Order::Rest { reason, until } => {
                driven.clock().pause(Instant::now());
                rest(driven, reason, until)?;
                driven.clock().start(Instant::now());
                Happened::Rested
            }
            Order::Finish(end) => return Ok(end),
        };
        order = next(driven, happened)?;
    }
}

pub(crate) fn next<'a, L: Driven<'a>>(
    driven: &mut L,
    happened: Happened<L::Work>,
) -> Result<Order<L::Work>, RunError> {
    let counted = matches!(happened, Happened::Ended(_));
    let policy = &driven.options().policy;
    let used_before = driven.counters().iterations;
    let order = decide(policy, driven.counters(), happened, crate::now());
    if driven.counters().iterations > used_before {
        driven.instructions().use_up();
    }
    if counted {
        book_time(driven);
        driven.save()?;
    }
    driven.sink().check()?;
    Ok(order)
}

/// Warns once the soft limit is over, with everything saved; once the hard one is, the run ends.
fn apply_time_limits<'a, L: Driven<'a>>(driven: &mut L) -> Result<(), RunError> {
    let now = Instant::now();
    if driven.clock().takes_warning(now) {
        book_time(driven);
        driven.save()?;
        let warning = time_warning(Timed::Run, driven.clock().limit());
        driven.sink().emit(warning);
    }
    if driven.clock().is_over(now) && driven.switch().heard().is_none() {
        driven.switch().hear(StopSignal::TimeUsed);
    }
    Ok(())
}

pub(crate) fn time_warning(what: Timed, limit: TimeLimit) -> LoopEvent {
    LoopEvent::TimeWarning {
        what,
        soft_seconds: limit.soft.unwrap_or_default().as_secs_f64(),
        hard_seconds: limit.hard.map(|hard| hard.as_secs_f64()),
    }
}

pub(crate) fn book_time<'a, L: Driven<'a>>(driven: &mut L) {
    let worked = driven.clock().worked(Instant::now());
    driven.counters().worked_seconds = worked.as_secs_f64();
}

fn stopped<'a, L: Driven<'a>>(driven: &mut L) -> Option<Happened<L::Work>> {
    let signal = driven.switch().heard()?;
    driven.report_stop();
    Some(Happened::StopAsked(signal))
}

fn rest<'a, L: Driven<'a>>(
    driven: &mut L,
    reason: RestReason,
    until: DateTime<Utc>,
) -> Result<(), RunError> {
    driven.save()?;
    let (retries, most) = (driven.counters().retries, driven.options().policy.retries.most);
    let text = match reason {
        RestReason::Backoff => format!("the agent failed; retry {retries} of {most}"),
        RestReason::UsageLimit => "the usage limit is reached".to_owned(),
        RestReason::Pause => "pause between iterations".to_owned(),
    };
    driven.sink().emit(LoopEvent::Waiting { reason, text, until });
    // By the clock on the isolation: a machine that slept has rested too.
    while let Ok(left) = (until - crate::now()).to_std() {
        if driven.switch().requests().wait(left.min(TICK)) == Waited::Stopped {
            break;
        }
        driven.take_orders()?;
        driven.obey_while_waiting()?;
    }
    Ok(())
}

/// Until the user says otherwise.
fn pause<'a, L: Driven<'a>>(driven: &mut L) -> Result<(), RunError> {
    book_time(driven);
    driven.save()?;
    driven.sink().emit(LoopEvent::Paused);
    driven.clock().pause(Instant::now());
    while driven.orders().course == Course::Pauses
        && driven.switch().requests().wait(TICK) == Waited::Elapsed
    {
        driven.take_orders()?;
        driven.obey_while_waiting()?;
    }
    driven.clock().start(Instant::now());
    if driven.orders().course == Course::Works {
        driven.sink().emit(LoopEvent::Resumed);
    }
    driven.sink().check()
}
