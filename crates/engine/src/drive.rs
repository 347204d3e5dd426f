//! Executes the actions that `decide` returns, for every kind of loop, until the run ends.

pub(crate) mod end_text;
pub(crate) mod finish;
pub(crate) mod iteration_status;
pub(crate) mod outcome;
pub(crate) mod preconditions;

pub(crate) use finish::{ClosingReport, finish};
pub use finish::{FinishedRun, LoopResult};
pub(crate) use outcome::OutcomeInput;

use std::time::Instant;

use chrono::{DateTime, Utc};
use events::{LoopEvent, RunEnd, WaitReason};
use project::orders::Order;
use supervise::{TICK, WaitResult};
use tasks::StoryId;

use crate::RunError;
use crate::control::decide::book;
use crate::control::{
    AcceptedOrder, Counters, IterationAttempt, IterationResult, LoopInput, NextAction, NextWork,
    RunControl, UserInstructions, decide,
};

/// What every loop has.
pub(crate) trait Loop<'a> {
    fn control(&mut self) -> &mut RunControl<'a>;
    fn counters(&mut self) -> &mut Counters;
    fn instructions(&mut self) -> &mut UserInstructions;
    /// Whether an ended iteration still waits to be judged: until then, the open work is unknown.
    fn is_unjudged(&self) -> bool;
}

/// A loop that `finish` can end.
pub(crate) trait Endable<'a>: Loop<'a> {
    /// Saves how the run ended and releases its files.
    fn end(&mut self, end: RunEnd) -> Result<(), RunError>;
    fn closing(&mut self, end: RunEnd) -> ClosingReport;
}

/// A loop that `drive` can run: it finds its work and executes one iteration of it.
pub(crate) trait Drivable<'a>: Loop<'a> {
    type Work;

    /// The user orders to skip this story, or the next one.
    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError>;
    /// The user answers a question about a story.
    fn answer(&mut self, given: AcceptedOrder) {
        self.control().sink.refuse(given.order, "this loop has no questions");
    }
    /// Executes the orders that are possible while the run waits.
    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError>;
    fn save(&mut self) -> Result<(), RunError>;
    fn find_work(&mut self) -> Result<NextWork<Self::Work>, RunError>;
    fn iterate(
        &mut self,
        attempt: IterationAttempt,
        work: Self::Work,
    ) -> Result<IterationResult, RunError>;
}

/// Runs until no work is left, or none is possible.
pub(crate) fn drive<'a, L: Drivable<'a>>(driven: &mut L) -> Result<RunEnd, RunError> {
    let mut action = NextAction::FindWork;
    driven.control().clock.start(Instant::now());
    loop {
        accept_orders(driven)?;
        let is_paused = driven.control().orders.paused;
        if is_paused
            && matches!(action, NextAction::Iterate(..))
            && driven.control().switch.requested().is_none()
        {
            pause(driven)?;
            // The user may have changed the open work.
            action = NextAction::FindWork;
        }
        // An ended iteration is still recorded, and complete work still ends the run: only new work is not started.
        if matches!(action, NextAction::Iterate(..) | NextAction::Wait { .. }) {
            apply_time_limits(driven)?;
        }
        // A stopped run does not wait, but it may already be complete.
        if matches!(action, NextAction::Wait { .. })
            && driven.control().switch.requested().is_some()
        {
            action = NextAction::FindWork;
        }
        let begins = matches!(action, NextAction::Iterate(..));
        if (begins || driven.is_unjudged())
            && let Some(stop) = stopped(driven)
        {
            action = next(driven, stop)?;
        }
        let input = match action {
            NextAction::FindWork => LoopInput::WorkFound(driven.find_work()?),
            NextAction::Iterate(attempt, work) => LoopInput::Ended(driven.iterate(attempt, work)?),
            NextAction::Wait { reason, until } => {
                driven.control().clock.pause(Instant::now());
                wait(driven, reason, until)?;
                driven.control().clock.start(Instant::now());
                LoopInput::WaitOver
            }
            NextAction::Finish(end) => return Ok(end),
        };
        action = next(driven, input)?;
    }
}

