//! Runs the session and writes down each call of a hook.

use std::collections::HashMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use agents::{Agent, AgentEvent, Decode, HookAnswer, HookVerdict, Request, Servers};
use serde_json::{Value, json};
use simulator::ScriptedModel;
use supervise::{
    Exit, How, Launch, Limits, Orphans, PoliteSignal, Recipient, Seen, Sign, SoftLimits, Source,
    Stdout,
};

use super::trial_project::TrialProject;
use super::{Answer, Ended, Hook, Model, NoTrial, Round, Subject, Trial};

/// A session takes about three seconds. The longest that a hook of the plugin may take is a minute.
const LIMIT: Duration = Duration::from_secs(60);
const LONGEST_LINE: usize = 4 * 1024 * 1024;

/// Its clock runs until it ends a hook, ours between two lines of its stream.
const CLOCKS_DIFFER: Duration = Duration::from_millis(500);

pub(super) fn run(stage: &TrialProject, subject: &Subject<'_>) -> Result<Trial, NoTrial> {
    let mut watch = Watch::new();
    let ended = supervise::run(launch(stage, subject)?, subject.stop, &mut |sign| {
        if let Sign::Line(line) = sign {
            match line.source {
                Source::Stdout => return watch.line(line.bytes),
                Source::Stderr => watch.words = String::from_utf8_lossy(line.bytes).into_owned(),
            }
        }
        Seen::Nothing
    })
    .map_err(NoTrial::new)?;
    let milliseconds = millis(ended.elapsed);
    let how = match (ended.how, ended.exit) {
        (How::ByItself | How::Lingered, Some(Exit::Code(0))) => Ended::ByItself,
        (How::WallLimit | How::IdleLimit, _) => Ended::TimeLimit,
        _ => Ended::Failed { words: watch.words.clone() },
    };
    Ok(Trial { milliseconds, ended: how, rounds: watch.rounds(&stage.model) })
}

fn launch(stage: &TrialProject, subject: &Subject<'_>) -> Result<Launch, NoTrial> {
    let request = Request {
        prompt: "Go on.".into(),
        folder: stage.project(),
        session_id: stage.session.to_string(),
        plugin_dir: Some(stage.plugin.clone()),
        settings: Some(json!({ "disableAllHooks": false }).to_string()),
        servers: Servers::Only(None),
        ..Request::default()
    };
    let command = Agent::Claude.command(subject.claude, &request).map_err(NoTrial::new)?;
    Ok(Launch {
        keeper: subject.keeper.clone(),
        program: command.program,
        args: command.args,
        environment: nothing_but(stage.environment()),
        folder: stage.project(),
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

/// The environment that makes it so, on top of the inherited one.
fn nothing_but(own: Vec<(OsString, OsString)>) -> Vec<(OsString, Option<OsString>)> {
    let inherited = std::env::vars_os().map(|(name, _)| (name, None));
    inherited.chain(own.into_iter().map(|(name, value)| (name, Some(value)))).collect()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// What the stream tells, line by line.
struct Watch {
    decoder: Box<dyn Decode>,
    called: Vec<Called>,
    /// By the id that Claude Code gives each call.
    places: HashMap<String, usize>,
    /// The last thing that was said about a failure.
    words: String,
}

struct Called {
    event: String,
    at: Instant,
    answered: Option<(Duration, HookAnswer)>,
}

impl Watch {
    fn new() -> Self {
        let decoder = Agent::Claude.decoder("");
        Self { decoder, called: Vec::new(), places: HashMap::new(), words: String::new() }
    }

    fn line(&mut self, bytes: &[u8]) -> Seen {
        let line: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let id = line["hook_id"].as_str().unwrap_or_default().to_owned();
        if line["subtype"] == "hook_started" {
            let event = line["hook_event"].as_str().unwrap_or_default().to_owned();
            self.places.insert(id, self.called.len());
            self.called.push(Called { event, at: Instant::now(), answered: None });
            return Seen::Nothing;
        }
        let mut events = Vec::new();
        self.decoder.line(bytes, &mut |event| events.push(event));
        let mut seen = Seen::Nothing;
        for event in events {
            match event {
                AgentEvent::Hook(answer) => {
                    let place = self.places.get(&id).copied();
                    if let Some(called) = place.and_then(|place| self.called.get_mut(place)) {
                        called.answered = Some((called.at.elapsed(), answer));
                    }
                }
                AgentEvent::Result(result) => {
                    seen = Seen::Result;
                    self.words = result.text;
                }
                _ => {}
            }
        }
        seen
    }

    fn rounds(self, model: &ScriptedModel) -> Vec<Round> {
        let round = |called: Called| {
            let hook = Hook::of_event(&called.event)?;
            let (milliseconds, answer) = match called.answered {
                None => (None, Answer::Missing),
                Some((took, answer)) => {
                    let answer = in_time(hook, took, read(answer.verdict, model));
                    (Some(millis(took)), answer)
                }
            };
            Some(Round { event: called.event, hook, milliseconds, answer })
        };
        self.called.into_iter().filter_map(round).collect()
    }
}

/// Claude Code ends a hook whose time is up, and calls that a failure of the hook's.
fn in_time(hook: Hook, took: Duration, answer: Answer) -> Answer {
    match answer {
        Answer::Failed { .. } if took + CLOCKS_DIFFER >= hook.time() => Answer::Missing,
        answer => answer,
    }
}

fn read(verdict: HookVerdict, model: &ScriptedModel) -> Answer {
    match verdict {
        HookVerdict::Silent => Answer::Silent,
        HookVerdict::Failed { why } => Answer::Failed { why },
        HookVerdict::Blocked { reason: words }
        | HookVerdict::Told { context: words }
        // Meant for people, so the model does not hear it.
        | HookVerdict::Warned { message: words } => {
            let first = words.lines().next().unwrap_or_default();
            let is_heard = model.requests().iter().any(|request| request.mentions(first) > 0);
            let model = if is_heard { Model::Heard } else { Model::HeardNothing };
            Answer::Spoke { words: first.to_owned(), model }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_at_the_end_of_a_hooks_time_is_no_answer() {
        let failed = || Answer::Failed { why: "exit code 1".into() };
        let after = |hook: Hook, milliseconds, answer| {
            in_time(hook, Duration::from_millis(milliseconds), answer)
        };
        assert_eq!(after(Hook::CommandGuard, 9_990, failed()), Answer::Missing);
        assert_eq!(after(Hook::CommandGuard, 4, failed()), failed());
        assert_eq!(after(Hook::StopGuard, 12_000, failed()), failed());
        assert_eq!(after(Hook::CommandGuard, 12_000, Answer::Silent), Answer::Silent);
    }
}
