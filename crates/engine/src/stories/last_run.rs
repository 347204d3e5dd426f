//! What the last run left, for whoever decides whether to go on with it. Reads, and nothing else.

use chrono::{DateTime, Utc};
use project::Layout;
use tasks::StoryId;

use crate::stories::state::RunState;
use crate::{GivenUp, RunEnd};

/// The run that `.ralph/state.json` tells of.
#[derive(Debug, Clone, PartialEq)]
pub struct LastRun {
    pub run_id: String,
    pub started: DateTime<Utc>,
    pub branch: String,
    /// The branch to merge the work into, as far as that is known.
    pub base: Option<String>,
    /// None if it was killed, or runs.
    pub ended: Option<RunEnd>,
    pub goes_on: GoesOn,
    pub iterations: u64,
    pub cost_usd: f64,
    pub worked_seconds: f64,
    /// The stories that it gave up.
    pub given_up: Vec<(StoryId, GivenUp)>,
}

/// Whether the next runner goes on with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoesOn {
    /// It was cut off.
    ByItself,
    /// It came to an end of its own.
    IfAsked,
}

/// `None` if there was none, or if nobody can tell: a state that makes no sense is for the next run
/// to report.
pub fn last_run(layout: &Layout) -> Option<LastRun> {
    let state = RunState::load(layout).ok().flatten()?;
    let goes_on = if state.goes_on() { GoesOn::ByItself } else { GoesOn::IfAsked };
    let given_up = state.stories.into_iter();
    Some(LastRun {
        run_id: state.run_id,
        started: state.started,
        branch: state.branch,
        base: state.base,
        ended: state.ended,
        goes_on,
        iterations: state.counters.iterations,
        cost_usd: state.counters.cost_usd,
        worked_seconds: state.counters.worked_seconds,
        given_up: given_up.filter_map(|(id, record)| Some((id, record.given_up?))).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Gate, GiveUpReason, StoryCommits, Stuck};

    fn given_up() -> GivenUp {
        GivenUp {
            given_up_at: "2026-11-15T01:02:03Z".parse().unwrap(),
            reason: GiveUpReason::AttemptsUsed,
            attempts: 5,
            of: 5,
            reviews: 1,
            last_gate: Gate::Tests,
            error: "it fails".into(),
            error_hash: "a3f2b7c1".into(),
            stuck: Stuck::No,
            branch: Some("wip/ralph-fail-US-2".into()),
            diagnostics: None,
            commits: StoryCommits::Rewound,
            dependants: Vec::new(),
        }
    }

    #[test]
    fn a_run_is_told_with_the_stories_that_it_gave_up() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(last_run(&layout), None);
        std::fs::create_dir(layout.data_dir()).unwrap();
        let started = "2026-11-15T01:02:03Z".parse().unwrap();
        let mut state = RunState::new("r1".into(), started);
        let [fine, failed] = ["US-1", "US-2"].map(|id| StoryId::new(id).unwrap());
        state.story(&fine).iterations = 2;
        state.story(&failed).given_up = Some(given_up());
        (state.branch, state.base) = ("ralph/shop".into(), Some("main".into()));
        state.counters.iterations = 7;
        state.counters.cost_usd = 1.5;
        state.counters.worked_seconds = 90.0;
        state.save(&layout).unwrap();
        let killed = last_run(&layout).unwrap();
        assert_eq!((killed.ended, killed.goes_on), (None, GoesOn::ByItself));
        state.ended = Some(RunEnd::StoriesFailed);
        state.save(&layout).unwrap();
        let expected = LastRun {
            run_id: "r1".into(),
            started,
            branch: "ralph/shop".into(),
            base: Some("main".into()),
            ended: Some(RunEnd::StoriesFailed),
            goes_on: GoesOn::IfAsked,
            iterations: 7,
            cost_usd: 1.5,
            worked_seconds: 90.0,
            given_up: vec![(failed, given_up())],
        };
        assert_eq!(last_run(&layout), Some(expected));
    }

    #[test]
    fn a_state_that_makes_no_sense_tells_of_no_run() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.state(), "{").unwrap();
        assert_eq!(last_run(&layout), None);
    }
}
