//! Builds the report from the collected data: totals, and each story in its section.

use std::collections::BTreeMap;

use events::run_logs::LogRead;
use events::{LoopKind, StoryBrief};
use tasks::StoryId;

use super::gather::{Gathering, StoryData};
use super::{
    BlockedStory, CompletedStory, Ending, FailedStory, MemoryReport, RunReport, StoryFacts,
    UnfinishedStory, VERSION, next_steps,
};
use crate::report::{EndView, RunView, blocked, state_text, waiting};
use crate::status::RunState;

impl Gathering {
    pub(crate) fn report(mut self, is_alive: bool, log: LogRead) -> RunReport {
        let mut report = self.totals(is_alive, log);
        let waits = self.blocked();
        for story in &self.view.stories {
            let data = self.stories.remove(&story.id).unwrap_or_default();
            report.add_story(story, data, &self.view, &waits);
        }
        report.void_verdicts = self.void_verdicts;
        report.weakened_tests = self.weakened_tests;
        report.time_limits = self.time_limits;
        report.memory = self.memory;
        report.next = next_steps::of(&report, self.last_outcome);
        report
    }

    /// The parts that are not per story.
    fn totals(&self, is_alive: bool, log: LogRead) -> RunReport {
        let view = &self.view;
        let start = view.start.as_ref();
        RunReport {
            version: VERSION,
            folder: format!(".ralph/runs/{}", view.id),
            run: view.id.clone(),
            state: RunState::of(view.end.as_ref(), is_alive),
            kind: start.map_or(LoopKind::default(), |start| start.kind),
            name: start.map(|start| start.name.clone()).unwrap_or_default(),
            branch: start.map(|start| start.branch.clone()).unwrap_or_default(),
            base: start.and_then(|start| start.base.clone()),
            isolation: view.isolation.clone(),
            agent: start.map(|start| start.agent.clone()).unwrap_or_default(),
            started: self.started,
            last_event: self.last_event,
            starts: self.starts,
            seconds: view.worked.seconds(),
            end: view.end.as_ref().map(Ending::of),
            iterations: view.iterations,
            max_iterations: start.map_or(0, |start| start.max_iterations),
            accepted_iterations: view.accepted,
            failed_iterations: view.failed,
            cost_usd: view.cost(),
            turns: view.turns,
            max_attempts: start.and_then(|start| start.max_attempts),
            checks: start.and_then(|start| start.checks),
            review_cap: start.and_then(|start| start.review_cap),
            repeated_failure: self.failures.repeated(),
            only_story: start.and_then(|start| start.only_story.clone()),
            stories: view.stories.len() as u64,
            completed: Vec::new(),
            failed: Vec::new(),
            blocked: Vec::new(),
            unfinished: Vec::new(),
            void_verdicts: Vec::new(),
            weakened_tests: Vec::new(),
            quality: Vec::new(),
            time_limits: Vec::new(),
            memory: MemoryReport::default(),
            next: Vec::new(),
            unread_lines: log.unread.lines,
            log: log.check,
            log_alterations: self.log_alterations.clone(),
        }
    }

    /// The blocked stories with their unfinished dependencies.
    fn blocked(&self) -> BTreeMap<StoryId, Vec<StoryId>> {
        let reported = self.view.end.as_ref().map_or(&[][..], |end| &end.waiting);
        let mut waits = waiting(&self.view.stories, reported);
        let blocked = blocked(&waits, &self.view.stories);
        waits.retain(|story, _| blocked.contains(story));
        waits
    }
}

impl RunReport {
    fn add_story(
        &mut self,
        story: &StoryBrief,
        data: StoryData,
        view: &RunView,
        blocked: &BTreeMap<StoryId, Vec<StoryId>>,
    ) {
        let facts = StoryFacts::of(story);
        let StoryData { history, auto_approved, quality, .. } = data;
        let quality_warnings = quality.as_ref().map(|quality| quality.warnings.clone());
        self.quality.extend(quality);
        if view.is_done(story) {
            self.completed.push(CompletedStory { facts, auto_approved });
        } else if let Some(given_up) = story.given_up.clone() {
            let quality_warnings = quality_warnings.unwrap_or_default();
            self.failed.push(FailedStory { facts, given_up, quality_warnings, history });
        } else if let Some(waits_for) = blocked.get(&story.id).cloned() {
            self.blocked.push(BlockedStory { facts, waits_for });
        } else {
            let state = state_text(story.passes, story.review_status);
            self.unfinished.push(UnfinishedStory { facts, state, history });
        }
    }
}

impl Ending {
    fn of(end: &EndView) -> Self {
        Self {
            end: end.end,
            exit_code: end.exit_code,
            text: end.text.clone(),
            at: end.at,
            reasons: end.blocked.clone(),
        }
    }
}
