//! Runs the self-test session and records each hook call.

use std::time::{Duration, Instant};

use agents::{Agent, AgentEvent, Decode, HookAnswer, HookVerdict, Request, Servers};
use anyhow::Result;
use serde_json::{Value, json};
use simulator::ScriptedModel;
use supervise::{
    ChildEvent, EndReason, Exit, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient,
    SoftLimits, Source, Stdout,
};

use super::trial_project::TrialProject;
use super::{HOOKS, Hook, HookCall, HookResponse, TestedPrograms, Trial, TrialEnd};

/// A session takes about three seconds; a hook may take up to a minute.
const LIMIT: Duration = Duration::from_secs(60);
const LONGEST_LINE: usize = 4 * 1024 * 1024;

/// Tolerance between Claude Code's clock and the one of this module.
const CLOCKS_DIFFER: Duration = Duration::from_millis(500);

/// Takes some seconds, and at most about a minute. An error says nothing about the hooks.
pub(crate) fn run(programs: &TestedPrograms<'_>) -> Result<Trial> {
    let project = TrialProject::create(programs)?;
    let mut recorder = HookRecorder {
        decoder: Agent::Claude.decoder(""),
        called: Vec::new(),
        last_output: String::new(),
    };
    let ended = supervise::run(launch(&project, programs)?, programs.stop, &mut |event| {
        if let ChildEvent::Line(line) = event {
            match line.source {
                Source::Stdout => return recorder.line(line.bytes),
                Source::Stderr => {
                    recorder.last_output = String::from_utf8_lossy(line.bytes).into_owned()
                }
            }
        }
        Reaction::Nothing
    })?;
    let milliseconds = ended.elapsed.as_millis() as u64;
    let how = match (ended.how, ended.exit) {
        (EndReason::ByItself | EndReason::Lingered, Some(Exit::Code(0))) => TrialEnd::ByItself,
        (EndReason::TotalLimit | EndReason::IdleLimit, _) => TrialEnd::TimeLimit,
        _ => TrialEnd::Failed { output: recorder.last_output.clone() },
    };
    Ok(Trial { milliseconds, ended: how, calls: recorder.calls(&project.model) })
}

fn launch(project: &TrialProject, programs: &TestedPrograms<'_>) -> Result<Launch> {
    let request = Request {
        prompt: "Continue.".into(),
        folder: project.folders.project(),
        session_id: project.session.to_string(),
        plugin_dir: Some(project.plugin.clone()),
        settings: Some(json!({ "disableAllHooks": false }).to_string()),
        servers: Servers::Only(None),
        ..Request::default()
    };
    let command = Agent::Claude.command(programs.claude, &request)?;
    // All inherited variables are removed.
    let inherited = std::env::vars_os().map(|(name, _)| (name, None));
    let own = project.environment().into_iter().map(|(name, value)| (name, Some(value)));
    Ok(Launch {
        keeper: programs.keeper.clone(),
        program: command.program,
        args: command.args,
        environment: inherited.chain(own).collect(),
        folder: project.folders.project(),
        input: command.stdin.into_bytes(),
        limits: Limits {
            total: Some(LIMIT),
            idle: None,
            grace: Duration::from_secs(5),
            linger: Duration::from_secs(5),
            drain: Duration::from_secs(2),
            longest_line: LONGEST_LINE,
            soft: SoftLimits::default(),
        },
        polite: PoliteSignal::Terminate,
        recipient: Recipient::Child,
        // As in a run.
        stdout: Stdout::Socket,
        orphans: Orphans::Leave,
    })
}

/// Reads the stream and collects the hook calls.
struct HookRecorder {
    decoder: Box<dyn Decode>,
    called: Vec<StartedHook>,
    /// The last output about a failure.
    last_output: String,
}

struct StartedHook {
    /// The id that Claude Code gives each call.
    id: String,
    event: String,
    at: Instant,
    answered: Option<(Duration, HookAnswer)>,
}

impl HookRecorder {
    fn line(&mut self, bytes: &[u8]) -> Reaction {
        let line: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let id = line["hook_id"].as_str().unwrap_or_default().to_owned();
        if line["subtype"] == "hook_started" {
            let event = line["hook_event"].as_str().unwrap_or_default().to_owned();
            self.called.push(StartedHook { id, event, at: Instant::now(), answered: None });
            return Reaction::Nothing;
        }
        let mut events = Vec::new();
        self.decoder.line(bytes, &mut |event| events.push(event));
        let mut seen = Reaction::Nothing;
        for event in events {
            match event {
                AgentEvent::Hook(answer) => {
                    if let Some(called) = self.called.iter_mut().rfind(|called| called.id == id) {
                        called.answered = Some((called.at.elapsed(), answer));
                    }
                }
                AgentEvent::Result(result) => {
                    seen = Reaction::Result;
                    self.last_output = result.text;
                }
                _ => {}
            }
        }
        seen
    }

    fn calls(self, model: &ScriptedModel) -> Vec<HookCall> {
        let call = |called: StartedHook| {
            let event = Some(called.event.as_str());
            let hook = HOOKS.iter().find(|hook| [Some(hook.event), hook.other].contains(&event))?;
            let (milliseconds, answer) = match called.answered {
                None => (None, HookResponse::Missing),
                Some((took, answer)) => {
                    let answer = in_time(hook, took, read(answer.verdict, model));
                    (Some(took.as_millis() as u64), answer)
                }
            };
            Some(HookCall { event: called.event, hook: hook.name, milliseconds, answer })
        };
        self.called.into_iter().filter_map(call).collect()
    }
}

/// Claude Code ends a hook after its time limit and reports a failure of the hook.
fn in_time(hook: &Hook, took: Duration, answer: HookResponse) -> HookResponse {
    match answer {
        HookResponse::Failed { .. } if took + CLOCKS_DIFFER >= hook.time => HookResponse::Missing,
        answer => answer,
    }
}

fn read(verdict: HookVerdict, model: &ScriptedModel) -> HookResponse {
    match verdict {
        HookVerdict::Silent => HookResponse::Silent,
        HookVerdict::Failed { why } => HookResponse::Failed { why },
        HookVerdict::Blocked { reason: text }
        | HookVerdict::Informed { context: text }
        // For people only: the model does not receive it.
        | HookVerdict::Warned { message: text } => {
            let first = text.lines().next().unwrap_or_default();
            let received = model.requests().iter().any(|request| request.mentions(first) > 0);
            HookResponse::Message { text: first.to_owned(), received }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_at_the_end_of_a_hooks_time_is_no_answer() {
        let failed = || HookResponse::Failed { why: "exit code 1".into() };
        let [command_guard, _, stop_guard] = &HOOKS;
        let after = |hook: &Hook, milliseconds, answer| {
            in_time(hook, Duration::from_millis(milliseconds), answer)
        };
        assert_eq!(after(command_guard, 9_990, failed()), HookResponse::Missing);
        assert_eq!(after(command_guard, 4, failed()), failed());
        assert_eq!(after(stop_guard, 12_000, failed()), failed());
        assert_eq!(after(command_guard, 12_000, HookResponse::Silent), HookResponse::Silent);
    }
}
