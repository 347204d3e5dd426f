//! Runs the self-test session and records each hook call.

use std::collections::HashMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use agents::{Agent, AgentEvent, Decode, HookAnswer, HookVerdict, Request, Servers};
use serde_json::{Value, json};
use simulator::ScriptedModel;
use supervise::{
    ChildEvent, EndReason, Exit, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient,
    SoftLimits, Source, Stdout,
};

use super::trial_project::TrialProject;
use super::{Hook, HookCall, HookResponse, SelfTestError, TestedPrograms, Trial, TrialEnd};

/// A session takes about three seconds; a hook may take up to a minute.
const LIMIT: Duration = Duration::from_secs(60);
const LONGEST_LINE: usize = 4 * 1024 * 1024;

/// Tolerance between Claude Code's clock and the one of this module.
const CLOCKS_DIFFER: Duration = Duration::from_millis(500);

pub(super) fn run(
    project: &TrialProject,
    programs: &TestedPrograms<'_>,
) -> Result<Trial, SelfTestError> {
    let mut recorder = HookRecorder::new();
    let ended = supervise::run(launch(project, programs)?, programs.stop, &mut |event| {
        if let ChildEvent::Line(line) = event {
            match line.source {
                Source::Stdout => return recorder.line(line.bytes),
                Source::Stderr => {
                    recorder.last_output = String::from_utf8_lossy(line.bytes).into_owned()
                }
            }
        }
        Reaction::Nothing
    })
    .map_err(SelfTestError::new)?;
    let milliseconds = millis(ended.elapsed);
    let how = match (ended.how, ended.exit) {
        (EndReason::ByItself | EndReason::Lingered, Some(Exit::Code(0))) => TrialEnd::ByItself,
        (EndReason::TotalLimit | EndReason::IdleLimit, _) => TrialEnd::TimeLimit,
        _ => TrialEnd::Failed { output: recorder.last_output.clone() },
    };
    Ok(Trial { milliseconds, ended: how, calls: recorder.calls(&project.model) })
}

fn launch(project: &TrialProject, programs: &TestedPrograms<'_>) -> Result<Launch, SelfTestError> {
    let request = Request {
        prompt: "Continue.".into(),
        folder: project.project(),
        session_id: project.session.to_string(),
        plugin_dir: Some(project.plugin.clone()),
        settings: Some(json!({ "disableAllHooks": false }).to_string()),
        servers: Servers::Only(None),
        ..Request::default()
    };
    let command = Agent::Claude.command(programs.claude, &request).map_err(SelfTestError::new)?;
    Ok(Launch {
        keeper: programs.keeper.clone(),
        program: command.program,
        args: command.args,
        environment: nothing_but(project.environment()),
        folder: project.project(),
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

/// Removes all inherited variables and adds these.
fn nothing_but(own: Vec<(OsString, OsString)>) -> Vec<(OsString, Option<OsString>)> {
    let inherited = std::env::vars_os().map(|(name, _)| (name, None));
    inherited.chain(own.into_iter().map(|(name, value)| (name, Some(value)))).collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Reads the stream and collects the hook calls.
struct HookRecorder {
    decoder: Box<dyn Decode>,
    called: Vec<StartedHook>,
    /// By the id that Claude Code gives each call.
    places: HashMap<String, usize>,
    /// The last output about a failure.
    last_output: String,
}

struct StartedHook {
    event: String,
    at: Instant,
    answered: Option<(Duration, HookAnswer)>,
}

impl HookRecorder {
    fn new() -> Self {
        let decoder = Agent::Claude.decoder("");
        Self { decoder, called: Vec::new(), places: HashMap::new(), last_output: String::new() }
    }

    fn line(&mut self, bytes: &[u8]) -> Reaction {
        let line: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let id = line["hook_id"].as_str().unwrap_or_default().to_owned();
        if line["subtype"] == "hook_started" {
            let event = line["hook_event"].as_str().unwrap_or_default().to_owned();
            self.places.insert(id, self.called.len());
            self.called.push(StartedHook { event, at: Instant::now(), answered: None });
            return Reaction::Nothing;
        }
        let mut events = Vec::new();
        self.decoder.line(bytes, &mut |event| events.push(event));
        let mut seen = Reaction::Nothing;
        for event in events {
            match event {
                AgentEvent::Hook(answer) => {
                    let place = self.places.get(&id).copied();
                    if let Some(called) = place.and_then(|place| self.called.get_mut(place)) {
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
            let hook = Hook::of_event(&called.event)?;
            let (milliseconds, answer) = match called.answered {
                None => (None, HookResponse::Missing),
                Some((took, answer)) => {
                    let answer = in_time(hook, took, read(answer.verdict, model));
                    (Some(millis(took)), answer)
                }
            };
            Some(HookCall { event: called.event, hook, milliseconds, answer })
        };
        self.called.into_iter().filter_map(call).collect()
    }
}

/// Claude Code ends a hook after its time limit and reports a failure of the hook.
fn in_time(hook: Hook, took: Duration, answer: HookResponse) -> HookResponse {
    match answer {
        HookResponse::Failed { .. } if took + CLOCKS_DIFFER >= hook.time() => HookResponse::Missing,
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
        let after = |hook: Hook, milliseconds, answer| {
            in_time(hook, Duration::from_millis(milliseconds), answer)
        };
        assert_eq!(after(Hook::CommandGuard, 9_990, failed()), HookResponse::Missing);
        assert_eq!(after(Hook::CommandGuard, 4, failed()), failed());
        assert_eq!(after(Hook::StopGuard, 12_000, failed()), failed());
        assert_eq!(after(Hook::CommandGuard, 12_000, HookResponse::Silent), HookResponse::Silent);
    }
}
