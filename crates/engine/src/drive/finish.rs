//! Ends a run: saves its state and emits its last event.

use std::time::Duration;

use events::{LoopEvent, RunEnd, RunEnded, StoryBrief, WaitingStory};

use crate::RunError;
use crate::drive::{self, Endable};

/// A run that began, and how it ended.
#[derive(Debug)]
pub struct FinishedRun {
    pub run_id: String,
    pub end: RunEnd,
    /// The error that ended it, if any.
    pub error: Option<RunError>,
}

/// The result of starting a loop.
#[derive(Debug)]
pub enum LoopResult {
    /// Every story is done and nothing is left to judge: no run was recorded.
    NothingToDo {
        stories: u64,
    },
    Ran(FinishedRun),
}

/// What a loop reports at its end.
pub(crate) struct ClosingReport {
    pub(crate) text: String,
    pub(crate) stories: Vec<StoryBrief>,
    /// Why stories wait.
    pub(crate) blocked: Vec<String>,
    pub(crate) waiting: Vec<WaitingStory>,
}

pub(crate) fn finish<'a, L: Endable<'a>>(
    driven: &mut L,
    result: Result<RunEnd, RunError>,
    elapsed: Duration,
) -> FinishedRun {
    let (mut end, mut error) = match result {
        Ok(end) => (end, None),
        Err(error) => (error.end(), Some(error)),
    };
    drive::record_working_time(driven);
    if !end.resumes_automatically() {
        for text in driven.instructions().waiting().to_vec() {
            driven
                .control()
                .sink
                .warn(format!("instruction not delivered, because the run ended: {text}"));
        }
    }
    if driven.is_unjudged() {
        let text = "the last iteration is not judged; the next run judges it first";
        driven.control().sink.warn(text);
    }
    // A full disk may have ended the run: then the previous state remains.
    if let Err(unsaved) = driven.end(end) {
        end = if end == RunEnd::Complete { RunEnd::DiskFailed } else { end };
        error.get_or_insert(unsaved);
    }
    let closing = driven.closing(end);
    let counters = *driven.counters();
    driven.control().sink.emit(LoopEvent::RunEnded(RunEnded {
        end,
        exit_code: end.exit_code(),
        text: error.as_ref().map_or(closing.text, ToString::to_string),
        iterations: counters.iterations,
        accepted: counters.accepted,
        failed: counters.failed,
        seconds: elapsed.as_secs_f64(),
        cost_usd: counters.cost_usd,
        stories: closing.stories,
        blocked: closing.blocked,
        waiting: closing.waiting,
    }));
    if let Err(unrecorded) = driven.control().sink.check() {
        end = if end == RunEnd::Complete { RunEnd::DiskFailed } else { end };
        error.get_or_insert(unrecorded);
    }
    FinishedRun { run_id: driven.control().run_id.clone(), end, error }
}
