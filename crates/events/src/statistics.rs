//! Statistics across the runs of a project: a fold over what `RunView` makes of each log.
//!
//! Times and costs are sums of iterations: those of lanes add up. Not here: layout.

mod checks;
mod figures;
mod period;
mod read;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use tasks::StoryId;

pub use checks::CheckFigures;
pub use figures::Figures;
pub use period::Period;

use crate::format::{GiveUpState, UNKNOWN, given_up};
use crate::{IterationRecord, LoopKind, RunView};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statistics {
    /// Runs with an event in the period.
    pub runs: u64,
    pub logs: LogFigures,
    pub total: Figures,
    /// Of story loops alone: iterations, time and cost of a story are averages of these.
    pub stories: Figures,
    /// Stories that the runs gave up.
    pub given_up: u64,
    /// Named like `2026-11-18`.
    #[serde(serialize_with = "figures::as_list")]
    pub days: BTreeMap<String, Figures>,
    #[serde(serialize_with = "figures::as_list")]
    pub agents: BTreeMap<String, Figures>,
    #[serde(serialize_with = "figures::as_list")]
    pub models: BTreeMap<String, Figures>,
    #[serde(serialize_with = "checks::by_failures")]
    pub checks: BTreeMap<String, CheckFigures>,
}

/// What could not be read or trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LogFigures {
    pub found: u64,
    /// Without the start of their run, or unreadable.
    pub unread: u64,
    /// With lines that this version cannot read.
    pub incomplete: u64,
    /// Another program wrote to them.
    pub altered: u64,
}

impl Statistics {
    /// Adds what the run did in the period.
    pub fn add(&mut self, view: &RunView, period: &Period) {
        if !view.last_event.is_some_and(|at| period.includes(at)) {
            return;
        }
        self.runs += 1;
        let has_stories = view.start.as_ref().is_some_and(|start| start.kind == LoopKind::Stories);
        let mut run = RunPart { all: self, period, has_stories };
        let mut workers: BTreeMap<&StoryId, &IterationRecord> = BTreeMap::new();
        for record in &view.records {
            run.add_iteration(record);
            if let (Some(story), false) = (&record.story, record.is_review()) {
                workers.insert(story, record);
            }
        }
        for other in &view.others {
            let cost = Some(other.cost_usd).filter(|usd| *usd > 0.0);
            run.add(other.ended_at, &Figures::spent(other.seconds, cost));
        }
        for (story, at) in view.finished() {
            let done = Figures { stories_done: 1, ..Figures::default() };
            run.add_attributed(at, workers.get(story).copied(), &done);
        }
        for merge in &view.merges {
            let at = merge.end.as_ref().map_or(merge.started_at, |end| end.at);
            run.add_checks(at, &merge.checks);
        }
        let failed = view.stories.iter().filter(|story| given_up(story) == GiveUpState::Failed);
        // A run can begin with stories that an earlier one gave up.
        let at = failed.filter_map(|story| Some(story.given_up.as_ref()?.given_up_at));
        let own =
            at.filter(|at| period.includes(*at) && view.started.is_some_and(|run| run <= *at));
        self.given_up += own.count() as u64;
    }
}

/// One run on its way into the statistics.
struct RunPart<'a> {
    all: &'a mut Statistics,
    period: &'a Period,
    has_stories: bool,
}

impl RunPart<'_> {
    fn add_iteration(&mut self, record: &IterationRecord) {
        let at = record.ended_at().unwrap_or(record.started_at);
        self.add_attributed(at, Some(record), &Figures::of(record));
        self.add_checks(at, &record.checks);
    }

    fn add(&mut self, at: DateTime<Utc>, more: &Figures) {
        if !self.period.includes(at) {
            return;
        }
        self.all.total += more;
        if self.has_stories {
            self.all.stories += more;
        }
        *self.all.days.entry(self.period.day(at)).or_default() += more;
    }

    /// Adds also to the agent and the model of the iteration.
    fn add_attributed(&mut self, at: DateTime<Utc>, to: Option<&IterationRecord>, more: &Figures) {
        self.add(at, more);
        if self.period.includes(at) {
            let named = |name: Option<&String>| {
                let name = name.map(|name| name.trim()).filter(|name| !name.is_empty());
                name.unwrap_or(UNKNOWN).to_owned()
            };
            let agent = named(to.and_then(|record| record.agent_name.as_ref()));
            let model = named(to.and_then(|record| record.model.as_ref()));
            *self.all.agents.entry(agent).or_default() += more;
            *self.all.models.entry(model).or_default() += more;
        }
    }

    fn add_checks(&mut self, at: DateTime<Utc>, checks: &[crate::CheckRecord]) {
        for check in checks.iter().filter(|_| self.period.includes(at)) {
            self.all.checks.entry(check.command.clone()).or_default().add(check);
        }
    }
}
