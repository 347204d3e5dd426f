//! Summary of the last run, to decide whether to resume it. Read-only.

use chrono::{DateTime, Utc};
use events::{GivenUp, RunEnd};
use project::Layout;
use tasks::StoryId;

use crate::coordinator::state::SavedRun;

/// The run in `.ralph/state.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct LastRun {
    pub run_id: String,
    pub started: DateTime<Utc>,
    pub branch: String,
    /// The branch to merge the work into, if known.
    pub base: Option<String>,
    /// `None` if it was killed or is running.
    pub ended: Option<RunEnd>,
    /// Whether the next runner resumes it without `--resume`, because it was interrupted.
    pub resumes_automatically: bool,
    pub iterations: u64,
    pub cost_usd: f64,
    pub worked_seconds: f64,
    pub given_up: Vec<(StoryId, GivenUp)>,
    /// Stories in its lanes, which only a resumed run continues.
    pub in_lanes: Vec<StoryId>,
}

/// `None` if there was no run or its state is invalid. The next run reports an invalid state.
pub fn last_run(layout: &Layout) -> Option<LastRun> {
    let saved = SavedRun::load(layout).ok().flatten()?;
    let resumes_automatically = saved.resumes_automatically();
    let SavedRun { run: state, baseline, .. } = saved;
    let parked: Vec<StoryId> =
        state.separate.iter().flat_map(|it| it.parked.keys()).cloned().collect();
    let parked = parked.into_iter().filter(|story| state.question_about(story).is_some());
    let parked: Vec<StoryId> = parked.collect();
    let given_up = state.stories.into_iter();
    let lanes = state.separate.into_iter().flat_map(|separate| separate.lanes);
    Some(LastRun {
        run_id: state.run_id,
        started: state.started,
        branch: baseline.branch,
        base: state.base,
        ended: state.ended,
        resumes_automatically,
        iterations: state.counters.iterations,
        cost_usd: state.counters.cost_usd,
        worked_seconds: state.counters.worked_seconds,
        given_up: given_up.filter_map(|(id, record)| Some((id, record.given_up?))).collect(),
        in_lanes: lanes.filter_map(|lane| lane.story).chain(parked).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use events::{Gate, GiveUpReason, StoryCommits, Stuck};

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
    fn the_last_run_lists_the_stories_that_it_gave_up() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(last_run(&layout), None);
        std::fs::create_dir(layout.data_dir()).unwrap();
        let started = "2026-11-15T01:02:03Z".parse().unwrap();
        let mut saved = SavedRun::new("r1".into(), started);
        saved.baseline.branch = "ralph/shop".into();
        let state = &mut saved.run;
        let [fine, failed] = ["US-1", "US-2"].map(|id| StoryId::new(id).unwrap());
        state.story(&fine).iterations = 2;
        state.story(&failed).given_up = Some(given_up());
        state.base = Some("main".into());
        state.counters.iterations = 7;
        state.counters.cost_usd = 1.5;
        state.counters.worked_seconds = 90.0;
        saved.save(&layout).unwrap();
        let killed = last_run(&layout).unwrap();
        assert_eq!((killed.ended, killed.resumes_automatically), (None, true));
        saved.run.ended = Some(RunEnd::StoriesFailed);
        saved.save(&layout).unwrap();
        let expected = LastRun {
            run_id: "r1".into(),
            started,
            branch: "ralph/shop".into(),
            base: Some("main".into()),
            ended: Some(RunEnd::StoriesFailed),
            resumes_automatically: false,
            iterations: 7,
            cost_usd: 1.5,
            worked_seconds: 90.0,
            given_up: vec![(failed, given_up())],
            in_lanes: Vec::new(),
        };
        assert_eq!(last_run(&layout), Some(expected));
    }

    #[test]
    fn an_invalid_state_counts_as_no_run() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.state(), "{").unwrap();
        assert_eq!(last_run(&layout), None);
    }
}
