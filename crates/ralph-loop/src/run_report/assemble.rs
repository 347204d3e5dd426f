//! Builds the report from a run: totals, and each story in its section.

use std::collections::BTreeMap;

use events::{LoopKind, OtherKind, QualityReport, StoryBrief};
use tasks::StoryId;

use super::shell::show_command;
use super::{
    BlockedStory, Compactions, CompletedStory, Ending, FailedStory, MergedStory, ProofReport,
    RepeatedFailure, Rollback, RunReport, StoryFacts, UnfinishedStory, VERSION, next_steps,
};
use crate::report::{RunView, story_state};
use crate::status::RunStatus;

impl RunReport {
    pub(crate) fn of(run: &RunStatus) -> Self {
        let view = &run.view;
        let start = view.start.as_ref();
        let memory = view.memory.clone().unwrap_or_default();
        let compactions = view.others.iter().filter(|other| other.kind == OtherKind::Compaction);
        let rollbacks = view.failures.rollbacks.iter().map(|rolled_back| Rollback {
            command: show_command(rolled_back),
            rolled_back: rolled_back.clone(),
        });
        let mut report = Self {
            version: VERSION,
            folder: run.folder.clone(),
            run: view.id.clone(),
            state: run.state,
            kind: start.map_or(LoopKind::default(), |start| start.kind),
            name: start.map(|start| start.name.clone()).unwrap_or_default(),
            branch: start.map(|start| start.branch.clone()).unwrap_or_default(),
            base: start.and_then(|start| start.base.clone()),
            isolation: view.isolation.clone(),
            agent: start.map(|start| start.agent.clone()).unwrap_or_default(),
            started: view.started,
            last_event: view.last_event,
            starts: view.starts,
            seconds: view.worked.seconds(),
            end: view.end.as_ref().map(|end| Ending {
                end: end.end,
                exit_code: end.exit_code,
                text: end.text.clone(),
                at: end.at,
                reasons: end.blocked.clone(),
            }),
            iterations: view.iterations,
            max_iterations: start.map_or(0, |start| start.max_iterations),
            accepted_iterations: view.accepted,
            failed_iterations: view.failed,
            cost_usd: view.cost(),
            turns: view.turns,
            max_attempts: start.and_then(|start| start.max_attempts),
            checks: start.and_then(|start| start.checks),
            review_cap: start.and_then(|start| start.review_cap),
            repeated_failure: RepeatedFailure::of(view),
            only_story: start.and_then(|start| start.only_story.clone()),
            stories: view.stories.len() as u64,
            completed: Vec::new(),
            failed: Vec::new(),
            blocked: Vec::new(),
            unfinished: Vec::new(),
            proofs: ProofReport::all(view),
            void_verdicts: view.failures.void_verdicts.clone(),
            weakened_tests: view.failures.weakened_tests.clone(),
            quality: Vec::new(),
            reviewer_verdicts: view.reviewer_verdicts.clone(),
            final_reviews: view.final_reviews.clone(),
            time_limits: view.time_limits.clone(),
            handoffs: memory.handoffs,
            compactions: Compactions {
                done: memory.compactions,
                failures: memory.failures,
                cost_usd: compactions.fold(0.0, |usd, session| usd + session.cost_usd),
            },
            plan_changes: view.plan_changes.clone(),
            rollbacks: rollbacks.collect(),
            next: Vec::new(),
            pull_request: view.pull_request.clone(),
            unread_lines: run.unread_lines,
            log: run.log.clone(),
            known_failures: view.known_failures.clone(),
            stronger_help: view.stronger_help.clone(),
            log_alterations: view.log_alterations.clone(),
        };
        let blocked = view.blocked();
        // Of each story, the last one counts.
        let quality: BTreeMap<&StoryId, &QualityReport> = view
            .others
            .iter()
            .filter_map(|other| match &other.kind {
                OtherKind::Quality(quality) => Some((&quality.story, quality)),
                OtherKind::Compaction => None,
            })
            .collect();
        for story in &view.stories {
            report.quality.extend(quality.get(&story.id).copied().cloned());
            report.add_story(story, view, blocked.get(&story.id));
        }
        report.next = next_steps::of(&report, view.last_outcome);
        report
    }

    /// `waits_for` has the unfinished dependencies of a blocked story. Its quality report comes first.
    fn add_story(&mut self, story: &StoryBrief, view: &RunView, waits_for: Option<&Vec<StoryId>>) {
        let facts = StoryFacts::of(story);
        let history = view.failures.attempts.get(&story.id).cloned().unwrap_or_default();
        if view.is_done(story) {
            let auto_approved = view.concerns.get(&story.id).cloned();
            let merged = view.merged(&story.id).and_then(MergedStory::of);
            self.completed.push(CompletedStory { facts, auto_approved, merged });
        } else if let Some(given_up) = story.given_up.clone() {
            let quality = self.quality.last().filter(|quality| quality.story == story.id);
            let quality_warnings = quality.map(|quality| quality.warnings.clone());
            let quality_warnings = quality_warnings.unwrap_or_default();
            self.failed.push(FailedStory { facts, given_up, quality_warnings, history });
        } else if let Some(waits_for) = waits_for.cloned() {
            self.blocked.push(BlockedStory { facts, waits_for });
        } else {
            let (_, state) = story_state(story, false, None);
            let question = story.question.as_ref().map(|question| question.text.clone());
            self.unfinished.push(UnfinishedStory { facts, state, question, history });
        }
    }
}
