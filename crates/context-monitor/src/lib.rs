//! Tells the agent how full its context is: at 50, 60, 70, 80 and 90 percent, each once.
//!
//! Works in every session; in a loop's own it also says what to do with the task list. Not here:
//! ending a session that is full.

mod alert;
mod alerts_given;
mod surroundings;
mod tail;
mod usage;
mod window;

use hook_io::{HookEvent, HookInput, HookOutput, Verdict};
use project::{Layout, SessionStore, own_context_window, own_marker};

use crate::alert::{Advice, Reading, Threshold};
use crate::alerts_given::AlertsGiven;
pub use crate::surroundings::Surroundings;
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
        Some(HookEvent::Stop) | None => Verdict::silent("silent: not an event to speak at"),
    }
}

/// A session starts, or goes on after compaction: its context is another one.
fn rearm(given: &AlertsGiven, store: &SessionStore, surroundings: &Surroundings) -> Verdict {
    let mut verdict = match given.forget_all() {
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
    let Some(transcript) = &input.transcript_path else {
        return Verdict::silent("silent: the input names no transcript");
    };
    let usage = match usage(transcript) {
        Ok(usage) => usage,
        Err(error) => return Verdict::silent(format!("silent: no transcript to read: {error}")),
    };
    let window = surroundings.window(session_id, &usage);
    let reading = Reading::new(usage, window);
    let shown = format!("{reading}");
    let crossed = Threshold::highest_reached(reading.percent());
    match given.first_time(crossed, reading.percent()) {
        Ok(Some(threshold)) => {
            let advice = surroundings.advice(session_id);
            let text = alert::text(threshold, &reading, &advice);
            let output = HookOutput::AddContext { event: HookEvent::PostToolUse, text };
            Verdict { output, log: vec![format!("{}: {shown}", threshold.severity())] }
        }
        Ok(None) => Verdict::silent(format!("silent: {shown}")),
        // An alert that cannot be remembered would be repeated after every tool call.
        Err(error) => Verdict::silent(format!("warning: silent, alerts cannot be kept: {error}")),
    }
}

impl Surroundings {
    /// From the environment, else from the loop's marker, else by the model's name.
    fn window(&self, session_id: &str, usage: &Usage) -> Window {
        let layout = Layout::new(&self.project_dir);
        match self.window.or_else(|| own_context_window(&layout, &self.env, session_id)) {
            Some(tokens) => Window::Set(tokens),
            None => window::by_model(usage.model.as_deref(), self.large_windows),
        }
    }

    fn advice(&self, session_id: &str) -> Advice {
        match own_marker(&Layout::new(&self.project_dir), &self.env, session_id) {
            Some(marker) => {
                let layout = marker.layout(&self.project_dir);
                Advice::Loop { tasks: layout.tasks_name(), progress: layout.progress_name() }
            }
            None => Advice::General,
        }
    }
}
