//! What a run says at its start of the walls around its agents.

use isolation::{Isolation, Obstacle};

use crate::event_sink::EventSink;
use crate::options::{AgentOptions, CheckSandbox, HookPrograms, SessionIsolation};
use crate::session_command::has_hooks;
use crate::{LoopEvent, PassedOver};

/// Stands in events where else the name of an agent is.
pub const CHECKS: &str = "checks";

const UNGUARDED: &str = "nobody guards the sessions of this run: its hooks are missing or of another \
                         version, and you allowed that; what a session leaves is judged after it";

impl EventSink<'_> {
    /// Once for each agent and isolation; and whether anybody guards their sessions.
    pub(crate) fn report_isolation<'o>(
        &mut self,
        agents: impl IntoIterator<Item = &'o AgentOptions>,
        guard: Option<&HookPrograms>,
    ) {
        let mut told: Vec<(String, Isolation)> = Vec::new();
        let mut unguarded = false;
        for options in agents {
            unguarded |= has_hooks(options.agent) && guard.is_none();
            let (agent, isolation) = (options.name(), options.isolation.chosen.kind());
            if told.contains(&(agent.clone(), isolation)) {
                continue;
            }
            told.push((agent.clone(), isolation));
            let passed_over = options.isolation.passed_over.iter().cloned();
            let passed_over = passed_over
                .map(|(isolation, obstacle)| PassedOver {
                    isolation,
                    why: obstacle.why,
                    fix: obstacle.fix,
                })
                .collect();
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

    /// Once, of a run that has checks or may get some.
    pub(crate) fn report_check_sandbox(&mut self, checks: &CheckSandbox) {
        let (isolation, network, passed_over) = match checks {
            CheckSandbox::Used(sandbox) => {
                (sandbox.backend.kind(), Some(sandbox.network.kind()), vec![])
            }
            CheckSandbox::Missing(Obstacle { why, fix }) => {
                let (why, fix) = (why.clone(), fix.clone());
                (Isolation::Open, None, vec![PassedOver { isolation: Isolation::Os, why, fix }])
            }
            CheckSandbox::Off => (Isolation::Open, None, vec![]),
        };
        self.emit(LoopEvent::IsolationChosen {
            agent: CHECKS.into(),
            isolation,
            network,
            passed_over,
        });
    }
}
