//! Emits the isolation of each agent at the start of a run.

use events::{CHECKS, LoopEvent, UnusedIsolation};
use isolation::{Isolation, Obstacle};

use crate::event_sink::EventSink;
use crate::options::{AgentOptions, CheckSandbox, HookPrograms, SessionIsolation};
use crate::session::command::has_hooks;

const UNGUARDED: &str = "hooks are not running in this run: they are missing or have another version, \
                         and you allowed that; the runner still judges each session afterwards";

impl EventSink<'_> {
    /// Once for each agent and isolation; warns if hooks are missing.
    pub(crate) fn report_isolation<'o>(
        &mut self,
        agents: impl IntoIterator<Item = &'o AgentOptions>,
        guard: Option<&HookPrograms>,
    ) {
        let mut reported: Vec<(String, Isolation)> = Vec::new();
        let mut unguarded = false;
        for options in agents {
            unguarded |= has_hooks(options.agent) && guard.is_none();
            let (agent, isolation) = (options.name(), options.isolation.chosen.kind());
            if reported.contains(&(agent.clone(), isolation)) {
                continue;
            }
            reported.push((agent.clone(), isolation));
            let passed_over = options.isolation.passed_over.iter();
            let passed_over = passed_over.map(|(kind, why)| unused(*kind, why)).collect();
            let network = match &options.isolation.chosen {
                SessionIsolation::Sandbox(sandbox) => Some(sandbox.network.kind()),
                _ => None,
            };
            self.emit(LoopEvent::IsolationChosen { agent, isolation, network, passed_over });
        }
        if unguarded {
            self.warn(UNGUARDED);
        }
    }

    /// Once, in a run that has checks or may get some.
    pub(crate) fn report_check_sandbox(&mut self, checks: &CheckSandbox) {
        let (isolation, network, passed_over) = match checks {
            CheckSandbox::Used(sandbox) => {
                (sandbox.backend.kind(), Some(sandbox.network.kind()), vec![])
            }
            CheckSandbox::Missing(why) => (Isolation::Open, None, vec![unused(Isolation::Os, why)]),
            CheckSandbox::Off => (Isolation::Open, None, vec![]),
        };
        let agent = CHECKS.into();
        self.emit(LoopEvent::IsolationChosen { agent, isolation, network, passed_over });
    }
}

fn unused(isolation: Isolation, Obstacle { why, fix }: &Obstacle) -> UnusedIsolation {
    UnusedIsolation { isolation, why: why.clone(), fix: fix.clone() }
}
