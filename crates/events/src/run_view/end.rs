//! The end of a run.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::RunView;
use crate::{RunEnd, RunEnded, WaitingStory};

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndView {
    pub at: DateTime<Utc>,
    pub end: RunEnd,
    pub exit_code: u8,
    pub text: String,
    /// Working time of the run at that point.
    pub seconds: f64,
    pub blocked: Vec<String>,
    /// Stories that wait for other stories.
    pub waiting: Vec<WaitingStory>,
}

impl RunView {
    /// The run's own count replaces the folded one.
    pub(super) fn run_ended(&mut self, at: DateTime<Utc>, ended: &RunEnded) {
        self.rest = None;
        self.each_last_mut(|last| last.is_running = false);
        (self.iterations, self.accepted) = (ended.iterations, ended.accepted);
        (self.failed, self.cost_usd) = (ended.failed, ended.cost_usd);
        self.end = Some(EndView {
            at,
            end: ended.end,
            exit_code: ended.exit_code,
            text: ended.text.clone(),
            seconds: self.worked.seconds(),
            blocked: ended.blocked.clone(),
            waiting: ended.waiting.clone(),
        });
    }
}
