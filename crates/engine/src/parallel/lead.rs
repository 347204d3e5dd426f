//! Leads the lanes of a run: starts them, gives them the user's orders, watches the time, and waits for their end.

use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use events::{LoopEvent, RunEnd};

use crate::RunError;
use crate::coordinator::Coordinator;
use crate::drive::record_working_time;
use crate::options::StoryOptions;
use crate::parallel::lane_run::{self, LaneStart};
use crate::parallel::shared_run::SharedRun;

/// A clone for a lane.
pub(crate) struct LanePlace {
    pub(crate) folder: PathBuf,
    pub(crate) options: StoryOptions,
}

/// Ends the lane for the others however its thread ends.
struct LaneEnd<'a> {
    shared: Arc<SharedRun<'a>>,
    lane: usize,
    end: Option<RunEnd>,
}

impl Drop for LaneEnd<'_> {
    fn drop(&mut self) {
        self.shared.lane_ended(self.lane, self.end);
    }
}

/// Runs the lanes until all of them have ended. Afterwards `lead` has the state of the run.
pub(crate) fn run_lanes<'a>(
    lead: &mut Coordinator<'a>,
    start: &LaneStart<'a>,
    places: &'a [LanePlace],
) -> Result<RunEnd, RunError> {
    let shared = &start.shared;
    // An answer that waits may make the only open story ready.
    give_orders(lead, shared)?;
    let ended = thread::scope(|scope| {
        let lanes = places.iter().enumerate().map(|(lane, place)| {
            let start = start.clone();
            scope.spawn(move || {
                // Without a result the thread panicked: the other lanes end.
                let end = Some(RunEnd::AgentFailed);
                let mut ending = LaneEnd { shared: Arc::clone(&start.shared), lane, end };
                let sink = start.sink.of_lane(lane as u64 + 1);
                let ended = lane_run::work(start, lane, &place.folder, &place.options);
                if let Err(error) = &ended {
                    // The sessions of the other lanes may take long to end.
                    sink.warn(format!("the lane failed, so no lane starts a session: {error}"));
                }
                ending.end = Some(ended.as_ref().map_or_else(RunError::end, |end| *end));
                ended
            })
        });
        let lanes: Vec<_> = lanes.collect();
        let watched = watch(lead, shared);
        if let Err(error) = &watched {
            shared.end_all(error.end());
        }
        let ended =
            lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let ended: Vec<_> = ended.collect();
        watched
            .and_then(|()| ended.into_iter().find(Result::is_err).unwrap_or_else(|| shared.end()))
    });
    let (saved, list) = shared.over();
    let worked = lead.state.counters.worked_seconds;
    lead.state = saved.run;
    lead.state.counters.worked_seconds = worked;
    lead.judged = Some(list);
    ended
}

/// Until every lane has ended.
fn watch(lead: &mut Coordinator<'_>, shared: &SharedRun<'_>) -> Result<(), RunError> {
    let mut is_paused = false;
    lead.control.clock.start(Instant::now());
    loop {
        give_orders(lead, shared)?;
        let state = shared.state();
        if state.is_over() {
            return Ok(());
        }
        let (is_resting, wants_pause) = (state.is_resting(), state.is_paused);
        drop(state);
        if wants_pause && is_resting && !is_paused {
            is_paused = true;
            lead.control.sink.emit(LoopEvent::Paused);
        } else if is_paused && !wants_pause {
            is_paused = false;
            lead.control.sink.emit(LoopEvent::Resumed);
        }
        match is_resting {
            true => lead.control.clock.pause(Instant::now()),
            false => lead.control.clock.start(Instant::now()),
        }
        lead.control.warn_of_time_limit();
        lead.control.stop_after_time_limit();
        if lead.control.switch.requested().is_some() {
            lead.control.report_stop();
        }
        record_working_time(lead);
        shared.record_working_time(lead.state.counters.worked_seconds);
        lead.control.sink.check()?;
        shared.wait_for_change();
    }
}

/// Orders are saved with the run before their files are removed.
fn give_orders(lead: &mut Coordinator<'_>, shared: &SharedRun<'_>) -> Result<(), RunError> {
    lead.control.apply_orders();
    let mut state = shared.state();
    let was_paused = std::mem::replace(&mut state.is_paused, lead.control.orders.paused);
    let accepted = lead.control.orders.accepted();
    for given in &accepted {
        match state.give(given) {
            Ok(event) => event.into_iter().for_each(|event| lead.control.sink.emit(event)),
            Err(why) => lead.control.sink.refuse(given.order.clone(), why),
        }
    }
    let is_changed = was_paused != state.is_paused || !accepted.is_empty();
    match accepted.is_empty() {
        true => drop(state),
        false => shared.save(state)?,
    }
    if is_changed {
        shared.changed();
    }
    let control = &mut lead.control;
    control.orders.remove_accepted(&control.sink);
    Ok(())
}
