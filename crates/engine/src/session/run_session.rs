//! Runs one session of an agent: starts, follows and records it. The loop interprets the result.

use std::io;
use std::path::Path;
use std::time::Duration;

use agents::{Agent, CommandLine, Completion, Value};
use events::{AgentEnded, AgentOutcome, LoopEvent, TokenCount, Traceparent};
use project::env;
use supervise::{
    ChildEvent, Ended, Launch, Limits, Orphans, PoliteSignal, Reaction, Recipient, SoftLimits,
    Stdout,
};

use crate::RunError;
use crate::control::{Counters, RunControl};
use crate::isolation::{ConfinedProgram, refused_hosts};
use crate::options::{AgentOptions, RunOptions, SessionIsolation};
use crate::session::allowance::Allowance;
use crate::session::reader::SessionReader;
use crate::session::watch::{Conclusion, ExpectedHooks};

/// Tool output with pictures can be longer, but no such line matters.
const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// How long to read the pipes after the end.
const DRAIN: Duration = Duration::from_secs(2);

/// Refused hosts that are reported one by one.
const MOST_REFUSED: usize = 5;

/// Characters of a prompt in an event.
const PROMPT_START: usize = 200;

pub(crate) struct Session {
    pub(crate) conclusion: Conclusion,
    pub(crate) elapsed: Duration,
}

impl Session {
    /// One that ended with an answer before this process started, and of which nothing else is known.
    pub(crate) fn of_earlier_runner() -> Self {
        let conclusion = Conclusion {
            outcome: AgentOutcome::Answered,
            detail: String::new(),
            result: None,
            resets_at: None,
            quota: None,
            completion: None,
            guard_missing: Vec::new(),
        };
        Self { conclusion, elapsed: Duration::ZERO }
    }

    /// Empty if there is none.
    pub(crate) fn last_message(&self) -> &str {
        self.conclusion.result.as_ref().map_or("", |result| &result.text)
    }
}

/// The parameters of a session.
pub(crate) struct SessionRequest<'c> {
    pub(crate) agent: &'c AgentOptions,
    pub(crate) command: CommandLine,
    pub(crate) prompt: &'c str,
    /// The folder for the recording of its stream.
    pub(crate) recording: &'c Path,
    /// Reported by an earlier session.
    pub(crate) context_window: Option<u64>,
    /// The completion tag expected in the last message.
    pub(crate) completion: Option<&'c Completion>,
    /// Which hooks must run.
    pub(crate) expected_hooks: ExpectedHooks,
    pub(crate) allowance: Allowance,
}

