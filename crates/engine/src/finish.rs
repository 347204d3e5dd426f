//! The last word of a run, whatever happened.

use std::time::Duration;

use crate::drive::{self, Driven};
use crate::{LoopEvent, RunEnd, RunError, StoryBrief, WaitingStory};

/// A run that began, and how it ended.
#[derive(Debug)]
pub struct Finished {
    pub run_id: String,
    pub end: RunEnd,
    /// What made it end, if it could not go on.
    pub error: Option<RunError>,
}

/// What came of a loop that was asked for.
#[derive(Debug)]
pub enum LoopResult {
    /// Every story is done and nothing of an earlier run is left to judge: no run was recorded.
    NothingToDo {
        stories: u64,
    },
    Ran(Finished),
}

/// What a loop has to say at its end.
pub(crate) struct Closing {
    /// In a sentence.
    pub(crate) text: String,
    pub(crate) stories: Vec<StoryBrief>,
    /// Why stories wait, where they do.
    pub(crate) blocked: Vec<String>,
    pub(crate) waiting: Vec<WaitingStory>,
}

pub(crate) fn finish<'a, L: Driven<'a>>(
    driven: &mut L,
    result: Result<RunEnd, RunError>,
    elapsed: Duration,
) -> Finished {
    let (mut end, mut error) = match result {
        Ok(end) => (end, None),
        Err(error) => (error.end(), Some(error)),
    };
    drive::book_time(driven);
    if !end.goes_on() {
        for text in driven.instructions().waiting().to_vec() {
            driven.sink().warn(format!("no session was told any more: {text}"));
        }
    }
    if driven.is_unjudged() {
        let text =
            "the last iteration is not judged: nothing of it counts until the next run judges it";
        driven.sink().warn(text);
    }
    // A full disk may be what ended the run: then the state from before stands.
    if let Err(unsaved) = driven.end(end) {
        end = if end == RunEnd::Complete { RunEnd::DiskFailed } else { end };
        error.get_or_insert(unsaved);
    }
    let closing = driven.closing(end);
    let counters = *driven.counters();
    driven.sink().emit(LoopEvent::RunEnded {
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
    });
    if let Err(untold) = driven.sink().check() {
        end = if end == RunEnd::Complete { RunEnd::DiskFailed } else { end };
        error.get_or_insert(untold);
    }
    Finished { run_id: driven.sink().run_id().to_owned(), end, error }
}
