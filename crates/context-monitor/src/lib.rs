//! Reports to the agent how full its context is: once each at 50, 60, 70, 80 and 90 percent. In a session
//! of a loop it also warns once that the time runs out.
//!
//! Runs in every session. Ending a session is the runner's job.

mod alert;
mod environment;
mod sent_alerts;
mod tail;
mod time_warning;
mod usage;
mod window;

use std::time::SystemTime;

use hook_io::{HookDecision, HookEvent, HookInput, HookOutput};
use itertools::Itertools;
use project::{Claim, Layout, OwnMarker, SessionStore};

use crate::alert::ContextUsage;
pub use crate::environment::Environment;
use crate::sent_alerts::SentAlerts;
use crate::usage::{TokenUsage, usage};
use crate::window::Window;

pub fn decide(input: &HookInput, environment: &Environment) -> HookDecision {
    if input.agent_id.is_some() {
        return HookDecision::silent("silent in a subagent");
    }
    let Some(session_id) = input.session_id.as_deref() else {
        return HookDecision::silent("silent: the input names no session");
    };
    let store = SessionStore::new(environment.plugin_data.as_deref());
    let given = SentAlerts::of(&store, session_id);
    match input.event {
        Some(HookEvent::SessionStart) => rearm(&given, &store, environment),
        Some(HookEvent::PostToolUse) => after_tool(input, session_id, &given, environment),
        Some(HookEvent::Stop | HookEvent::PreToolUse) | None => {
            HookDecision::silent("silent: this event needs no alert")
        }
    }
}

/// A session start or a compaction begins a new context.
fn rearm(given: &SentAlerts, store: &SessionStore, environment: &Environment) -> HookDecision {
    let mut verdict = match given.forget_alerts() {
        Ok(()) => HookDecision::silent("alerts re-armed"),
        Err(error) => HookDecision::silent(format!("warning: cannot re-arm the alerts: {error}")),
    };
    if let Err(error) = store.prune(environment.now) {
        verdict.log.push(format!("warning: cannot delete the state of old sessions: {error}"));
    }
    verdict
}

fn after_tool(
    input: &HookInput,
    session_id: &str,
    given: &SentAlerts,
    environment: &Environment,
) -> HookDecision {
    let layout = Layout::new(&environment.project_dir);
    let marker = OwnMarker::new(&layout, &environment.env, session_id);
    let alerts = time_alert(&marker, given, environment).into_iter();
    let alerts = alerts.chain([context_alert(input, &marker, given, environment)]);
    let (texts, log): (Vec<Option<String>>, Vec<String>) = alerts.unzip();
    // Joined, because a hook prints one JSON object.
    let text = texts.into_iter().flatten().join("\n\n");
    let output = match text.is_empty() {
        true => HookOutput::Silent,
        false => HookOutput::AddContext { event: HookEvent::PostToolUse, text },
    };
    HookDecision { output, log }
}

/// A text for the model, if any, with its log line.
type Alert = (Option<String>, String);

/// Needs no transcript, because the time limit also applies when the transcript is unreadable.
fn time_alert(
    marker: &OwnMarker<'_>,
    given: &SentAlerts,
    environment: &Environment,
) -> Option<Alert> {
    // Checked first, because measured the marker costs more.
    if given.is_time_claimed() {
        return None;
    }
    let brief = marker.past_soft_limit(environment.now)?;
    match given.claim_time() {
        Ok(Claim::Won) => {
            let until = |at: SystemTime| at.duration_since(environment.now).unwrap_or_default();
            let left = brief.hard_limit_at.map(until);
            let layout = brief.layout(&environment.project_dir);
            let text = time_warning::text(left, brief.iteration_mode, &layout);
            Some((Some(text), format!("WARNING: past the soft time limit, {left:?} left")))
        }
        Ok(Claim::AlreadyTaken) => None,
        Err(error) => {
            let log = format!("warning: time warning skipped, cannot save its state: {error}");
            Some((None, log))
        }
    }
}

fn context_alert(
    input: &HookInput,
    marker: &OwnMarker<'_>,
    given: &SentAlerts,
    environment: &Environment,
) -> Alert {
    let Some(transcript) = &input.transcript_path else {
        return (None, "silent: the input names no transcript".into());
    };
    let usage = match usage(transcript) {
        Ok(usage) => usage,
        Err(error) => return (None, format!("silent: cannot read the transcript: {error}")),
    };
    let window = environment.window(marker, &usage);
    let measured = ContextUsage::new(usage, window);
    let crossed = alert::highest_reached(measured.percent());
    match given.first_time(crossed, measured.percent()) {
        Ok(Some(threshold)) => {
            let layout = marker.brief().map(|brief| brief.layout(&environment.project_dir));
            let text = alert::text(threshold, &measured, layout.as_ref());
            (Some(text), format!("{}: {measured}", alert::severity(threshold)))
        }
        Ok(None) => (None, format!("silent: {measured}")),
        // Without saved state the alert would repeat after every tool call.
        Err(error) => (None, format!("warning: alert skipped, cannot save its state: {error}")),
    }
}

impl Environment {
    /// Taken from the environment, else from the marker, else from the model name.
    fn window(&self, marker: &OwnMarker<'_>, usage: &TokenUsage) -> Window {
        match self.window.or_else(|| marker.context_window()) {
            Some(tokens) => Window::set(tokens),
            None => Window::by_model(usage.model.as_deref(), self.large_windows),
        }
    }
}

#[cfg(test)]
mod tests;