impl RunControl<'_> {
    pub(crate) fn run_session(
        &mut self,
        mut call: SessionRequest<'_>,
    ) -> Result<Session, RunError> {
        self.provide(call.agent)?;
        call.command = self.enter_sandbox(call.agent.agent, call.command)?;
        self.report_call(&call);
        let mut reader = SessionReader::new(&call, self.options.layout.root());
        let ended = self.follow(&call, &mut reader)?;
        self.leave_sandbox(call.agent.agent, &ended);
        self.end_session(call.agent.agent, reader, &ended)
    }

    /// Reports how it ended.
    pub(super) fn end_session(
        &mut self,
        agent: Agent,
        reader: SessionReader<'_>,
        ended: &Ended,
    ) -> Result<Session, RunError> {
        let conclusion = reader.conclude(ended, &self.sink);
        self.report_end(&conclusion, ended);
        if conclusion.outcome == AgentOutcome::LoginNeeded {
            self.report_sign_in(agent);
        }
        RunError::refuse_survivors("the agent's session", &ended.leftovers)?;
        Ok(Session { conclusion, elapsed: ended.elapsed })
    }

    fn follow(
        &mut self,
        call: &SessionRequest<'_>,
        reader: &mut SessionReader<'_>,
    ) -> Result<Ended, RunError> {
        let allowance = call.allowance;
        let (total, soft) = allowance.within(&self.clock);
        let mut launch = launch(call, self.options, total, soft);
        let confined = match self.confine_session(call, &mut launch) {
            Ok(confined) => confined,
            Err(error) => {
                reader.error_line(&format!("sandbox: {error}"));
                return Ok(Ended::not_started());
            }
        };
        let (sink, clock, orders) = (&self.sink, &mut self.clock, &mut self.orders);
        let (run_id, switch) = (&self.run_id, self.switch);
        let ended = self.executor.run(launch, switch.requests(), &mut |event| match event {
            ChildEvent::Line(line) => reader.line(line, sink),
            ChildEvent::SoftLimit(which) => {
                allowance.warn(which, clock, sink);
                Reaction::Nothing
            }
            ChildEvent::Tick => {
                orders.apply(run_id, switch, sink);
                orders.reaction()
            }
        });
        let ended = ended.unwrap_or_else(|error| {
            reader.error_line(&error.to_string());
            Ended { leftovers: error.leftovers(), ..Ended::not_started() }
        });
        let ended = self.apply_end_of_run(ended);
        if let Some(confined) = &confined {
            confined.end()?;
        }
        let sink = &self.sink;
        for refused in confined.iter().flat_map(refused_hosts).take(MOST_REFUSED) {
            sink.warn(format!("session: {refused}"));
        }
        reader.exited(&ended, sink);
        Ok(ended)
    }

    fn confine_session(
        &self,
        call: &SessionRequest<'_>,
        launch: &mut Launch,
    ) -> io::Result<Option<ConfinedProgram>> {
        let RunOptions { layout, allowed_changes, .. } = self.options;
        match &call.agent.isolation.chosen {
            SessionIsolation::Sandbox(sandbox) => {
                sandbox.confine(launch, layout, allowed_changes).map(Some)
            }
            _ => Ok(None),
        }
    }

    pub(super) fn report_call(&self, call: &SessionRequest<'_>) {
        self.sink.emit(LoopEvent::AgentCalled {
            agent: call.agent.name(),
            command: call.command.call(),
            prompt_bytes: call.prompt.len() as u64,
            prompt: call.prompt.chars().take(PROMPT_START).collect(),
            traceparent: traceparent(&call.command),
        });
    }

    fn report_end(&mut self, conclusion: &Conclusion, ended: &Ended) {
        let result = conclusion.result.as_ref();
        self.sink.emit(LoopEvent::AgentEnded(AgentEnded {
            outcome: conclusion.outcome,
            detail: conclusion.detail.clone(),
            cost_usd: conclusion.cost_usd(),
            tokens: conclusion.tokens(),
            turns: result.and_then(|result| result.turns),
            seconds: ended.elapsed.as_secs_f64(),
            context_window: conclusion.context_window(),
            leftovers: ended.leftovers.ended.iter().map(|left| left.name.clone()).collect(),
        }));
        for why in &conclusion.guard_missing {
            self.sink.emit(LoopEvent::HookMissing { why: why.clone() });
        }
        if let Some(checked) = &conclusion.completion {
            self.sink.emit(LoopEvent::CompletionChecked {
                wanted: checked.wanted.clone(),
                found: checked.found.clone(),
                near_miss: checked.near_miss,
            });
        }
    }
}

/// The span of the session, as its agent knows it.
fn traceparent(command: &CommandLine) -> Option<Traceparent> {
    let mut own = command.environment.iter().filter(|(name, _)| name == env::TRACEPARENT);
    match own.next_back() {
        Some((_, Value::Shown(span))) => span.to_str()?.parse().ok(),
        _ => None,
    }
}

fn launch(
    call: &SessionRequest<'_>,
    options: &RunOptions,
    total: Option<Duration>,
    soft: SoftLimits,
) -> Launch {
    let command = call.command.clone();
    let environment = command.environment.into_iter();
    // Where stdout is a protocol, no other process may write to it.
    let stdout = match call.agent.agent.abilities().structured_output {
        true => Stdout::Socket,
        false => Stdout::Pipe,
    };
    Launch {
        keeper: options.keeper.clone(),
        program: command.program,
        args: command.args,
        environment: environment.map(|(name, value)| (name, value.into_inner())).collect(),
        folder: options.layout.root().to_path_buf(),
        input: command.stdin.into_bytes(),
        limits: Limits {
            total,
            idle: options.limits.idle,
            grace: options.limits.grace,
            linger: options.limits.linger,
            drain: DRAIN,
            longest_line: LONGEST_LINE,
            soft,
        },
        // On an interrupt, Claude Code prints a result line with the cost; on a termination it does not.
        polite: PoliteSignal::Interrupt,
        recipient: Recipient::Child,
        stdout,
        orphans: Orphans::End,
    }
}

impl Counters {
    /// Adds the cost and tokens of a session.
    pub(crate) fn add_session(&mut self, conclusion: &Conclusion) {
        self.cost_usd += conclusion.cost_usd().unwrap_or_default();
        let turns = conclusion.result.as_ref().and_then(|result| result.turns);
        self.turns = self.turns.saturating_add(turns.unwrap_or_default());
    }
}

impl Conclusion {
    /// Implausible values count as unknown.
    pub(crate) fn cost_usd(&self) -> Option<f64> {
        self.result.as_ref()?.cost_usd.filter(|cost| (0.0..100_000.0).contains(cost))
    }

    pub(crate) fn tokens(&self) -> TokenCount {
        self.result.as_ref().map(|result| result.tokens).unwrap_or_default()
    }

    pub(crate) fn context_window(&self) -> Option<u64> {
        self.result.as_ref()?.context_window
    }
}