pub(crate) fn next<'a, L: Drivable<'a>>(
    driven: &mut L,
    input: LoopInput<L::Work>,
) -> Result<NextAction<L::Work>, RunError> {
    let (policy, now) = (&driven.control().options.policy, events::now());
    let is_iteration_end = matches!(input, LoopInput::Ended(_));
    if let LoopInput::Ended(ended) = &input {
        let before = *driven.counters();
        *driven.counters() = book(policy, before, ended, now);
        if driven.counters().iterations > before.iterations {
            driven.instructions().use_up();
        }
    }
    let action = decide(policy, driven.counters(), input, now);
    if is_iteration_end {
        record_working_time(driven);
        driven.save()?;
    }
    driven.control().sink.check()?;
    Ok(action)
}

/// Accepts the user's orders, and saves those that must survive this process.
pub(crate) fn accept_orders<'a, L: Drivable<'a>>(driven: &mut L) -> Result<(), RunError> {
    driven.control().apply_orders();
    let accepted = driven.control().orders.accepted();
    if accepted.is_empty() {
        return Ok(());
    }
    for given in accepted {
        match given.order {
            Order::Steer { text, .. } => {
                let sink = driven.control().sink.clone();
                driven.instructions().add_or_refuse(text, &sink);
            }
            Order::Skip { story } => driven.skip(story)?,
            Order::Answer { .. } => driven.answer(given),
            Order::Pause | Order::GoOn | Order::Stop => {}
        }
    }
    driven.save()?;
    let control = driven.control();
    control.orders.remove_accepted(&control.sink);
    Ok(())
}

/// Warns after the soft limit and saves the state; stops the run after the hard limit.
fn apply_time_limits<'a, L: Drivable<'a>>(driven: &mut L) -> Result<(), RunError> {
    if driven.control().warn_of_time_limit() {
        record_working_time(driven);
        driven.save()?;
    }
    driven.control().stop_after_time_limit();
    Ok(())
}

pub(crate) fn record_working_time<'a, L: Loop<'a>>(driven: &mut L) {
    let worked = driven.control().clock.worked(Instant::now());
    driven.counters().worked_seconds = worked.as_secs_f64();
}

fn stopped<'a, L: Drivable<'a>>(driven: &mut L) -> Option<LoopInput<L::Work>> {
    let signal = driven.control().switch.requested()?;
    driven.control().report_stop();
    Some(LoopInput::StopRequested(signal))
}

fn wait<'a, L: Drivable<'a>>(
    driven: &mut L,
    reason: WaitReason,
    until: DateTime<Utc>,
) -> Result<(), RunError> {
    driven.save()?;
    let (retries, most) = (driven.counters().retries, driven.control().options.policy.retries.most);
    let text = match reason {
        WaitReason::Backoff => format!("the agent failed; retry {retries} of {most}"),
        WaitReason::UsageLimit => "the usage limit is reached".to_owned(),
        WaitReason::Pause => "pause between iterations".to_owned(),
    };
    driven.control().sink.emit(LoopEvent::Waiting(events::WaitView { reason, text, until }));
    // Wall-clock time: the time that the machine slept counts as waited.
    while let Ok(left) = (until - events::now()).to_std() {
        if driven.control().switch.requests().wait(left.min(TICK)) == WaitResult::Stopped {
            break;
        }
        accept_orders(driven)?;
        driven.apply_orders_while_waiting()?;
    }
    Ok(())
}

/// Until the user resumes or stops the run.
fn pause<'a, L: Drivable<'a>>(driven: &mut L) -> Result<(), RunError> {
    record_working_time(driven);
    driven.save()?;
    driven.control().sink.emit(LoopEvent::Paused);
    driven.control().clock.pause(Instant::now());
    while driven.control().orders.paused
        && driven.control().switch.requests().wait(TICK) == WaitResult::Elapsed
    {
        accept_orders(driven)?;
        driven.apply_orders_while_waiting()?;
    }
    driven.control().clock.start(Instant::now());
    if !driven.control().orders.paused {
        driven.control().sink.emit(LoopEvent::Resumed);
    }
    driven.control().sink.check()
}
