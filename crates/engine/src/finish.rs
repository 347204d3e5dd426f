//! The last word of a run, whatever happened.

use std::time::Duration;

use crate::run::Run;
use crate::{LoopEvent, RunEnd, RunError};

/// A run that began, and how it ended.
#[derive(Debug)]
pub struct Finished {
    pub end: RunEnd,
    /// What made it end, if it could not go on.
    pub error: Option<RunError>,
}

impl Run<'_> {
    /// The last word, whatever happened.
    pub(crate) fn finish(
        &mut self,
        driven: Result<RunEnd, RunError>,
        elapsed: Duration,
    ) -> Finished {
        self.remove_marker();
        let (mut end, mut error) = match driven {
            Ok(end) => (end, None),
            Err(error) => (error.end(), Some(error)),
        };
        self.state.ended = Some(end);
        // A full disk may be what ended the run: then the state from before stands.
        if let Err(unsaved) = self.state.save(self.layout) {
            end = if end == RunEnd::Complete { RunEnd::DiskFailed } else { end };
            error.get_or_insert(unsaved.into());
        }
        let (stories, blocked) = self.briefs();
        let text = match &error {
            Some(error) => error.to_string(),
            None => self.closing_words(end),
        };
        let counters = self.state.counters;
        self.teller.tell(LoopEvent::RunEnded {
            end,
            exit_code: end.exit_code(),
            text,
            iterations: counters.iterations,
            accepted: counters.accepted,
            failed: counters.failed,
            seconds: elapsed.as_secs_f64(),
            cost_usd: counters.cost_usd,
            stories,
            blocked,
        });
        if let Err(untold) = self.teller.check() {
            end = if end == RunEnd::Complete { RunEnd::DiskFailed } else { end };
            error.get_or_insert(untold);
        }
        Finished { end, error }
    }

    fn closing_words(&self, end: RunEnd) -> String {
        let policy = &self.options.policy;
        match end {
            RunEnd::Complete => "every story is done".into(),
            RunEnd::IterationsUsed => format!(
                "{} iterations are used up; go on with --resume and a larger --max-iterations",
                policy.max_iterations
            ),
            RunEnd::Blocked if self.judged.as_ref().is_some_and(|l| l.list.stories.is_empty()) => {
                "the task list has no stories".into()
            }
            RunEnd::Blocked => "stories are left, and none of them can be worked on".into(),
            RunEnd::CostCeiling => {
                let spent = self.state.counters.cost_usd;
                match policy.max_cost_usd {
                    Some(most) => {
                        format!("the ceiling of ${most:.2} is reached (${spent:.2} spent)")
                    }
                    None => format!("the agent's own budget is used up (${spent:.2} spent)"),
                }
            }
            RunEnd::QuotaCeiling => "the usage limit, or the ceiling set for it, is reached".into(),
            RunEnd::AgentFailed => format!("the agent failed: {}", self.trouble),
            RunEnd::GitFailed | RunEnd::DiskFailed => end.to_string(),
            RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
                "stopped; `ralph-loop` goes on from here".into()
            }
        }
    }
}
