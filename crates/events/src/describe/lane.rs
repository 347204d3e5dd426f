//! What a lane does now, and which lane an event is about.

use chrono::{DateTime, FixedOffset, Utc};

use super::{context, tool_call};
use crate::format::{moment, span};
use crate::{
    CheckView, IterationRecord, LaneState, LaneView, LoopEvent, Role, RunView, Stamped, WaitReason,
    WaitView,
};

/// `2 US-003`: the lane with its story, including the story that this event gives it.
pub fn lane_tag(stamped: &Stamped, view: &RunView) -> Option<String> {
    let number = stamped.lane?;
    let story = match &stamped.event {
        LoopEvent::StoryAssigned { story, .. }
        | LoopEvent::StoryQueued { story }
        | LoopEvent::MergeStarted { story, .. }
        | LoopEvent::StoryMerged { story, .. } => Some(story),
        LoopEvent::IterationStarted(started) => started.story.as_ref(),
        _ => view.lane(number).and_then(|lane| lane.story.as_ref()),
    };
    Some(match story {
        Some(story) => format!("{number} {story}"),
        None => number.to_string(),
    })
}

/// State, time and activity of a lane, the most important first. Its number and story are not among them.
pub fn lane_parts(
    view: &RunView,
    lane: &LaneView,
    now: DateTime<Utc>,
    offset: FixedOffset,
) -> Vec<(Role, String)> {
    let key = Some(lane.number);
    let iteration = view.iteration_in(key);
    let state = match (lane.state, iteration) {
        (LaneState::Idle, _) => return vec![(Role::Dim, lane.state.to_string())],
        (LaneState::Working, Some(iteration)) => {
            let node = iteration.job.as_ref().and_then(|job| job.node.as_ref());
            let node = node.map_or(String::new(), |node| format!(" on {node}"));
            sanitize::line(&format!("{}{node}", iteration.mode))
        }
        _ => lane.state.to_string(),
    };
    let since = iteration.map_or(lane.since, |iteration| iteration.started_at);
    let mut parts = vec![(Role::Accent, state), (Role::Plain, span(now - since))];
    if let Some(wait) = &lane.waiting {
        parts.extend(wait_parts(wait, now, offset));
        return parts;
    }
    if let Some(iteration) = iteration
        && let Some(used) = iteration.context_tokens
    {
        parts.push(context(used, iteration.context_window));
    }
    let last = || lane.last_activity.as_ref().map(|activity| activity.text.clone());
    let now_doing = match view.check_in(key) {
        Some(check) => Some(running_check(check, now)),
        None if lane.state == LaneState::WaitingForMerge => None,
        None => iteration.and_then(|iteration| doing(iteration, now)).or_else(last),
    };
    parts.extend(now_doing.map(|text| (Role::Dim, text)));
    parts
}

/// Why something waits, and how long.
pub fn wait_parts(wait: &WaitView, now: DateTime<Utc>, offset: FixedOffset) -> Vec<(Role, String)> {
    let what = match wait.reason {
        WaitReason::UsageLimit => "waiting for the usage limit",
        WaitReason::Backoff => "waiting to retry",
        WaitReason::Pause => "pausing between iterations",
    };
    let left = format!("{} left", span(wait.until - now));
    let until = format!("until {}", moment(wait.until, now, offset));
    vec![(Role::Accent, what.to_owned()), (Role::Strong, left), (Role::Plain, until)]
}

/// The running check, tool or to-do item of an iteration.
pub fn doing(iteration: &IterationRecord, now: DateTime<Utc>) -> Option<String> {
    if let Some(check) = &iteration.gate {
        return Some(running_check(check, now));
    }
    if let Some(tool) = iteration.calls.running.last() {
        return Some(tool_call(&tool.name, &tool.summary));
    }
    iteration.todo.as_ref()?.current.clone()
}

fn running_check(check: &CheckView, now: DateTime<Utc>) -> String {
    let since = span(now - check.started_at);
    format!("check {}/{}, {since}: {}", check.number, check.of, check.command)
}
