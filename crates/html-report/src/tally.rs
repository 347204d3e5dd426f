//! Data that sections share: the state of the run, and each story with its totals.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset, Utc};
use events::describe::story_in_work;
use events::format::{GiveUpState, given_up, session_tokens, story_state, tokens};
use events::{
    IterationRecord, LoopKind, Pause, Role, RunEnd, RunState, RunView, StoryBrief, StoryTotals,
    TokenCount,
};
use tasks::StoryId;

use crate::PageInput;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoryOutcome {
    Done,
    Failed,
    /// The user skipped it.
    Skipped,
    /// It depends on a failed story.
    Blocked,
    Open,
}

#[derive(Debug)]
pub(crate) struct StoryRow<'h> {
    pub(crate) brief: &'h StoryBrief,
    pub(crate) outcome: StoryOutcome,
    pub(crate) state: (Role, &'static str),
    pub(crate) waits_for: Vec<StoryId>,
    pub(crate) totals: StoryTotals,
    /// Oldest first.
    pub(crate) iterations: Vec<&'h IterationRecord>,
}

/// The state of a run in a word or two.
pub(crate) fn run_state(input: &PageInput<'_>) -> (Role, String) {
    let view = input.view;
    let is_paused = matches!(view.pending_orders.pause, Pause::Waiting { .. });
    let (role, word) = match (input.state, &view.end) {
        (_, Some(end)) => return (end_role(end.end), end.end.to_string()),
        _ if view.start.is_none() => (Role::Plain, "no events yet"),
        (RunState::Died | RunState::Ended, None) => (Role::Bad, "died"),
        (RunState::Running, None) if is_paused => (Role::Warn, "paused"),
        (RunState::Running, None) if view.rest.is_some() => (Role::Warn, "waiting"),
        (RunState::Running, None) if view.stopping => (Role::Warn, "stopping"),
        (RunState::Running, None) => (Role::Accent, "running"),
    };
    (role, word.to_owned())
}

fn end_role(end: RunEnd) -> Role {
    match end {
        RunEnd::Complete => Role::Good,
        RunEnd::StoriesFailed
        | RunEnd::AgentFailed
        | RunEnd::ReviewerFailed
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed => Role::Bad,
        _ => Role::Warn,
    }
}

impl StoryRow<'_> {
    /// The larger of the totals and the value in the run's story list.
    pub(crate) fn cost_usd(&self) -> f64 {
        finite(self.totals.cost_usd).max(finite(self.brief.cost_usd))
    }

    /// `None` if no agent reported its cost.
    pub(crate) fn cost(&self) -> Option<f64> {
        let reports = |record: &&IterationRecord| record.cost().is_some();
        let cost = self.cost_usd();
        let is_known =
            cost > 0.0 || self.iterations.is_empty() || self.iterations.iter().any(reports);
        is_known.then_some(cost)
    }

    pub(crate) fn tokens(&self) -> String {
        match all_tokens(self.totals.tokens) {
            0 if self.iterations.is_empty() => tokens(0),
            count => session_tokens(count),
        }
    }

    /// The task list resets the reviews of a story that was given up; its record keeps them.
    pub(crate) fn reviews(&self) -> u64 {
        self.brief.given_up.as_ref().map_or(self.brief.review_count, |given_up| given_up.reviews)
    }
}

pub(crate) fn stories<'h>(input: &PageInput<'h>) -> Vec<StoryRow<'h>> {
    let view = input.view;
    let in_work = |story: &StoryId| {
        let doing = story_in_work(view, story).filter(|_| input.state == RunState::Running)?;
        Some((Role::Accent, doing))
    };
    let blocked = view.blocked();
    let totals = view.totals();
    let mut iterations: BTreeMap<&StoryId, Vec<&IterationRecord>> = BTreeMap::new();
    for record in &view.records {
        if let Some(story) = &record.story {
            iterations.entry(story).or_default().push(record);
        }
    }
    let row = |brief: &'h StoryBrief| {
        let waits_for = blocked.get(&brief.id);
        let is_blocked = waits_for.is_some();
        StoryRow {
            brief,
            outcome: match given_up(brief) {
                _ if view.is_done(brief) => StoryOutcome::Done,
                GiveUpState::Failed => StoryOutcome::Failed,
                GiveUpState::Skipped => StoryOutcome::Skipped,
                GiveUpState::No if is_blocked => StoryOutcome::Blocked,
                GiveUpState::No => StoryOutcome::Open,
            },
            state: in_work(&brief.id).unwrap_or_else(|| {
                story_state(brief, is_blocked, view.verdicts.get(&brief.id).copied())
            }),
            waits_for: waits_for.cloned().unwrap_or_default(),
            totals: totals.get(&brief.id).copied().unwrap_or_default(),
            iterations: iterations.remove(&brief.id).unwrap_or_default(),
        }
    };
    view.stories.iter().map(row).collect()
}

/// A prompt loop has no stories.
pub(crate) fn has_stories(view: &RunView) -> bool {
    view.start.as_ref().is_none_or(|start| start.kind == LoopKind::Stories)
        || !view.stories.is_empty()
}

pub(crate) fn all_tokens(tokens: TokenCount) -> u64 {
    [tokens.input, tokens.output, tokens.cache_read, tokens.cache_creation]
        .into_iter()
        .fold(0, u64::saturating_add)
}

/// Values that cannot be drawn become 0.
pub(crate) fn finite(number: f64) -> f64 {
    if number.is_finite() && number > 0.0 { number } else { 0.0 }
}

/// `2026-11-15 02:00`
pub(crate) fn when(at: DateTime<Utc>, offset: FixedOffset) -> String {
    at.with_timezone(&offset).format("%Y-%m-%d %H:%M").to_string()
}

/// `UTC+01:00`
pub(crate) fn zone(offset: FixedOffset) -> String {
    match offset.local_minus_utc() {
        0 => "UTC".to_owned(),
        _ => format!("UTC{offset}"),
    }
}
