//! Tells the agent how full its context is: at 50, 60, 70, 80 and 90 percent, each once. In a loop's
//! own session also once that its time is running out.
//!
//! Works in every session; in a loop's own it also says what to do with the task list. Not here:
//! ending a session that is full or late.

mod alert;
mod alerts_given;
mod remark;
mod surroundings;
mod tail;
mod time_warning;
mod usage;
mod window;

use std::time::SystemTime;

use hook_io::{HookEvent, HookInput, Verdict};
use project::{Claim, Layout, OwnMarker, SessionStore};

use crate::alert::{Advice, Reading, Threshold};
use crate::alerts_given::AlertsGiven;
use crate::remark::Remark;
pub use crate::surroundings::Surroundings;
use crate::time_warning::TimeWarning;
use crate::usage::{Usage, usage};
use crate::window::Window;

pub fn decide(input: &HookInput, surroundings: &Surroundings) -> Verdict {
    if input.agent_id.is_some() {
        return Verdict::silent("silent in a subagent");
    }
    let Some(session_id) = input.session_id.as_deref() else {
        return Verdict::silent("silent: the input names no session");
    };
    let store = SessionStore::new(surroundings.plugin_data.as_deref());
    let given = AlertsGiven::of(&store, session_id);
    match input.event {
        Some(HookEvent::SessionStart) => rearm(&given, &store, surroundings),
        Some(HookEvent::PostToolUse) => after_tool(input, session_id, &given, surroundings),
        Some(HookEvent::Stop | HookEvent::PreToolUse) | None => {
            Verdict::silent("silent: not an event to speak at")
        }
    }
}

/// A session starts, or goes on after compaction: its context is another one.
fn rearm(given: &AlertsGiven, store: &SessionStore, surroundings: &Surroundings) -> Verdict {
    let mut verdict = match given.forget_alerts() {
        Ok(()) => Verdict::silent("alerts re-armed"),
        Err(error) => Verdict::silent(format!("warning: alerts could not be re-armed: {error}")),
    };
    if let Err(error) = store.prune(surroundings.now) {
        verdict.log.push(format!("warning: old sessions could not be forgotten: {error}"));
    }
    verdict
}

fn after_tool(
    input: &HookInput,
    session_id: &str,
    given: &AlertsGiven,
    surroundings: &Surroundings,
) -> Verdict {
    let layout = Layout::new(&surroundings.project_dir);
    let marker = OwnMarker::new(&layout, &surroundings.env, session_id);
    Remark::together([
        about_time(&marker, given, surroundings),
        about_context(input, &marker, given, surroundings),
    ])
}

/// Needs no transcript: a session whose transcript cannot be read is ended in time all the same.
fn about_time(marker: &OwnMarker<'_>, given: &AlertsGiven, surroundings: &Surroundings) -> Remark {
    // Before the marker is read, which from the soft limit on a glance would not save.
    if given.is_time_claimed() {
        return Remark::default();
    }
    let Some(brief) = marker.past_soft_limit(surroundings.now) else { return Remark::default() };
    match given.claim_time() {
        Ok(Claim::Won) => {
            let layout = brief.layout(&surroundings.project_dir);
            let until = |at: SystemTime| at.duration_since(surroundings.now).unwrap_or_default();
            let warning = TimeWarning {
                left: brief.hard_limit_at().map(until),
                mode: brief.iteration_mode(),
                tasks: layout.tasks_name(),
                progress: layout.progress_name(),
            };
            let log = format!("WARNING: past the soft time limit, {:?} left", warning.left);
            Remark::said(warning.to_string(), log)
        }
        Ok(Claim::AlreadyTaken) => Remark::default(),
        Err(error) => {
            Remark::silent(format!("warning: silent about time, which cannot be kept: {error}"))
        }
    }
}

fn about_context(
    input: &HookInput,
    marker: &OwnMarker<'_>,
    given: &AlertsGiven,
    surroundings: &Surroundings,
) -> Remark {
    let Some(transcript) = &input.transcript_path else {
        return Remark::silent("silent: the input names no transcript".into());
    };
    let usage = match usage(transcript) {
        Ok(usage) => usage,
        Err(error) => return Remark::silent(format!("silent: no transcript to read: {error}")),
    };
    let window = surroundings.window(marker, &usage);
    let reading = Reading::new(usage, window);
    let shown = format!("{reading}");
    let crossed = Threshold::highest_reached(reading.percent());
    match given.first_time(crossed, reading.percent()) {
        Ok(Some(threshold)) => {
            let text = alert::text(threshold, &reading, &surroundings.advice(marker));
            Remark::said(text, format!("{}: {shown}", threshold.severity()))
        }
        Ok(None) => Remark::silent(format!("silent: {shown}")),
        // An alert that cannot be remembered would be repeated after every tool call.
        Err(error) => Remark::silent(format!("warning: silent, alerts cannot be kept: {error}")),
    }
}

impl Surroundings {
    /// From the environment, else from the loop's marker, else by the model's name.
    fn window(&self, marker: &OwnMarker<'_>, usage: &Usage) -> Window {
        match self.window.or_else(|| marker.context_window()) {
            Some(tokens) => Window::Set(tokens),
            None => window::by_model(usage.model.as_deref(), self.large_windows),
        }
    }

    fn advice(&self, marker: &OwnMarker<'_>) -> Advice {
        match marker.brief() {
            Some(brief) => {
                let layout = brief.layout(&self.project_dir);
                Advice::Loop { tasks: layout.tasks_name(), progress: layout.progress_name() }
            }
            None => Advice::General,
        }
    }
}

#[cfg(test)]
mod tests;
