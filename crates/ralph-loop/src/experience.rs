//! The iterations and costs of earlier story loops, from the first and last events of their logs. Unreadable logs are
//! skipped: an estimate must not stop a run.

use engine::Experience;
use events::{LoopEvent, LoopKind, run_logs};
use project::Layout;

/// Older runs say little about the next one.
const RUNS: usize = 10;

pub(crate) fn experience(layout: &Layout) -> Experience {
    let ids = run_logs::ids(layout).unwrap_or_default();
    let took = ids.iter().take(RUNS).filter_map(|id| of_run(layout, id));
    took.fold(Experience::default(), |all, run| Experience {
        iterations: all.iterations.saturating_add(run.iterations),
        stories_done: all.stories_done.saturating_add(run.stories_done),
        cost_usd: all.cost_usd + run.cost_usd,
    })
}

fn of_run(layout: &Layout, id: &str) -> Option<Experience> {
    let first = run_logs::first(layout, id)?;
    let LoopEvent::RunStarted { start, stories, .. } = first.event else { return None };
    if start.kind != LoopKind::Stories {
        return None;
    }
    let done_before = stories.iter().filter(|story| story.passes).count() as u64;
    let done = |passing: u64| passing.saturating_sub(done_before);
    run_logs::last(layout, id, |event| match event {
        // An iteration of a lane knows only the work of its own lane.
        LoopEvent::RunEnded(ended) => Some(Experience {
            iterations: ended.iterations,
            stories_done: done(ended.stories.iter().filter(|story| story.passes).count() as u64),
            cost_usd: ended.cost_usd,
        }),
        LoopEvent::IterationEnded(ended) => Some(Experience {
            iterations: ended.iteration,
            stories_done: done(ended.done),
            cost_usd: ended.total_cost_usd,
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_events;

    #[test]
    fn earlier_runs_add_up_and_broken_logs_are_skipped() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert_eq!(experience(&layout), Experience::default());
        let run: String =
            test_events::a_run().iter().map(|stamped| stamped.to_line() + "\n").collect();
        for (id, log) in [
            ("20261115-010000-ab12", run.as_str()),
            ("20261115-020000-ab12", run.as_str()),
            ("20261115-030000-ab12", "nonsense\n"),
            ("20261115-040000-ab12", run.lines().next().unwrap()),
        ] {
            std::fs::create_dir_all(layout.run_dir(id)).unwrap();
            std::fs::write(layout.run_dir(id).join("events.jsonl"), log).unwrap();
        }
        let one = of_run(&layout, "20261115-010000-ab12").unwrap();
        assert!(one.iterations > 0 && one.cost_usd > 0.0, "{one:?}");
        let both = experience(&layout);
        assert_eq!(both.iterations, one.iterations * 2);
        assert_eq!(both.stories_done, one.stories_done * 2);
        let absurd = run.replace("\"iterations\":4", "\"iterations\":18446744073709551615");
        assert_ne!(absurd, run);
        let log = layout.run_dir("20261115-010000-ab12").join("events.jsonl");
        std::fs::write(log, absurd).unwrap();
        assert_eq!(experience(&layout).iterations, u64::MAX);
    }
}
