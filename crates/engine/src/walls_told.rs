//! What a run says at its start of the walls around its agents.

use walls::{Obstacle, WallKind};

use crate::options::{AgentOptions, CheckSandbox, HookPrograms, Wall};
use crate::session_command::has_hooks;
use crate::teller::Teller;
use crate::{LoopEvent, PassedOver};

/// Stands in events where else the name of an agent is.
pub const CHECKS: &str = "checks";

const UNGUARDED: &str = "nobody guards the sessions of this run: its hooks are missing or of another \
                         version, and you allowed that; what a session leaves is judged after it";

impl Teller<'_> {
    /// Once for each agent and wall; and whether anybody guards their sessions.
    pub(crate) fn tell_walls<'o>(
        &mut self,
        agents: impl IntoIterator<Item = &'o AgentOptions>,
        guard: Option<&HookPrograms>,
    ) {
        let mut told: Vec<(String, WallKind)> = Vec::new();
        let mut unguarded = false;
        for options in agents {
            unguarded |= has_hooks(options.agent) && guard.is_none();
            let (agent, wall) = (options.name(), options.wall.wall.kind());
            if told.contains(&(agent.clone(), wall)) {
                continue;
            }
            told.push((agent.clone(), wall));
            let passed_over = options.wall.passed_over.iter().cloned();
            let passed_over = passed_over
                .map(|(wall, obstacle)| PassedOver { wall, why: obstacle.why, fix: obstacle.fix })
                .collect();
            let network = match &options.wall.wall {
                Wall::Sandbox(sandbox) => Some(sandbox.network.kind()),
                _ => None,
            };
            self.tell(LoopEvent::WallChosen { agent, wall, network, passed_over });
        }
        if unguarded {
            self.warn(UNGUARDED);
        }
    }

    /// Once, of a run that has checks or may get some.
    pub(crate) fn tell_check_sandbox(&mut self, checks: &CheckSandbox) {
        let (wall, network, passed_over) = match checks {
            CheckSandbox::Used(sandbox) => {
                (sandbox.backend.kind(), Some(sandbox.network.kind()), vec![])
            }
            CheckSandbox::Missing(Obstacle { why, fix }) => {
                let (why, fix) = (why.clone(), fix.clone());
                (WallKind::Open, None, vec![PassedOver { wall: WallKind::Os, why, fix }])
            }
            CheckSandbox::Off => (WallKind::Open, None, vec![]),
        };
        self.tell(LoopEvent::WallChosen { agent: CHECKS.into(), wall, network, passed_over });
    }
}
