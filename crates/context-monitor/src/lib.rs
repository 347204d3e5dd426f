//! Reports to the agent how full its context is: once each at 50, 60, 70, 80 and 90 percent. In a session
//! of a loop it also warns once that the time runs out.
//!
//! Runs in every session. Ending a session is the runner's job.

mod alert;
mod environment;
mod logged_message;
mod sent_alerts;
mod tail;
mod time_warning;
mod usage;
mod window;

use std::time::SystemTime;

use hook_io::{HookDecision, HookEvent, HookInput};
use project::{Claim, Layout, OwnMarker, SessionStore};

use crate::alert::{Advice, ContextUsage, Threshold};
pub use crate::environment::Environment;
use crate::logged_message::LoggedMessage;
use crate::sent_alerts::SentAlerts;
use crate::time_warning::TimeWarning;
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
    LoggedMessage::combine([
        time_alert(&marker, given, environment),
        context_alert(input, &marker, given, environment),
    ])
}

/// Needs no transcript, because the time limit also applies when the transcript is unreadable.
fn time_alert(
    marker: &OwnMarker<'_>,
    given: &SentAlerts,
    environment: &Environment,
) -> LoggedMessage {
    // Checked first, because measured the marker costs more.
    if given.is_time_claimed() {
        return LoggedMessage::default();
    }
    let Some(brief) = marker.past_soft_limit(environment.now) else {
        return LoggedMessage::default();
    };
    match given.claim_time() {
        Ok(Claim::Won) => {
            let layout = brief.layout(&environment.project_dir);
            let until = |at: SystemTime| at.duration_since(environment.now).unwrap_or_default();
            let warning = TimeWarning {
                left: brief.hard_limit_at().map(until),
                mode: brief.iteration_mode(),
                tasks: layout.tasks_name(),
                progress: layout.progress_name(),
            };
            let log = format!("WARNING: past the soft time limit, {:?} left", warning.left);
            LoggedMessage::new(warning.to_string(), log)
        }
        Ok(Claim::AlreadyTaken) => LoggedMessage::default(),
        Err(error) => LoggedMessage::silent(format!(
            "warning: time warning skipped, cannot save its state: {error}"
        )),
    }
}

fn context_alert(
    input: &HookInput,
    marker: &OwnMarker<'_>,
    given: &SentAlerts,
    environment: &Environment,
) -> LoggedMessage {
    let Some(transcript) = &input.transcript_path else {
        return LoggedMessage::silent("silent: the input names no transcript".into());
    };
    let usage = match usage(transcript) {
        Ok(usage) => usage,
        Err(error) => {
            return LoggedMessage::silent(format!("silent: cannot read the transcript: {error}"));
        }
    };
    let window = environment.window(marker, &usage);
    let measured = ContextUsage::new(usage, window);
    let shown = format!("{measured}");
    let crossed = Threshold::highest_reached(measured.percent());
    match given.first_time(crossed, measured.percent()) {
        Ok(Some(threshold)) => {
            let text = alert::text(threshold, &measured, &environment.advice(marker));
            LoggedMessage::new(text, format!("{}: {shown}", threshold.severity()))
        }
        Ok(None) => LoggedMessage::silent(format!("silent: {shown}")),
        // Without saved state the alert would repeat after every tool call.
        Err(error) => {
            LoggedMessage::silent(format!("warning: alert skipped, cannot save its state: {error}"))
        }
    }
}

impl Environment {
    /// Taken from the environment, else from the marker, else from the model name.
    fn window(&self, marker: &OwnMarker<'_>, usage: &TokenUsage) -> Window {
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
